// Sweeps with a random number for every spin (share 1) of lattices in device memory: one launch per colour.
//
//   device memory --couplings--> registers: once per site for all lattices of a thread
//   device memory --spins of lattice k + 1--> shared memory of the thread, while lattice k is worked on
//   two digits --undecided words--> queue in shared memory --flips--> device memory
//
// A thread takes one site and up to 16 of the column's lattices (replica, slot), which follow each other in
// memory. The work is that of the resident kernel, some 470 logic operations and wide multiplications per
// update of 128 lanes: 0.23 ps per flip; memory needs 0.1 ps (see streaming_cuda.cu).
//
// Shared memory per thread: 112 bytes of spins, 36 of the queue; per block 640 for each lattice's table.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/independent_update_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned threads = SlotLattices<GlobalLattices>::threads;
constexpr std::int64_t most_lattices = 16;

/// Which part of the work a launch does.
struct Launch {
    std::uint32_t first_column, lattices, colour;  ///< lattices: of a thread
    std::uint64_t sweep;
};

/// Grid: x = sites of a colour / threads, y = part of the lattices, z = column - first_column.
__global__ void __launch_bounds__(threads, 2)
    streaming_independent(const __grid_constant__ SweepArgs a, const Launch launch) {
    extern __shared__ uint4 stage[];
    uint4* const queue = stage + threads * SlotLattices<GlobalLattices>::words;
    SlotTable* const tables = reinterpret_cast<SlotTable*>(queue + threads * leftover_bytes_per_thread / 16);
    const Geometry& g = a.geometry;
    const std::uint32_t i = blockIdx.x * threads + threadIdx.x, column = launch.first_column + blockIdx.z;
    const bool valid = i < g.colour_sites;
    const Place place = place_of(g, launch.colour, valid ? i : 0);
    const Neighbours n = neighbours_of(g, launch.colour, place);
    uint4 bond[6];
    load_couplings(a.couplings + static_cast<std::size_t>(column) * 3 * g.sites, g.sites, n, bond);

    const std::uint32_t all = a.replicas * a.temperatures, first = blockIdx.y * launch.lattices;
    const std::uint32_t count = min(launch.lattices, all - first);
    set_thresholds(a, tables, first, count);
    set_rounds(a, tables, launch.sweep, first, count);
    __syncthreads();
    if (!__any_sync(~0u, valid)) return;
    const GlobalLattices spins{a.spins + (static_cast<std::size_t>(column) * all + first) * g.sites, g.sites};
    const SlotLattices<GlobalLattices> lattices{spins, stage};
    const SiteDraw draw{standard_site(g, place), 0, a.first_realization + column * 128, launch.sweep, a.seed};
    Leftovers leftovers(queue);
    update_independent(tables, leftovers, lattices, count, n, bond, draw, valid);
    leftovers.finish(tables, lattices, {a.seed}, draw);
}

}  // namespace

void launch_streaming_independent(const SweepArgs& args, std::int64_t columns, std::int64_t first, int count,
                                  cudaStream_t stream) {
    int device = 0, multiprocessors = 0;
    PSFLIP_CUDA(cudaGetDevice(&device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::int64_t all = std::int64_t{args.replicas} * args.temperatures;
    const std::int64_t at_once = std::min<std::int64_t>(columns, 65535);
    const std::int64_t site_threads = std::int64_t{args.geometry.colour_sites} * at_once,
                       wanted = std::int64_t{multiprocessors} * threads * 8;
    const std::int64_t parts =
        std::min(all, std::max((all + most_lattices - 1) / most_lattices, wanted / site_threads));
    const std::int64_t lattices = (all + parts - 1) / parts;
    const std::size_t shared_bytes =
        threads * (16 * SlotLattices<GlobalLattices>::words + leftover_bytes_per_thread) +
        lattices * slot_table_bytes;
    for (std::int64_t column = 0; column < columns; column += at_once) {
        const dim3 grid(blocks_for(args.geometry.colour_sites, threads),
                        static_cast<unsigned>((all + lattices - 1) / lattices),
                        static_cast<unsigned>(std::min(at_once, columns - column)));
        for (int sweep = 0; sweep < count; ++sweep)
            for (std::uint32_t colour = 0; colour < 2; ++colour)
                launch(streaming_independent, grid, dim3(threads), shared_bytes, stream, args,
                       Launch{static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(lattices),
                              colour, static_cast<std::uint64_t>(first + sweep)});
    }
}

}  // namespace psflip
