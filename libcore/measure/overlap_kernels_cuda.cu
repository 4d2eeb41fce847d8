// Counts of overlaps and links of a pair of replicas, bit-sliced, and what a measurement adds: two launches.
//
// count_kernel: a warp takes part of the links (count_bonds) or neighbouring planes of one lattice. 8, 16 or
// 32 threads share a plane, 16 sites each in 5 bit planes, four at a time by full adders: 14 reads of 16
// bytes per red site for links, 2 per site and axis for planes, from L1 after the first. The fewer threads
// share a plane, the fewer shuffles and numbers to unpack, some 60 operations per thread and four lanes; more
// are taken where warps are few.
//
// sum_kernel: one thread per (slot, lane), of the pair and of each replica; everything per lane lies 128
// lanes side by side. Order of the floating-point operations: measure/moments.hpp.
//
// Operations and bytes of both, and what came of them: README.md.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/moments.hpp"
#include "measure/overlap_kernels_cuda.cuh"
#include "sweep/cuda/bond_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int most_warps = 8, sites_per_thread = 16, planes_of_bits = 5, most_link_sites = 256;
static_assert(most_link_sites <= 32 * most_bond_sites(4));
static_assert(planes_for(sites_per_thread) <= planes_of_bits);
/// Fewer leave a GPU idle: then the tasks of the warps are made smaller.
constexpr std::int64_t enough_warps = 1800;

/// How the warps of count_kernel share the work on one lattice.
struct Division {
    std::uint32_t link_tasks, link_sites;  ///< red sites of a task
    std::uint32_t group;                   ///< threads that share a plane: 8, 16 or 32
    std::uint32_t plane_warps;             ///< for all planes of the three axes
    std::uint32_t chunks;                  ///< parts of a plane

    __host__ __device__ std::uint32_t tasks() const { return link_tasks + plane_warps * chunks; }
};

/// The L^2 sites of plane x across an axis: first the red, then the black ones. Site r of a colour has the
/// position start + step r + jump p in that colour, with p = r / (L / 2). Across x, p is z and y takes every
/// other value: every odd one where colour + x + z is odd, half a row of the lattice further.
struct PlaneSites {
    unsigned x, start, step, jump, half_row;

    __device__ __forceinline__ static PlaneSites of(const Geometry& g, unsigned row) {
        const unsigned axis = quotient(row, g.L_reciprocal), x = row - axis * g.L;
        if (axis == 0) return {x, x / 2, g.L, 0, g.half};
        if (axis == 1) return {x, g.half * x, 1, g.half * (g.L - 1), 0};
        return {x, g.plane * x, 1, 0, 0};
    }
    /// Checkerboard position of site i.
    __device__ __forceinline__ unsigned position(const Geometry& g, unsigned i) const {
        const unsigned black = i >= g.plane, r = i - black * g.plane, p = quotient(r, g.half_reciprocal);
        return black * g.colour_sites + start + step * r + jump * p + half_row * ((black + x + p) & 1);
    }
};

/// Counts of one thread: a part of the sites of one plane, four at a time.
template <int Group, class Spin>
__device__ __forceinline__ void count_plane(const Geometry& g, std::uint32_t row, std::uint32_t chunk,
                                            std::uint32_t member, const Spin& spin,
                                            BitCounter<DeviceWord, planes_of_bits> (&counter)[4]) {
    constexpr std::uint32_t most = sites_per_thread * Group;
    const PlaneSites sites = PlaneSites::of(g, row);
    const std::uint32_t begin = chunk * most, end = min(begin + most, g.L * g.L);
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

/// A warp takes 32 / Group neighbouring planes of the 3 L: thread t is of the group of plane t % (32 /
/// Group), so that the threads among which the words of a counter are split are of one group.
template <int Group, class Count, class Spin>
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
    if (row < 3 * g.L) count_plane<Group>(g, row, chunk, thread / together, spin, counter);
    DeviceWord word[bits];
    split_words(counter, word);
    add_across<P + 2>(word, 4);
    if constexpr (Group > 8) add_across<P + 3>(word, 2);
    if constexpr (Group > 16) add_across<P + 4>(word, 1);
    if (row >= 3 * g.L) return;
#pragma unroll
    for (std::uint32_t i = 0; i < together; ++i) {
        const std::uint32_t k = thread % 8 / together + i * (Group / 4);
        put_counts(planes + row * 128 + thread / 8 * 32 + 4 * k, four_lanes(word, k));
    }
}

