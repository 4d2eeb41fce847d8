// Bursts of sweeps by the plain rule in two dimensions with a random number for every spin (share 1), with
// whole lattices of several temperatures in the shared memory of a block: as resident_cuda.cu does in three
// dimensions, but with four bonds and two thresholds. This file also compiles the kernels for share 32, 64
// and 128.

#include "sweep/resident/resident_class_kernel_cuda.cuh"
#include "sweep/resident/resident_independent_cuda.cuh"

namespace psflip {

namespace {

__global__ void __launch_bounds__(resident_threads, 1)
    resident_planar(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                    const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                    const __grid_constant__ SweepBurst burst) {
    constexpr int degree = 4;
    extern __shared__ uint4 lattices[];
    const ResidentBlock held(a, plan, slab);
    const uint4* const couplings =
        kept(a.couplings + static_cast<std::size_t>(held.column) * (degree / 2) * a.geometry.sites);
    SharedLattices shared = SharedLattices::at(lattices, held.slots());
    uint4* const queue = lattices + plan.lattice_bytes / 16;
    SlotTable* const tables =
        reinterpret_cast<SlotTable*>(queue + blockDim.x * leftover_bytes_per_thread / 16);
    Leftovers leftovers(queue);
    const std::uint32_t first_lattice = held.replica * a.temperatures + held.first_slot;
    set_thresholds(a, tables, first_lattice, held.slots());
    load_block(a, slab, held, burst.pending, shared);
    if (burst.energy) start_counts(a, table, held, burst);
    for (int s = 0; s < burst.count; ++s) {
        const std::uint64_t sweep = static_cast<std::uint64_t>(burst.first + s);
        set_rounds(a, tables, sweep, first_lattice, held.slots());
        __syncthreads();
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            update_colour_independent<degree>(a, held, shared, couplings, tables, leftovers, colour, sweep);
            __syncthreads();
        }
    }
    store_block(a, slab, held, shared);
    if (burst.energy) count_slots<degree, false, false>(a, table, slab, held, burst, shared);
}

}  // namespace

ResidentForms resident_planar_forms() {
    return {reinterpret_cast<const void*>(resident_planar), nullptr};
}

template ResidentForms resident_class_forms<PlanarRule>(int share);

}  // namespace psflip
