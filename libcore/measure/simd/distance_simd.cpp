// Counts of distances on the CPU, compiled once per instruction set (see word/word_simd.hpp).

#include <algorithm>
#include <array>
#include <vector>

#include "config/limits.hpp"
#include "measure/distance_kernels.hpp"
#include "measure/replica_pairs_rule.hpp"
#include "measure/slab_lines.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

constexpr int counter_planes = planes_for(3LL * limits::max_L * limits::max_L * limits::max_L);
using DistanceCounter = BufferedCounter<counter_planes>;

constexpr std::int64_t site_words = 2 * slots_per_word;  ///< of a group

bool is_slab(const HeldLattice& held) {
    return held.end - held.begin < held.L && held.depth > 1;
}

/// Returns the number of planes with differences.
int row_planes(const DistanceTask& task) {
    return task.lattice.end - task.lattice.begin + (task.halo ? 1 : 0);
}

/// Returns the axes along which lines lie in the planes of a lattice: all axes, if all planes are in memory.
int axes_in_planes(const DistanceTask& task) {
    return is_slab(task.lattice) ? first_axis_through_slabs(task.lattice.order) : task.dimension;
}

/// Returns the place of a site among the differences: x + L (y + L z), for any order of the sites. In a slab,
/// the place is u + L (v + L w) instead, with w from the first own plane on.
std::int64_t row_place(const HeldLattice& held, int u, int v, int w) {
    const Coordinates at = is_slab(held) ? Coordinates{u, v, w - held.begin} : held.site(u, v, w);
    return at.x + held.L * (at.y + std::int64_t{held.L} * at.z);
}

/// Stores the differences from one other replica.
void difference_by_rows(const DistanceTask& task, const std::uint64_t* other, std::uint64_t* difference) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    for (int w = held.begin; w < held.begin + row_planes(task); ++w)
        for (int v = 0; v < L; ++v)
            for (int u = 0; u < L; ++u) {
                const std::int64_t from = held.index(u, v, w) * site_words;
                std::uint64_t* to = difference + row_place(held, u, v, w) * site_words;
                for (int i = 0; i < site_words; ++i)
                    to[i] = task.a[from + i] ^ (other ? other[from + i] : ~std::uint64_t{0});
            }
}

/// One register of the rows.
struct Rows {
    const std::uint64_t* words;
    Word operator[](std::int64_t site) const { return load(words + site * site_words); }
};

void count_sites(const Rows& d, std::int64_t sites, std::int32_t* out) {
    DistanceCounter counter;
    for (std::int64_t site = 0; site < sites; site += 2) counter.add({d[site], d[site + 1]});
    counter.flush();
    unpack_counter(counter.total, out);
}

/// Counters of all distances, a counter for each bit of the rule.
template <int Fields>
using DistanceCounters = std::vector<std::array<DistanceCounter, ReplicaPairsRule<Fields>::bits>>;

/// Compares N sites from x on with the sites k further; a line has the fields of its sites one after the
/// other.
template <int N, int Fields>
void count_part(const Word* line, int x, int k,
                std::array<DistanceCounter, ReplicaPairsRule<Fields>::bits>& counter) {
    using Rule = ReplicaPairsRule<Fields>;
    Word bits[Rule::bits][N];
    for (int i = 0; i < N; ++i) {
        Word here[Fields], there[Fields], differ[Rule::bits];
        for (int f = 0; f < Fields; ++f) {
            here[f] = line[(x + i) * Fields + f];
            there[f] = line[(x + i + k) * Fields + f];
        }
        Rule::differ(here, there, differ);
        for (int b = 0; b < Rule::bits; ++b) bits[b][i] = differ[b];
    }
    for (int b = 0; b < Rule::bits; ++b) counter[b].add(bits[b]);
}

/// Counts lines along an axis, `step` from one site to the next, for distances from `least` on. Each line is
/// copied, with its first sites again at its end, and then counted for all distances.
template <int Fields>
void count_axis(const Rows (&d)[Fields], int L, std::int64_t lines, std::int64_t step, int least,
                DistanceCounters<Fields>& counters) {
    const int distances = static_cast<int>(counters.size());
    std::vector<Word> copy((L + distances) * Fields);
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t first = line / step * step * L + line % step;
        for (int x = 0; x < L + distances; ++x)
            for (int f = 0; f < Fields; ++f) copy[x * Fields + f] = d[f][first + (x < L ? x : x - L) * step];
        for (int k = least; k <= distances; ++k) {
            int x = 0;
            for (; x + 8 <= L; x += 8) count_part<8, Fields>(copy.data(), x, k, counters[k - 1]);
            for (; x < L; x += 2) count_part<2, Fields>(copy.data(), x, k, counters[k - 1]);
        }
    }
}

