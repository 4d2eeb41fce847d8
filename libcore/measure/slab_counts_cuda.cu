// Bit-sliced counts of overlaps and links, or of spins that are down, of the own sites of slabs; see
// overlap_kernels_cuda.cu. The sums over the ranks are the counts of whole lattices.
//
// A warp takes 256 red sites of the links, or 512 sites of a plane: 16 for each thread, four at a time by
// full adders into 5 bit planes. It adds its counters to the counts in device memory. The sites of a plane
// are ordered along its intersections with the planes of the slab.

#include <type_traits>

#include "base/cuda_check.cuh"
#include "lattice/site_orders_cuda.cuh"
#include "measure/overlap_kernels_cuda.cuh"
#include "measure/plane_sites.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int count_warps = 8, sites_of_thread = 16, sites_of_warp = 32 * sites_of_thread;
constexpr std::uint32_t red_sites_of_warp = 256;
static_assert(red_sites_of_warp <= 32 * max_bond_sites(4));

/// The tasks of the warps for one lattice: first the links, then `chunks` for each plane of all families.
struct SlabDivision {
    OwnPlanes own;
    std::uint32_t families, link_tasks, chunks;

    __host__ __device__ std::uint32_t tasks(std::uint32_t L) const {
        return link_tasks + families * L * chunks;
    }
};

/// The own sites of a plane of a family: number i has place position(i), 0 <= i < count. Planes across z are
/// planes of the standard order; all others intersect every plane of an order in a line.
template <bool Sliced>
struct OwnSites {
    const Geometry& g;
    const OwnPlanes& own;
    int family, plane;

    /// Returns the held plane, first to first + L - 1, that is plane z of the lattice.
    __device__ __forceinline__ unsigned held(unsigned z) const {
        return own.first + (z + 2 * g.L - own.lowest - own.first) % g.L;
    }
    __device__ __forceinline__ std::uint32_t count() const {
        if (Sliced || family != 2) return g.L * own.planes;
        const unsigned w = held(static_cast<unsigned>(plane));
        return w < own.first + own.planes ? g.L * g.L : 0;
    }
    __device__ __forceinline__ std::uint32_t position(std::uint32_t i) const {
        const unsigned line = i / g.L, t = i - line * g.L;
        if (!Sliced && family == 2) return place(t, line, held(static_cast<unsigned>(plane)));
        const unsigned w = own.first + line, from_zero = w + own.lowest;
        const int number = static_cast<int>(from_zero >= g.L ? from_zero - g.L : from_zero);
        const PlaneLine at =
            Sliced ? sliced_line(family, plane, number) : standard_line(family, plane, number);
        return place(inside(at.u + at.du * static_cast<int>(t)), inside(at.v + at.dv * static_cast<int>(t)),
                     w);
    }

  private:
    __device__ __forceinline__ unsigned inside(int a) const {
        const int L = static_cast<int>(g.L), rest = a % L;
        return static_cast<unsigned>(rest < 0 ? rest + L : rest);
    }
    __device__ __forceinline__ unsigned place(unsigned x, unsigned y, unsigned w) const {
        if (Sliced) return w % 2 * g.colour_sites + w / 2 * (g.L * g.L) + y * g.L + x;
        return (x + y + w) % 2 * g.colour_sites + w * g.plane + y * g.half + x / 2;
    }
};

/// Counts part `chunk` of the sites. Called by a warp.
template <class Sites, class Spin>
__device__ __forceinline__ void count_part(const Sites& sites, std::uint32_t chunk, const Spin& spin,
                                           std::int32_t* lanes) {
    const std::uint32_t begin = chunk * sites_of_warp, end = min(begin + sites_of_warp, sites.count());
    if (begin >= end) return;
    BitCounter<DeviceWord, planes_for(sites_of_thread)> counter[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) counter[w].clear();
#pragma unroll 1
    for (std::uint32_t i = begin + threadIdx.x % 32; i < begin + sites_of_warp; i += 4 * 32) {
        uint4 four[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            four[k] = {};
            if (i + k * 32 < end) four[k] = spin(sites.position(i + k * 32));
        }
#pragma unroll
        for (int w = 0; w < 4; ++w)
            counter[w].add(
                {word_of(four[0], w), word_of(four[1], w), word_of(four[2], w), word_of(four[3], w)});
    }
    add_counts(lanes, warp_lane_counts(counter));
}

