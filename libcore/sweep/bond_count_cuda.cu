// Numbers of unsatisfied bonds per realization, by bit-sliced counters: spins are never unpacked.
//
// Data flow: a warp takes up to 256 red sites of one lattice, 8 per thread. The six bonds of the red sites
// are all bonds of the lattice, each once. Each thread counts the bonds of its sites in 6 bit planes of 128
// lanes (48 <= 63), the warp adds its counters with shuffles and unpacks them to 128 integers. The 8 warps of
// a block take neighbouring slots, which find the couplings in L1; where there are fewer lattices, several
// take neighbouring sites of one. Larger lattices take several warps, which add their results with atomics
// (integers: the order does not matter).
//
// Per red site: 13 reads of 16 bytes (spins 112 B, couplings 96 B, mostly from L1), 6 + 10 + 14 logic
// operations per 32-bit word; per warp some 45 shuffles and 250 operations per thread more. Together about 15
// operations per site and word, one sweep's worth of time at most.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/bond_count_cuda.cuh"
#include "sweep/lane_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int warps = 8, sites_per_thread = 8, sites_per_task = 32 * sites_per_thread, planes = 6;
static_assert(planes_for(6 * sites_per_thread) <= planes);

template <bool Link>
__device__ __forceinline__ uint4 spin_at(const uint4* a, const uint4* b, unsigned i) {
    uint4 s = a[i];
    if constexpr (Link) {
        const uint4 t = b[i];
        s = {s.x ^ t.x, s.y ^ t.y, s.z ^ t.z, s.w ^ t.w};
    }
    return s;
}

__global__ void fill_kernel(std::int32_t* values, std::int64_t n, std::int32_t value) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) values[i] = value;
}

/// Grid: x = groups of `together` lattices (8, or fewer where a column has fewer), y = groups of 8 / together
/// tasks of one lattice.
template <bool Link>
__global__ void __launch_bounds__(32 * warps)
    bond_count_kernel(const __grid_constant__ BondCountArgs args, const std::uint32_t together, int4* result,
                      const std::int32_t offset, const std::int32_t factor) {
    const std::uint32_t warp = threadIdx.x / 32, lattice = blockIdx.x * together + warp % together,
                        task = blockIdx.y * (warps / together) + warp / together, thread = threadIdx.x % 32;
    if (lattice >= args.lattices || task * sites_per_task >= args.geometry.colour_sites) return;
    const Geometry& g = args.geometry;
    const std::uint32_t column = lattice / args.per_column, j = lattice - column * args.per_column;
    const std::size_t start = (static_cast<std::size_t>(column) * args.stride + j) * g.sites;
    const uint4* const a = args.a + start;
    const uint4* const b = Link ? args.b + start : nullptr;
    const uint4* const couplings =
        Link ? nullptr : args.couplings + static_cast<std::size_t>(column) * 3 * g.sites;

    BitCounter<DeviceWord, planes> counter[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) counter[w].clear();
    const std::uint32_t end = min((task + 1) * sites_per_task, g.colour_sites);
#pragma unroll 1
    for (std::uint32_t i = task * sites_per_task + thread; i < end; i += 32) {
        const Neighbours n = neighbours_of(g, 0, place_of(g, 0, i));
        uint4 bond[6] = {};
        if constexpr (!Link) load_couplings(couplings, g.sites, n, bond);
        const uint4 own = spin_at<Link>(a, b, n.own);
        uint4 near[6];
#pragma unroll
        for (int k = 0; k < 6; ++k) near[k] = spin_at<Link>(a, b, n.site[k]);
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            DeviceWord e[6];
#pragma unroll
            for (int k = 0; k < 6; ++k)
                e[k] = xor3(word_of(own, w), word_of(near[k], w), word_of(bond[k], w));
            counter[w].add(count_unsatisfied(e));
        }
    }
    const uint4 count = warp_lane_counts(counter);
    const int4 value{factor * static_cast<int>(count.x), factor * static_cast<int>(count.y),
                     factor * static_cast<int>(count.z), factor * static_cast<int>(count.w)};
    int4* const target = result + static_cast<std::size_t>(lattice) * 32 + thread;
    if (g.colour_sites <= sites_per_task) {
        *target = {offset + value.x, offset + value.y, offset + value.z, offset + value.w};
    } else {
        atomicAdd(&target->x, value.x);
        atomicAdd(&target->y, value.y);
        atomicAdd(&target->z, value.z);
        atomicAdd(&target->w, value.w);
    }
}

}  // namespace

void count_bonds(const BondCountArgs& args, std::int32_t* result, std::int32_t offset, std::int32_t factor,
                 cudaStream_t stream) {
    const unsigned tasks = blocks_for(args.geometry.colour_sites, sites_per_task);
    if (tasks > 1) {
        const std::int64_t n = std::int64_t{args.lattices} * 128;
        launch(fill_kernel, dim3(blocks_for(n, 256)), dim3(256), 0, stream, result, n, offset);
    }
    std::uint32_t together = warps;
    while (together > args.lattices) together /= 2;
    const dim3 grid(blocks_for(args.lattices, together), blocks_for(tasks, warps / together));
    launch(args.couplings ? bond_count_kernel<false> : bond_count_kernel<true>, grid, dim3(32 * warps), 0,
           stream, args, together, reinterpret_cast<int4*>(result), offset, factor);
}

}  // namespace psflip
