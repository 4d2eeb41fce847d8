// Counts energies per realization by bit-sliced counters. Spins are never unpacked.
//
// A warp takes 256 red sites, adds its counters with shuffles and unpacks them to 128 integers. The 8 warps
// of a block take neighbouring slots, which find the couplings in L1. If there are fewer lattices, several
// warps take neighbouring sites of one lattice. Larger lattices take several warps, which add their results.
//
// A red site takes 13 reads of 16 bytes (spins 112 B, couplings 96 B, mostly from L1) and 6 + 17 logic
// operations per 32-bit word. A warp takes some 45 shuffles and 250 operations per thread more. Together this
// is about 12 operations per site and word, at most the time of one sweep.

#include "base/cuda_check.cuh"
#include "lattice/site_orders_cuda.cuh"
#include "model/bond_energy.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int warps = 8;
constexpr std::uint32_t task_sites = 256;
static_assert(task_sites <= 32 * max_bond_sites(4));

__global__ void fill_kernel(std::int32_t* values, std::int64_t n, std::int32_t value) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) values[i] = value;
}

/// Counts the unsatisfied bonds of the red sites begin .. end - 1 of a lattice, by a warp; done(count) as in
/// count_bonds.
template <class Order, class Done>
__device__ __forceinline__ void count_lattice(const BondCountArgs& args, std::uint32_t lattice,
                                              std::uint32_t begin, std::uint32_t end, const Done& done) {
    const Geometry& g = args.geometry;
    const uint4* const spins = args.spins + static_cast<std::size_t>(lattice) * g.sites;
    const uint4* const couplings =
        args.couplings + static_cast<std::size_t>(lattice / args.per_column) * 3 * g.sites;
    const auto load = [&](std::uint32_t i, SiteWords(&words)[1], uint4(&bond)[6]) {
        const Neighbours at = Order::neighbours(g, 0, Order::place(g, 0, i));
        load_couplings(couplings, g.sites, at, bond);
        words[0].own = spins[at.own];
#pragma unroll
        for (int d = 0; d < 6; ++d) words[0].near[d] = spins[at.site[d]];
    };
    count_bonds<uint4, 1>(begin, end, load, [&](int, const int4& n) { done(n); });
}

/// Grid: x = groups of `together` lattices (at most 8), y = groups of 8 / together tasks of one lattice.
__global__ void __launch_bounds__(32 * warps)
    energy_kernel(const __grid_constant__ BondCountArgs args, const std::uint32_t together,
                  std::int32_t* energy) {
    const Geometry& g = args.geometry;
    const std::uint32_t warp = threadIdx.x / 32, lattice = blockIdx.x * together + warp % together,
                        task = blockIdx.y * (warps / together) + warp / together, begin = task * task_sites,
                        end = min(begin + task_sites, g.colour_sites);
    if (lattice >= args.lattices || begin >= end) return;
    std::int32_t* const lanes = energy + static_cast<std::size_t>(lattice) * 128 + threadIdx.x % 32 * 4;
    const int all = -3 * static_cast<int>(g.sites);
    count_lattice<StandardOrder>(args, lattice, begin, end, [&](const int4& n) {
        if (g.colour_sites > task_sites)
            add_counts(lanes, n, 2);
        else
            *reinterpret_cast<int4*>(lanes) = {all + 2 * n.x, all + 2 * n.y, all + 2 * n.z, all + 2 * n.w};
    });
}

/// Grid: x = lattices, y and z = groups of 8 tasks of the own planes.
template <class Order>
__global__ void __launch_bounds__(32 * warps)
    slab_energy_kernel(const __grid_constant__ BondCountArgs args, const OwnPlanes own, const int factor,
                       std::int32_t* energy) {
    const Geometry& g = args.geometry;
    const std::uint32_t task = (blockIdx.z * gridDim.y + blockIdx.y) * warps + threadIdx.x / 32,
                        begin = own.begin(g) + task * task_sites, end = min(begin + task_sites, own.end(g));
    if (begin >= end) return;
    std::int32_t* const lanes = energy + std::size_t{blockIdx.x} * 128 + threadIdx.x % 32 * 4;
    count_lattice<Order>(args, blockIdx.x, begin, end, [&](const int4& n) { add_counts(lanes, n, factor); });
}

void fill(std::int32_t* values, std::int64_t n, std::int32_t value, cudaStream_t stream) {
    launch(fill_kernel, dim3(blocks_for(n, 256)), dim3(256), 0, stream, values, n, value);
}

}  // namespace

void count_energies(const BondCountArgs& args, std::int32_t* energy, cudaStream_t stream) {
    const unsigned tasks = blocks_for(args.geometry.colour_sites, task_sites);
    if (tasks > 1)
        fill(energy, std::int64_t{args.lattices} * 128, -3 * static_cast<std::int32_t>(args.geometry.sites),
             stream);
    std::uint32_t together = warps;
    while (together > args.lattices) together /= 2;
    const dim3 grid(blocks_for(args.lattices, together), blocks_for(tasks, warps / together));
    launch(energy_kernel, grid, dim3(32 * warps), 0, stream, args, together, energy);
}

void count_energies_of_slab(const BondCountArgs& args, const OwnPlanes& own, SiteOrder order, int unit,
                            std::int32_t* energy, cudaStream_t stream) {
    const std::int64_t red = std::int64_t{own.planes} * args.geometry.plane;
    fill(energy, std::int64_t{args.lattices} * 128,
         bond_energy(0, static_cast<std::int32_t>(6 * red / unit), unit), stream);
    launch(order == SiteOrder::sliced ? slab_energy_kernel<SlicedOrder> : slab_energy_kernel<ExactOrder>,
           task_grid(args.lattices, blocks_for(red, warps * task_sites)), dim3(32 * warps), 0, stream, args,
           own, 2 / unit, energy);
}

}  // namespace psflip