/// Counts bonds of red sites that differ between the two lattices of `spin`; absent bonds do not count.
template <class Order, class Spin>
__device__ __forceinline__ void count_links(const OverlapArgs& args, const SlabDivision& division,
                                            std::uint32_t task, std::uint32_t column, const uint4* absent,
                                            const Spin& spin, std::int32_t* lanes) {
    const Geometry& g = args.geometry;
    const std::uint32_t begin = division.own.begin(g) + task * red_sites_of_warp,
                        end = min(begin + red_sites_of_warp, division.own.end(g));
    const auto load = [&](std::uint32_t i, SiteWords(&words)[1], uint4(&bond)[6]) {
        const Neighbours at = Order::neighbours(g, 0, Order::place(g, 0, i));
        words[0].own = spin(at.own);
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            bond[d] = {};
            words[0].near[d] = spin(at.site[d]);
            if (absent == nullptr) continue;
            const unsigned from = d < 3 ? at.own : at.site[d];
            words[0].near[d] = choose(absent[(std::size_t{column} * 3 + d % 3) * g.sites + from],
                                      words[0].near[d], words[0].own);
        }
    };
    count_bonds<uint4, 1>(begin, end, load, [&](int, const int4& n) { add_counts(lanes, n); });
}

/// Grid: x = groups of the tasks of a lattice, one for each warp of a block, y = (column, slot). Other:
/// compares with another replica, else with spins all up.
template <bool Other, bool Sliced>
__global__ void __launch_bounds__(32 * count_warps)
    slab_count_kernel(const __grid_constant__ OverlapArgs args, const __grid_constant__ SlabDivision division,
                      const uint4* __restrict__ absent) {
    const Geometry& g = args.geometry;
    const std::uint32_t task = blockIdx.x * count_warps + threadIdx.x / 32;
    if (task >= division.tasks(g.L)) return;
    const std::uint32_t lattice = blockIdx.y, column = lattice / args.temperatures,
                        slot = lattice - column * args.temperatures;
    const std::size_t start = (std::size_t{column} * args.stride + slot) * g.sites;
    const auto spin = [&](unsigned i) -> uint4 {
        const uint4 s = args.a[start + i];
        if constexpr (!Other) return {~s.x, ~s.y, ~s.z, ~s.w};
        const uint4 t = args.b[start + i];
        return {s.x ^ t.x, s.y ^ t.y, s.z ^ t.z, s.w ^ t.w};
    };
    const std::uint32_t lane = threadIdx.x % 32 * 4;
    if (task < division.link_tasks)
        return count_links<std::conditional_t<Sliced, SlicedOrder, ExactOrder>>(
            args, division, task, column, absent, spin,
            args.counts.links + std::size_t{lattice} * 128 + lane);
    const std::uint32_t row = (task - division.link_tasks) / division.chunks,
                        chunk = task - division.link_tasks - row * division.chunks;
    const int family = static_cast<int>(row / g.L);
    std::int32_t* const planes = static_cast<std::int32_t*>(args.counts.planes) +
                                 (std::size_t{lattice} * division.families * g.L + row) * 128;
    count_part(
        OwnSites<Sliced>{g, division.own, family, static_cast<int>(row) - family * static_cast<int>(g.L)},
        chunk, spin, planes + lane);
}

}  // namespace

void count_overlaps_of_slab(const OverlapArgs& args, const OwnPlanes& own, SiteOrder order,
                            const uint4* absent, cudaStream_t stream) {
    const Geometry& g = args.geometry;
    const bool is_sliced = order == SiteOrder::sliced, is_pair = args.b != nullptr;
    const SlabDivision division{
        .own = own,
        .families = static_cast<std::uint32_t>(plane_families(3, args.counts.diagonals)),
        .link_tasks = is_pair ? blocks_for(own.planes * g.plane, red_sites_of_warp) : 0,
        .chunks = blocks_for(g.L * g.L, sites_of_warp)};
    const auto kernel = is_pair
                            ? (is_sliced ? slab_count_kernel<true, true> : slab_count_kernel<true, false>)
                            : (is_sliced ? slab_count_kernel<false, true> : slab_count_kernel<false, false>);
    const dim3 grid(blocks_for(division.tasks(g.L), count_warps), args.columns * args.temperatures);
    launch(kernel, grid, dim3(32 * count_warps), 0, stream, args, division, absent);
}

}  // namespace psflip
