// Carries out bursts of sweeps with the lattices of several temperatures resident in shared memory.
//
//   device memory --load_turned--> shared memory of a block, or of a cluster of blocks
//     spins of slots_per_block       | sweep: red | barrier | black | barrier, `count` times
//     temperatures (16 B per site)   | energies: bit-sliced bond counts
//   device memory <--store_turned--   v
//
// A block takes slots_per_block neighbouring temperatures of one (column, replica). The pending exchange
// between them is carried out while they are loaded. Spins are turned over while they are loaded and stored.
// In this gauge (gauge.hpp) one bond along z of each column of sites may be -1, the others are +1. For each
// colour and site a thread reads four couplings once (L1/L2) and uses them for all its temperatures. One
// Philox call serves four temperatures. Threads take the sites of a colour in their order. If few
// temperatures fit into a block, the blocks of a cluster take a slab of z planes each and more temperatures.
// Neighbours in the next slab are read from the next block's shared memory.
//
// An update of 128 lanes takes, in shared memory, 7 reads and 1 write of 16 bytes (128 B: one clock of an
// SM). The rule takes 4 x 14 logic operations, the acceptance 3 per share group. Philox takes 1/4 of 20
// multiplications and 20 logic operations per share group. Device memory takes 32 bytes per site and burst,
// i.e. 0.25 / count bytes per flip. Couplings take 64 bytes per site, colour step and slots_per_block * 128
// flips. At 64 logic operations per clock and SM the minimum is 1.0 clocks per update.
//
// With a random number for every spin (share 1) two digits of the numbers are drawn at once. Undecided lanes
// wait in a queue of the warp until the end of the colour (undecided_lanes_cuda.cuh). An update takes some
// 330 logic operations and 135 wide multiplications, each of which takes the logic pipe 2 clocks of a
// scheduler.

#include "sweep/cuda/gauged_update_cuda.cuh"
#include "sweep/resident/resident_independent_cuda.cuh"
#include "sweep/resident/resident_sites_cuda.cuh"
#include "sweep/resident/resident_spins_cuda.cuh"

namespace psflip {

namespace {

template <int Share, bool Clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_sweep(const __grid_constant__ SweepArgs a, const __grid_constant__ ResidentPlan plan,
                   const __grid_constant__ Geometry slab, const __grid_constant__ SweepBurst burst,
                   const uint4* const gauged) {
    using Block = GaugedLattices<Clustered>;
    extern __shared__ uint4 lattices[];
    const ResidentBlock held(a, plan, slab);
    const uint4* const bonds =
        kept(gauged + static_cast<std::size_t>(held.column) * GaugedBonds::directions * a.geometry.sites);
    const uint4* const turn = bonds + GaugedBonds::turn * a.geometry.sites;
    const SharedLattices shared = SharedLattices::at(lattices, held.slots());
    typename Block::Type block = Block::make(shared, plan, held);
    load_turned(a, slab, held, burst.pending, shared, turn);
    if (burst.energy) ResidentEnergy::start(a, held, burst.energy);
    Block::barrier();

    for (int s = 0; s < burst.count; ++s) {
        const std::uint64_t sweep = static_cast<std::uint64_t>(burst.first + s);
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            const SlabSites<Clustered, true> sites(a, slab, held, bonds, colour);
#pragma unroll 1
            for (std::uint32_t i = threadIdx.x; i < slab.colour_sites; i += blockDim.x) {
                const SlabSite site = sites.site(i);
                const SiteDraw draw{site.standard, held.replica, a.first_realization + held.column * 128,
                                    sweep, a.seed};
                Block::at_layer(block, site.z == 0, site.z + 1 == slab.depth);
                const SiteAddresses at(block, site.in_slab, -static_cast<std::int32_t>(held.first_slot % 4));
                update_gauged<Share>(a, block, held.first_slot, held.end_slot, at, {}, site.bond,
                                     __any_sync(__activemask(), site.seam), draw);
            }
            Block::barrier();
        }
    }
    store_turned(a, slab, held, shared, turn);
    if (!burst.energy) return;
    ResidentEnergy::add<Clustered, Block>(a, slab, held, plan.bond_sites, block, bonds, burst.energy);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

/// Sweeps whole lattices with a random number for every spin, without the gauge.
__global__ void __launch_bounds__(resident_threads, 1)
    resident_independent(const __grid_constant__ SweepArgs a, const __grid_constant__ ResidentPlan plan,
                         const __grid_constant__ Geometry whole, const __grid_constant__ SweepBurst burst,
                         const uint4*) {
    sweep_independent<IndependentPlain<6>>(
        a, IndependentPlain<6>::Args{}, plan, whole, burst,
        [&](const ResidentBlock& held) {
            if (burst.energy) ResidentEnergy::start(a, held, burst.energy);
            __syncthreads();
        },
        [&](const ResidentBlock& held, SharedLattices& block) {
            const uint4* const couplings =
                a.couplings + static_cast<std::size_t>(held.column) * 3 * a.geometry.sites;
            if (burst.energy)
                ResidentEnergy::add<false, BlockLattices<false>>(a, whole, held, plan.bond_sites, block,
                                                                 couplings, burst.energy);
        });
}

}  // namespace

ResidentForms resident_forms(int share) {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    if (share == 1) return {of(resident_independent), nullptr};
    return with_share(share, [of](auto n) -> ResidentForms {
        return {of(resident_sweep<n.value, false>), of(resident_sweep<n.value, true>)};
    });
}

cudaLaunchConfig_t resident_config(const ResidentPlan& plan, std::int64_t blocks, cudaStream_t stream,
                                   cudaLaunchAttribute& attribute) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(plan.cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(plan.threads);
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = plan.cluster > 1 ? 1 : 0;
    return config;
}

}  // namespace psflip