/// Grid: x = (column, slot), y = groups of the tasks of a lattice, one for each warp of a block: first the
/// links, then the planes, neighbouring ones together.
template <int Group, class Count>
__global__ void __launch_bounds__(32 * most_warps)
    count_kernel(const __grid_constant__ OverlapArgs args, const __grid_constant__ Division division) {
    const Geometry& g = args.geometry;
    const std::uint32_t task = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32;
    if (task >= division.tasks()) return;
    const std::uint32_t column = blockIdx.x / args.temperatures,
                        slot = blockIdx.x - column * args.temperatures;
    const std::size_t start = (static_cast<std::size_t>(column) * args.stride + slot) * g.sites;
    const uint4* const a = args.a + start;
    const uint4* const b = args.b + start;
    const auto spin = [a, b](unsigned i) -> uint4 {
        const uint4 s = a[i], t = b[i];
        return {s.x ^ t.x, s.y ^ t.y, s.z ^ t.z, s.w ^ t.w};
    };
    if (task >= division.link_tasks) {
        Count* const planes =
            static_cast<Count*>(args.counts.planes) + std::size_t{blockIdx.x} * 3 * g.L * 128;
        count_planes<Group>(g, division, task - division.link_tasks, spin, planes);
        return;
    }
    const auto load = [&](std::uint32_t i, SiteWords(&words)[1], uint4(&bond)[6]) {
        const Neighbours at = neighbours_of(g, 0, place_of(g, 0, i));
        words[0].own = spin(at.own);
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            words[0].near[d] = spin(at.site[d]);
            bond[d] = {};
        }
    };
    const std::uint32_t begin = task * division.link_sites,
                        end = min(begin + division.link_sites, g.colour_sites);
    std::int32_t* const lanes = args.counts.links + std::size_t{blockIdx.x} * 128 + threadIdx.x % 32 * 4;
    count_bonds<uint4, 1>(begin, end, load, [&](int, const int4& n) { add_counts(lanes, n); });
}

/// One thread for each (slot, lane).
template <class Count>
__device__ __forceinline__ void add_moments(const SumArgs& a, std::uint32_t slot, std::int64_t lane) {
    constexpr int n_integers = 3, n_reals = 5;
    constexpr int first_integer = int(Sum::overlap), first_real = int(Sum::overlap2);
    const DeviceSums& sums = a.sums;
    const std::int64_t at =
        ((std::int64_t{sums.bin} * a.pairs + a.pair) * sums.temperatures + slot) * sums.lanes + lane;
    // Sums come from device memory and are read first, counts from L2.
    std::int64_t integers[n_integers];
    double reals[n_reals];
#pragma unroll
    for (int i = 0; i < n_integers; ++i) integers[i] = sums.integers[first_integer + i][at];
#pragma unroll
    for (int i = 0; i < n_reals; ++i) reals[i] = sums.reals[first_real + i][at];

    const std::size_t lattice = std::size_t{blockIdx.x} * sums.temperatures + slot;
    Count* const planes = static_cast<Count*>(a.counts.planes) + lattice * 3 * a.L * 128 + threadIdx.x;
    std::int32_t* const links = a.counts.links + lattice * 128 + threadIdx.x;
    const int plane_sites = a.L * a.L;
    const std::int64_t sites = std::int64_t{plane_sites} * a.L, link = 3 * sites - 2 * std::int64_t{*links};
    const OverlapMoments m = overlap_moments(
        a.L, a.table, [&](int axis, int x) { return plane_sites - 2 * int{planes[(axis * a.L + x) * 128]}; });
    *links = 0;
    if constexpr (sizeof(Count) == 4)
        for (int row = 0; row < 3 * a.L; ++row) planes[row * 128] = 0;

    const std::int64_t new_integers[] = {m.overlap, m.overlap < 0 ? -m.overlap : m.overlap, link};
    const double new_reals[] = {m.overlap2, m.overlap4, m.kmin[0], m.kmin[1], m.kmin[2]};
#pragma unroll
    for (int i = 0; i < n_integers; ++i) sums.integers[first_integer + i][at] = integers[i] + new_integers[i];
#pragma unroll
    for (int i = 0; i < n_reals; ++i) sums.reals[first_real + i][at] = reals[i] + new_reals[i];
    const auto count = [&](std::uint32_t* histogram, std::int64_t value, std::int64_t most) {
        const int bin = histogram_bin(value, most, sums.histogram_bins);
        ++histogram[(std::int64_t{slot} * sums.histogram_bins + bin) * sums.lanes + lane];
    };
    count(sums.histogram, m.overlap, sites);
    if (sums.link_histogram == nullptr) return;
    count(sums.link_histogram, link, 3 * sites);
    const auto value = static_cast<double>(link);
    sums.reals[int(Sum::link2)][at] += value * value;
    sums.reals[int(Sum::overlap2_link)][at] += m.overlap2 * value;
}

