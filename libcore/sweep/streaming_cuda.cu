// Sweeps of lattices that do not fit into shared memory: one launch per colour.
//
// Data flow: a thread takes one site of one column and a range of (replica, slot); it reads the six couplings
// once and keeps them in registers while it walks over its lattices. Neighbours come through L1/L2: every
// 16-byte word of the other colour is read once from device memory. Columns are worked off in groups whose
// spins fit into the L2 cache where that is possible, all sweeps of a call for one group.
//
// Per update of 128 lanes: device memory 16 B own + 16 B other colour read, 16 B written, 96 B / lattices per
// thread of couplings: 0.375 + 0.75 / lattices bytes per flip, i.e. 0.1 ps at 4 TB/s where L2 does not help.
// Logic as in the resident kernel. Registers: 24 for couplings, 28 for spins, 4 to 16 for random numbers.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/independent_update_cuda.cuh"
#include "sweep/site_update_cuda.cuh"

namespace psflip {

namespace {

constexpr int threads = 256;

/// Where a launch is.
struct Colour {
    std::uint32_t first_column, slots, colour;
    std::uint64_t sweep;
};

/// Calls update(replica, first slot, end of slots, their lattices) for all that a thread does.
template <class Update>
__device__ __forceinline__ void for_lattices(const SweepArgs& a, const Colour& c, std::uint32_t column,
                                             Update update) {
    const std::uint32_t parts = (a.temperatures + c.slots - 1) / c.slots;
    const bool whole = c.slots >= a.temperatures;
    const std::uint32_t first_slot = whole ? 0 : blockIdx.y % parts * c.slots;
    const std::uint32_t end = whole ? a.replicas : blockIdx.y / parts + 1;
    for (std::uint32_t replica = whole ? blockIdx.y : blockIdx.y / parts; replica < end;
         replica += gridDim.y) {
        const std::size_t lattice =
            (static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures + first_slot;
        update(replica, first_slot, min(first_slot + c.slots, a.temperatures),
               GlobalLattices{a.spins + lattice * a.geometry.sites, a.geometry.sites});
    }
}

/// Grid: x = sites of a colour / threads, y = part (a part is `slots` slots of one replica), z = column -
/// first_column.
template <int Share>
__global__ void __launch_bounds__(threads, 2)
    streaming_colour(const __grid_constant__ SweepArgs a, const Colour c) {
    const Geometry& g = a.geometry;
    const std::uint32_t thread = blockIdx.x * threads + threadIdx.x, column = c.first_column + blockIdx.z;
    const bool valid = thread < g.colour_sites;
    if (Share > 1 && !valid) return;
    const Place place = place_of(g, c.colour, valid ? thread : 0);
    const Neighbours n = neighbours_of(g, c.colour, place);
    uint4 bond[6];
    load_couplings(a.couplings + static_cast<std::size_t>(column) * 3 * g.sites, g.sites, n, bond);
    extern __shared__ uint4 queue[];  // share 1
    SlotTable* const tables = reinterpret_cast<SlotTable*>(queue + threads * leftover_bytes_per_thread / 16);
    Leftovers leftovers(queue);
    for_lattices(a, c, column,
                 [&](std::uint32_t replica, std::uint32_t first, std::uint32_t end, GlobalLattices lattices) {
                     const SiteDraw d{standard_site(g, place), replica, a.first_realization + column * 128,
                                      c.sweep, a.seed};
                     if constexpr (Share == 1) {
                         __syncthreads();
                         set_thresholds(a, tables, first, end);
                         set_rounds(a, tables, c.sweep, replica, first, end);
                         __syncthreads();
                         if (!__any_sync(~0u, valid)) return;
                         update_slots_independent(a, tables, leftovers, lattices, first, end, n, bond, d,
                                                  valid);
                         leftovers.finish(tables, SlotLattices<GlobalLattices>{lattices}, {a.seed}, d);
                     } else {
                         update_slots<Share>(a, lattices, first, end, n, bond, d);
                     }
                 });
}

using Kernel = void (*)(SweepArgs, Colour);

Kernel kernel_for(int share) {
    switch (share) {
        case 1:
            return streaming_colour<1>;
        case 32:
            return streaming_colour<32>;
        case 64:
            return streaming_colour<64>;
        default:
            return streaming_colour<128>;
    }
}

struct StreamingPlan {
    std::int64_t columns_at_once;
    std::uint32_t slots, grid_y;
};

/// Columns at once: as many as fit into two thirds of L2 if even one does, else all. Slots
/// per thread: all of them (and all replicas) where sites alone fill the device, else fewer, in fours.
StreamingPlan plan_streaming(const SweepArgs& args, std::int64_t columns) {
    int device = 0, l2 = 0, multiprocessors = 0;
    PSFLIP_CUDA(cudaGetDevice(&device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::int64_t wanted = std::int64_t{multiprocessors} * 2048;
    const std::int64_t lattices = std::int64_t{args.replicas} * args.temperatures;
    const std::int64_t column_bytes = 16 * std::int64_t{args.geometry.sites} * (lattices + 3);
    const std::int64_t fill = (wanted + args.geometry.colour_sites - 1) / args.geometry.colour_sites;
    StreamingPlan plan;
    plan.columns_at_once = std::min<std::int64_t>(columns, 65535);
    if (column_bytes <= l2 * 2 / 3)
        plan.columns_at_once = std::min(columns, std::max<std::int64_t>(1, l2 * 2 / 3 / column_bytes));
    const std::int64_t parts_wanted = std::max<std::int64_t>(1, fill / plan.columns_at_once);
    if (parts_wanted <= args.replicas) {
        plan.slots = args.temperatures;
        plan.grid_y = static_cast<std::uint32_t>(parts_wanted);
    } else {
        const std::int64_t per_replica = (parts_wanted + args.replicas - 1) / args.replicas;
        const std::int64_t quads = (args.temperatures + 3) / 4;
        plan.slots = static_cast<std::uint32_t>(4 * ((quads + per_replica - 1) / per_replica));
        const std::uint32_t parts = (args.temperatures + plan.slots - 1) / plan.slots;
        plan.grid_y = args.replicas * parts;
    }
    return plan;
}

}  // namespace

void launch_streaming(const SweepArgs& args, int share, std::int64_t columns, std::int64_t first, int count,
                      cudaStream_t stream) {
    const StreamingPlan plan = plan_streaming(args, columns);
    const std::size_t shared_bytes =
        share == 1 ? threads * leftover_bytes_per_thread + plan.slots * slot_table_bytes : 0;
    for (std::int64_t column = 0; column < columns; column += plan.columns_at_once) {
        const auto here = static_cast<unsigned>(std::min(plan.columns_at_once, columns - column));
        const dim3 grid(blocks_for(args.geometry.colour_sites, threads), plan.grid_y, here);
        for (int burst = 0; burst < count; ++burst)
            for (std::uint32_t colour = 0; colour < 2; ++colour)
                launch(kernel_for(share), grid, dim3(threads), shared_bytes, stream, args,
                       Colour{static_cast<std::uint32_t>(column), plan.slots, colour,
                              static_cast<std::uint64_t>(first + burst)});
    }
}

}  // namespace psflip
