// Bit-sliced counts of overlaps and links of a pair of replicas, or of a replica and a lattice whose spins
// are all up.
//
// count_kernel: a warp takes part of the links (count_bonds) or neighbouring planes of one lattice. 8, 16 or
// 32 threads share a plane, 16 sites each in 5 bit planes, four at a time by full adders: 14 reads of 16
// bytes per red site for links, 2 per site and axis for planes, from L1 after the first. If fewer threads
// share a plane, there are fewer shuffles and numbers to unpack, some 60 operations per thread and four
// lanes. More threads share a plane if there are few warps.
//
// docs/notes/measure.md has operations, bytes and measurements.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/overlap_kernels_cuda.cuh"
#include "sweep/cuda/bond_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int max_warps = 8, sites_per_thread = 16, planes_of_bits = 5, max_link_sites = 256;
static_assert(max_link_sites <= 32 * max_bond_sites(4));
static_assert(planes_for(sites_per_thread) <= planes_of_bits);
/// Fewer warps leave a GPU idle; then each warp gets a smaller task.
constexpr std::int64_t enough_warps = 1800;

/// The tasks of the warps of count_kernel for one lattice.
struct Division {
    std::uint32_t link_tasks, link_sites;  ///< red sites of a task
    std::uint32_t group;                   ///< threads that share a plane: 8, 16 or 32
    std::uint32_t plane_warps;             ///< for all planes of the three axes
    std::uint32_t chunks;                  ///< parts of a plane

    __host__ __device__ std::uint32_t tasks() const { return link_tasks + plane_warps * chunks; }
};

/// The kind of lattices that are compared. In two dimensions planes are columns (across x) and rows (across
/// y) of sites. Other: with another replica, else with spins all up. Masked: some bonds may be absent.
/// Diagonals: also counts planes of diagonals (measure/replicon.hpp), after the planes of the axes.
template <int Dimension_, bool Other_, bool Masked_, bool Diagonals_ = false>
struct Compared {
    static constexpr int dimension = Dimension_;
    static constexpr bool other = Other_, masked = Masked_, diagonals = Diagonals_;
    static constexpr int families = plane_families(dimension, diagonals);
    static_assert(other || !masked);

    /// Return the sites of a plane of one colour, and all sites of a plane.
    __host__ __device__ __forceinline__ static unsigned colour_sites(const Geometry& g) {
        return dimension == 3 ? g.plane : g.half;
    }
    __host__ __device__ __forceinline__ static unsigned plane_sites(const Geometry& g) {
        return dimension == 3 ? g.L * g.L : g.L;
    }
};

/// The sites of plane x across an axis, first red, then black. Site r of a colour has the position start +
/// step r + jump p in that colour, with p = r / (L / 2); in two dimensions p = 0. Across x, p is z, and y
/// takes every other value: the odd values, half a row further, if colour + x + z is odd.
template <class Lattices>
struct PlaneSites {
    unsigned x, start, step, jump, half_row;

    __device__ __forceinline__ static PlaneSites of(const Geometry& g, unsigned row) {
        const unsigned axis = quotient(row, g.L_reciprocal), x = row - axis * g.L;
        if (axis == 0) return {x, x / 2, g.L, 0, g.half};
        if (axis == 1) return {x, g.half * x, 1, g.half * (g.L - 1), 0};
        return {x, g.plane * x, 1, 0, 0};
    }
    /// Returns the checkerboard position of site i.
    __device__ __forceinline__ unsigned position(const Geometry& g, unsigned i) const {
        const unsigned colour_sites = Lattices::colour_sites(g), black = i >= colour_sites,
                       r = i - black * colour_sites,
                       p = Lattices::dimension == 3 ? quotient(r, g.half_reciprocal) : 0;
        return black * g.colour_sites + start + step * r + jump * p + half_row * ((black + x + p) & 1);
    }
};

/// The sites of plane `plane` of a diagonal, row by row.
struct DiagonalSites {
    unsigned diagonal, plane;

    __device__ __forceinline__ unsigned position(const Geometry& g, unsigned i) const {
        const unsigned v = quotient(i, g.L_reciprocal), u = i - v * g.L;
        const Coordinates at =
            diagonal_site(static_cast<int>(g.L), static_cast<int>(diagonal), static_cast<int>(plane),
                          static_cast<int>(u), static_cast<int>(v));
        const unsigned x = at.x, y = at.y, z = at.z;
        return (x + y + z) % 2 * g.colour_sites + z * g.plane + y * g.half + x / 2;
    }
};

/// The sites of a plane of a diagonal in one row u, for planes in which each thread has one row. Two sites
/// further in the row, the position is `step` further.
struct DiagonalRow {
    unsigned even, odd, step;