/// One thread for each lane of a replica: the lowest energy at the coldest temperature, and how often.
__device__ __forceinline__ void note_lowest(const DeviceSums& sums, std::int64_t at, std::int64_t E) {
    const std::int64_t lowest = sums.lowest_energy[at];
    if (E > lowest) return;
    sums.lowest_count[at] = E < lowest ? 1 : sums.lowest_count[at] + 1;
    sums.lowest_energy[at] = E;
}

/// One thread for each (slot, lane) of a replica.
__device__ __forceinline__ void add_energy(const SumArgs& a, std::uint32_t replica, std::uint32_t slot,
                                           std::int64_t lane) {
    const DeviceSums& sums = a.sums;
    const std::int64_t column = a.first_column + blockIdx.x;
    const std::int64_t from =
        ((column * a.replicas + replica) * sums.temperatures + slot) * 128 + threadIdx.x;
    const std::int64_t E = a.energy[from];
    const std::uint8_t walker = a.walker[from];
    const std::int64_t first = (std::int64_t{sums.bin} * a.replicas + replica) * sums.temperatures,
                       at = (first + slot) * sums.lanes + lane, to = (first + walker) * sums.lanes + lane;
    const std::int64_t energy = sums.integers[int(Sum::energy)][at],
                       slots = sums.integers[int(Sum::walker_slot)][to];
    const double energy2 = sums.reals[int(Sum::energy2)][at];
    sums.integers[int(Sum::energy)][at] = energy + E;
    sums.integers[int(Sum::walker_slot)][to] = slots + slot;
    sums.reals[int(Sum::energy2)][at] = energy2 + static_cast<double>(E) * static_cast<double>(E);
    if (slot == 0 && sums.lowest_energy != nullptr)
        note_lowest(sums, (std::int64_t{sums.bin} * a.replicas + replica) * sums.lanes + lane, E);
}

/// Grid: x = column, y = slot, z = the pair, where there is one, then the replicas; a block is the 128 lanes.
/// Only one thread adds to a sum.
template <class Count>
__global__ void __launch_bounds__(128) sum_kernel(const __grid_constant__ SumArgs a) {
    const std::int64_t lane = (a.first_column + blockIdx.x) * 128 + threadIdx.x;
    if (a.pairs > 0 && blockIdx.z == 0)
        add_moments<Count>(a, blockIdx.y, lane);
    else
        add_energy(a, blockIdx.z - (a.pairs > 0 ? 1 : 0), blockIdx.y, lane);
}

/// The largest tasks that give the GPU enough warps; links in a few parts for that, as they are
/// all added to the same numbers.
Division division_for(const Geometry& g, std::int64_t lattices) {
    Division d{};
    for (int sites = most_link_sites;; sites /= 2) {
        d.link_sites = sites;
        d.link_tasks = blocks_for(g.colour_sites, sites);
        if (d.link_tasks >= 4 || sites == 32 || lattices * d.link_tasks >= enough_warps) break;
    }
    for (int group = 8;; group *= 2) {
        d.group = group;
        d.plane_warps = blocks_for(3 * g.L, 32 / group);
        d.chunks = blocks_for(g.L * g.L, sites_per_thread * group);
        if (group == 32 || (d.chunks == 1 && lattices * d.plane_warps >= enough_warps)) return d;
    }
}

template <int Group>
void launch_count(const OverlapArgs& args, const Division& division, dim3 grid, dim3 block,
                  cudaStream_t stream) {
    if (OverlapCounts::whole_planes(static_cast<int>(args.geometry.L)))
        launch(count_kernel<Group, std::uint16_t>, grid, block, 0, stream, args, division);
    else if constexpr (Group == 32)
        launch(count_kernel<Group, std::int32_t>, grid, block, 0, stream, args, division);
}

}  // namespace

void count_overlaps(const OverlapArgs& args, cudaStream_t stream) {
    const std::uint32_t lattices = args.columns * args.temperatures;
    const Division division = division_for(args.geometry, lattices);
    const std::uint32_t warps = std::min<std::uint32_t>(division.tasks(), most_warps);
    const dim3 grid(lattices, blocks_for(division.tasks(), static_cast<int>(warps))), block(32 * warps);
    switch (division.group) {
        case 8:
            return launch_count<8>(args, division, grid, block, stream);
        case 16:
            return launch_count<16>(args, division, grid, block, stream);
        default:
            return launch_count<32>(args, division, grid, block, stream);
    }
}

void add_sums(const SumArgs& args, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(args.columns), args.sums.temperatures,
                    (args.pairs > 0 ? 1 : 0) + args.replicas);
    launch(OverlapCounts::whole_planes(args.L) ? sum_kernel<std::uint16_t> : sum_kernel<std::int32_t>, grid,
           dim3(128), 0, stream, args);
}

}  // namespace psflip