/// Returns the step (u, v, w) to the other site of a bond along an axis. In a slab, the bonds of own sites
/// that these steps find end in own planes or in the plane above.
Coordinates bond_step(const HeldLattice& held, int axis) {
    if (!held.sliced()) return {axis == 0, axis == 1, axis == 2};
    return {axis == 0, axis == 2 ? 0 : -1, 1};
}

/// Counts present bonds between neighbours along an axis. The sliced order steps from a site to the neighbour
/// before it along y, which has the word of the absent bond.
void count_bonds(const DistanceTask& task, const Rows& d, int axis, DistanceCounter& counter) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    const Coordinates step = bond_step(held, axis);
    const bool before = held.sliced() && axis == 1;
    for (int w = held.begin; w < held.end; ++w)
        for (int v = 0; v < L; ++v)
            for (int u = 0; u < L; ++u) {
                const int above = w + step.z, u_far = wrapped(u + step.x, L), v_far = wrapped(v + step.y, L),
                          w_far = is_slab(held) ? above : above % held.depth;
                const Word near = d[row_place(held, u, v, w)], far = d[row_place(held, u_far, v_far, w_far)];
                const std::int64_t bond = axis * 2 * held.colour_sites() +
                                          (before ? held.index(u_far, v_far, w_far) : held.index(u, v, w));
                counter.add(
                    {task.absent ? xor_unless(near, far, broadcast128(task.absent + 2 * bond)) : near ^ far});
            }
}

/// Adds the numbers of the counters, weighed by the rule.
template <int Fields>
void unpack_weighed(typename DistanceCounters<Fields>::reference counter, std::int32_t* out) {
    constexpr int numbers = word_slots * 128;
    std::int32_t one[numbers];
    std::uint32_t sum[numbers] = {};
    for (int b = 0; b < ReplicaPairsRule<Fields>::bits; ++b) {
        counter[b].flush();
        unpack_counter(counter[b].total, one);
        for (int i = 0; i < numbers; ++i)
            sum[i] += static_cast<std::uint32_t>(ReplicaPairsRule<Fields>::weight(b)) *
                      static_cast<std::uint32_t>(one[i]);
    }
    for (int i = 0; i < numbers; ++i)
        out[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(out[i]) + sum[i]);
}

template <int Fields>
void unpack_distances(DistanceCounters<Fields>& counters, std::int32_t* out) {
    for (auto counter = counters.begin(); counter != counters.end(); ++counter) {
        out += slots_per_word * 128;
        unpack_weighed<Fields>(*counter, out);
    }
}

template <int Fields>
void rows_of(const std::uint64_t* difference, std::int64_t sites, int reg, Rows (&d)[Fields]) {
    for (int f = 0; f < Fields; ++f) d[f] = {difference + f * sites * site_words + reg * word_slots * 2};
}

template <int Fields>
void count_fields(const DistanceTask& task) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    const std::int64_t plane = std::int64_t{L} * L, sites = plane * (held.end - held.begin),
                       rows = plane * row_planes(task);
    const bool bonds = task.absent || task.halo;
    const int axes = bonds ? task.dimension : axes_in_planes(task);
    for (int f = 0; f < Fields; ++f)
        difference_by_rows(task, task.b[f], task.difference + f * rows * site_words);
    std::fill_n(task.counts, (task.distances + 1) * slots_per_word * 128, 0);
    for (int reg = 0; reg < registers; ++reg) {
        Rows d[Fields];
        rows_of(task.difference, rows, reg, d);
        std::int32_t* out = task.counts + reg * word_slots * 128;
        if (Fields == 1) count_sites(d[0], sites, out);
        DistanceCounters<Fields> counters(task.distances);
        std::int64_t step = 1;
        for (int axis = 0; axis < axes; ++axis, step *= L) {
            if (bonds) count_bonds(task, d[0], axis, counters[0][0]);
            if (!task.halo) count_axis<Fields>(d, L, sites / L, step, bonds ? 2 : 1, counters);
        }
        unpack_distances<Fields>(counters, out);
    }
}

void count_distances(const DistanceTask& task) {
    task.others == 3 ? count_fields<3>(task) : count_fields<1>(task);
}

template <int Fields>
void count_fields_of_lines(const LineTask& task) {
    for (int reg = 0; reg < registers; ++reg) {
        Rows d[Fields];
        rows_of(task.difference, task.L * task.lines, reg, d);
        DistanceCounters<Fields> counters(task.distances);
        count_axis<Fields>(d, task.L, task.lines, task.lines, 1, counters);
        unpack_distances<Fields>(counters, task.counts + reg * word_slots * 128);
    }
}

void count_lines(const LineTask& task) {
    task.others == 3 ? count_fields_of_lines<3>(task) : count_fields_of_lines<1>(task);
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::DistanceKernels psflip::DistanceKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::count_distances, PSFLIP_SIMD_LEVEL::count_lines};