    __device__ __forceinline__ DiagonalRow(const Geometry& g, const DiagonalSites& sites, unsigned u)
        : even(sites.position(g, u)),
          odd(sites.position(g, g.L + u)),
          step(sites.position(g, 2 * g.L + u) - even) {}
    __device__ __forceinline__ unsigned position(const Geometry& g, unsigned i) const {
        const unsigned v = quotient(i, g.L_reciprocal);
        return (v % 2 == 0 ? even : odd) + v / 2 * step;
    }
};

/// Counts a thread's part of the sites of one plane, four at a time.
template <class Lattices, int Group, class Sites, class Spin>
__device__ __forceinline__ void count_plane(const Geometry& g, const Sites& sites, std::uint32_t chunk,
                                            std::uint32_t member, const Spin& spin,
                                            BitCounter<DeviceWord, planes_of_bits> (&counter)[4]) {
    constexpr std::uint32_t most = sites_per_thread * Group;
    const std::uint32_t begin = chunk * most, end = min(begin + most, Lattices::plane_sites(g));
#pragma unroll 1
    for (std::uint32_t i = begin + member; i < end; i += 4 * Group) {
        uint4 four[4];
        std::uint32_t counted[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const bool there = i + k * Group < end;
            counted[k] = there ? ~0u : 0u;
            four[k] = spin(sites.position(g, there ? i + k * Group : i));
        }
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            const auto word = [&](int k) { return DeviceWord{word_of(four[k], w).bits & counted[k]}; };
            counter[w].add({word(0), word(1), word(2), word(3)});
        }
    }
}

__device__ __forceinline__ void put_counts(std::uint16_t* lanes, const int4& n) {
    const auto two = [](int a, int b) { return static_cast<unsigned>(a | b << 16); };
    *reinterpret_cast<uint2*>(lanes) = {two(n.x, n.y), two(n.z, n.w)};
}
__device__ __forceinline__ void put_counts(std::int32_t* lanes, const int4& n) {
    add_counts(lanes, n);
}

/// Counts 32 / Group neighbouring planes with a warp. Thread t belongs to plane t % (32 / Group), so that the
/// threads that split the words of a counter belong to one plane.
template <class Lattices, int Group, class Count, class Spin>
__device__ __forceinline__ void count_planes(const Geometry& g, const Division& d, std::uint32_t task,
                                             const Spin& spin, Count* planes) {
    constexpr std::uint32_t together = 32 / Group;
    constexpr int P = planes_of_bits, bits = planes_for(sites_per_thread * Group);
    static_assert(bits == P + planes_for(Group) - 1);
    const std::uint32_t thread = threadIdx.x % 32, chunk = task / d.plane_warps,
                        row = (task - chunk * d.plane_warps) * together + thread % together;
    BitCounter<DeviceWord, P> counter[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) counter[w].clear();
    if (row < Lattices::dimension * g.L) {
        count_plane<Lattices, Group>(g, PlaneSites<Lattices>::of(g, row), chunk, thread / together, spin,
                                     counter);
    } else if constexpr (Lattices::diagonals) {
        const std::uint32_t family = quotient(row, g.L_reciprocal);
        const DiagonalSites sites{family - Lattices::dimension, row - family * g.L};
        const std::uint32_t member = thread / together;
        const bool rows = Lattices::dimension == 3 && Group % g.L == 0;
        if (row < Lattices::families * g.L && rows)
            count_plane<Lattices, Group>(g, DiagonalRow(g, sites, member % g.L), chunk, member, spin,
                                         counter);
        else if (row < Lattices::families * g.L)
            count_plane<Lattices, Group>(g, sites, chunk, member, spin, counter);
    }
    DeviceWord word[bits];
    split_words(counter, word);
    add_across<P + 2>(word, 4);
    if constexpr (Group > 8) add_across<P + 3>(word, 2);
    if constexpr (Group > 16) add_across<P + 4>(word, 1);
    if (row >= Lattices::families * g.L) return;
#pragma unroll
    for (std::uint32_t i = 0; i < together; ++i) {
        const std::uint32_t k = thread % 8 / together + i * (Group / 4);
        put_counts(planes + row * 128 + thread / 8 * 32 + 4 * k, four_lanes(word, k));
    }
}

