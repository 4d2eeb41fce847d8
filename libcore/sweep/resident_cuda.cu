// Bursts of sweeps with the lattices of several temperatures resident in shared memory.
//
// Data flow: a block takes slots_per_block neighbouring temperatures of one (column, replica): loads their
// spins (16 bytes per site = 128 realizations), does `count` sweeps with a barrier after each colour, writes
// the spins back. Per colour and site a thread reads the six couplings once (L1/L2) and uses them for all its
// temperatures; one Philox call serves four of them. Thread -> site: the threads cover `planes` z planes of
// one colour, so (h, y) of a thread never changes; steps advance z.
//
// Per update of 128 lanes: shared memory 7 reads and 1 write of 16 bytes (128 B: one clock of an SM); logic 4
// x 18 operations for the rule and 6 per pack for the acceptance masks; Philox 1/4 of 20 multiplications and
// 20 logic operations per pack. Device memory: 32 bytes per site and burst, i.e. 0.25 / count bytes per flip;
// couplings 96 bytes per site, colour step and slots_per_block * 128 flips. At 64 logic operations per clock
// and SM the floor is 1.3 clocks per update.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/site_update_cuda.cuh"

namespace psflip {

namespace {

template <int Share>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_sweep(const __grid_constant__ SweepArgs a, const __grid_constant__ ResidentPlan plan,
                   const std::int64_t first, const int count) {
    extern __shared__ uint4 lattices[];
    const Geometry& g = a.geometry;
    const std::uint32_t unit = blockIdx.x / plan.groups, group = blockIdx.x - unit * plan.groups;
    const std::uint32_t column = unit / a.replicas, replica = unit - column * a.replicas;
    const std::uint32_t first_slot = group * plan.slots_per_block;
    const std::uint32_t end_slot = min(first_slot + plan.slots_per_block, a.temperatures);
    const std::uint32_t slots = end_slot - first_slot;
    uint4* const spins = a.spins + (static_cast<std::size_t>(unit) * a.temperatures + first_slot) * g.sites;
    const uint4* const couplings = a.couplings + static_cast<std::size_t>(column) * 3 * g.sites;

    const SharedLattices shared = SharedLattices::at(lattices, slots);
    for (std::uint32_t k = 0; k < slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < g.sites; i += blockDim.x)
            shared.store(shared.address(i, k), 0, spins[k * g.sites + i]);
    __syncthreads();

    const bool active = threadIdx.x < plan.planes * g.plane;
    const Place start = place_of(g, 0, threadIdx.x);
    for (int burst = 0; burst < count; ++burst) {
        const std::uint64_t sweep = static_cast<std::uint64_t>(first + burst);
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            if (active) {
#pragma unroll 1
                for (std::uint32_t z = start.z; z < g.L; z += plan.planes) {
                    const Place place{start.h, start.y, z, (colour + start.y + z) & 1u};
                    const Neighbours n = neighbours_of(g, colour, place);
                    const SiteDraw d{standard_site(g, place), replica, a.first_realization + column * 128,
                                     sweep, a.seed};
                    uint4 bond[6];
                    load_couplings(couplings, g.sites, n, bond);
                    update_slots<Share>(a, shared, first_slot, end_slot, n, bond, d);
                }
            }
            __syncthreads();
        }
    }
    for (std::uint32_t k = 0; k < slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < g.sites; i += blockDim.x)
            spins[k * g.sites + i] = shared.load(shared.address(i, k), 0);
}

using Kernel = void (*)(SweepArgs, ResidentPlan, std::int64_t, int);

Kernel kernel_for(int share) {
    switch (share) {
        case 1:
            return resident_sweep<1>;
        case 32:
            return resident_sweep<32>;
        case 64:
            return resident_sweep<64>;
        default:
            return resident_sweep<128>;
    }
}

}  // namespace

int resident_registers(int share, int max_shared) {
    cudaFuncAttributes attributes;
    PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, kernel_for(share)));
    PSFLIP_CUDA(
        cudaFuncSetAttribute(kernel_for(share), cudaFuncAttributeMaxDynamicSharedMemorySize, max_shared));
    return attributes.numRegs;
}

void launch_resident(const SweepArgs& args, int share, const ResidentPlan& plan, std::int64_t units,
                     std::int64_t first, int count, cudaStream_t stream) {
    launch(kernel_for(share), dim3(static_cast<unsigned>(units * plan.groups)), dim3(plan.threads),
           plan.shared_bytes, stream, args, plan, first, count);
}

}  // namespace psflip