/// Grid: x = (column, slot), y = groups of the tasks of a lattice, one for each warp of a block: first the
/// links, then the planes, neighbouring ones together.
template <class Lattices, int Group, class Count>
__global__ void __launch_bounds__(32 * max_warps)
    count_kernel(const __grid_constant__ OverlapArgs args, const __grid_constant__ Division division,
                 const uint4* __restrict__ absent) {
    const Geometry& g = args.geometry;
    const std::uint32_t task = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32;
    if (task >= division.tasks()) return;
    const std::uint32_t column = blockIdx.x / args.temperatures,
                        slot = blockIdx.x - column * args.temperatures;
    const std::size_t start = (static_cast<std::size_t>(column) * args.stride + slot) * g.sites;
    const uint4* const a = args.a + start;
    const uint4* const b = args.b + start;
    const auto spin = [a, b](unsigned i) -> uint4 {
        const uint4 s = a[i];
        if constexpr (!Lattices::other) return {~s.x, ~s.y, ~s.z, ~s.w};
        const uint4 t = b[i];
        return {s.x ^ t.x, s.y ^ t.y, s.z ^ t.z, s.w ^ t.w};
    };
    if (task >= division.link_tasks) {
        Count* const planes = static_cast<Count*>(args.counts.planes) +
                              std::size_t{blockIdx.x} * Lattices::families * g.L * 128;
        count_planes<Lattices, Group>(g, division, task - division.link_tasks, spin, planes);
        return;
    }
    const auto load = [&](std::uint32_t i, SiteWords(&words)[1], uint4(&bond)[6]) {
        const Neighbours at = neighbours_of(g, 0, place_of(g, 0, i));
        words[0].own = spin(at.own);
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            bond[d] = {};
            if constexpr (Lattices::dimension == 2)
                if (d % 3 == 2) {
                    words[0].near[d] = words[0].own;
                    continue;
                }
            words[0].near[d] = spin(at.site[d]);
            if constexpr (Lattices::masked)
                if (absent != nullptr) {
                    const unsigned from = d < 3 ? at.own : at.site[d],
                                   bond_place = (column * Lattices::dimension + d % 3) * g.sites + from;
                    words[0].near[d] = choose(absent[bond_place], words[0].near[d], words[0].own);
                }
        }
    };
    const std::uint32_t begin = task * division.link_sites,
                        end = min(begin + division.link_sites, g.colour_sites);
    std::int32_t* const lanes = args.counts.links + std::size_t{blockIdx.x} * 128 + threadIdx.x % 32 * 4;
    count_bonds<uint4, 1>(begin, end, load, [&](int, const int4& n) { add_counts(lanes, n); });
}

/// Returns the largest tasks that give the GPU enough warps. Links have few tasks, because all add to the
/// same counts.
template <class Lattices>
Division division_for(const Geometry& g, std::int64_t lattices) {
    Division d{};
    for (int sites = max_link_sites;; sites /= 2) {
        d.link_sites = sites;
        d.link_tasks = blocks_for(g.colour_sites, sites);
        if (d.link_tasks >= 4 || sites == 32 || lattices * d.link_tasks >= enough_warps) break;
    }
    if (!Lattices::other) d.link_tasks = 0;
    for (int group = 8;; group *= 2) {
        d.group = group;
        d.plane_warps = blocks_for(Lattices::families * g.L, 32 / group);
        d.chunks = blocks_for(Lattices::plane_sites(g), sites_per_thread * group);
        if (group == 32 || (d.chunks == 1 && lattices * d.plane_warps >= enough_warps)) return d;
    }
}

template <class Lattices, int Group>
void launch_count(const OverlapArgs& args, const Division& division, const uint4* absent,
                  cudaStream_t stream) {
    const std::uint32_t warps = std::min<std::uint32_t>(division.tasks(), max_warps);
    const dim3 grid(args.columns * args.temperatures, blocks_for(division.tasks(), static_cast<int>(warps))),
        block(32 * warps);
    if (args.counts.whole_planes(static_cast<int>(args.geometry.L), Lattices::dimension))
        launch(count_kernel<Lattices, Group, std::uint16_t>, grid, block, 0, stream, args, division, absent);
    else if constexpr (Group == 32)
        launch(count_kernel<Lattices, Group, std::int32_t>, grid, block, 0, stream, args, division, absent);
}

template <class Lattices>
void count(const OverlapArgs& args, const uint4* absent, cudaStream_t stream) {
    const Division division = division_for<Lattices>(args.geometry, args.columns * args.temperatures);
    switch (division.group) {
        case 8:
            return launch_count<Lattices, 8>(args, division, absent, stream);
        case 16:
            return launch_count<Lattices, 16>(args, division, absent, stream);
        default:
            return launch_count<Lattices, 32>(args, division, absent, stream);
    }
}

}  // namespace

void count_overlaps(const OverlapArgs& args, const uint4* absent, cudaStream_t stream) {
    const bool planar = args.geometry.depth == 1;
    if (args.b == nullptr) {
        if (planar) return count<Compared<2, false, false>>(args, nullptr, stream);
        return count<Compared<3, false, false>>(args, nullptr, stream);
    }
    if (args.counts.diagonals) {
        if (planar) return count<Compared<2, true, true, true>>(args, absent, stream);
        return count<Compared<3, true, true, true>>(args, absent, stream);
    }
    if (planar) return count<Compared<2, true, true>>(args, absent, stream);
    if (absent != nullptr) return count<Compared<3, true, true>>(args, absent, stream);
    count<Compared<3, true, false>>(args, absent, stream);
}

}  // namespace psflip
