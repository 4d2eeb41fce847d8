// Counts of distances on the CPU: compiled once per instruction set (see word/word_simd.hpp).

#include "config/limits.hpp"
#include "measure/distance_kernels.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

constexpr int counter_planes = planes_for(3LL * limits::largest_L * limits::largest_L * limits::largest_L);
using DistanceCounter = BufferedCounter<counter_planes>;

constexpr std::int64_t site_words = 2 * slots_per_word;  ///< of a group

/// The differences in the order x + L (y + L z), whatever the order of the sites.
void difference_by_rows(const DistanceTask& task) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    for (int w = held.begin; w < held.end; ++w)
        for (int v = 0; v < L; ++v)
            for (int u = 0; u < L; ++u) {
                const std::int64_t from = held.index(u, v, w) * site_words;
                const Coordinates at = held.site(u, v, w);
                std::uint64_t* to =
                    task.difference + (at.x + L * (at.y + std::int64_t{L} * at.z)) * site_words;
                for (int i = 0; i < site_words; ++i)
                    to[i] = task.a[from + i] ^ (task.b ? task.b[from + i] : ~std::uint64_t{0});
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

/// Lines along an axis: `step` from one site to the next, L sites.
void count_axis(const Rows& d, int L, std::int64_t lines, std::int64_t step, int k,
                DistanceCounter& counter) {
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t first = line / step * step * L + line % step;
        for (int x = 0; x < L; x += 2) {
            const auto differ = [&](int i) {
                const int far = i + k < L ? i + k : i + k - L;
                return d[first + i * step] ^ d[first + far * step];
            };
            counter.add({differ(x), differ(x + 1)});
        }
    }
}

/// Bonds that are there between neighbours along an axis.
void count_bonds(const DistanceTask& task, const Rows& d, int axis, std::int64_t step,
                 DistanceCounter& counter) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    for (int w = held.begin; w < held.end; ++w)
        for (int v = 0; v < L; ++v)
            for (int u = 0; u < L; ++u) {
                const Coordinates at = held.site(u, v, w);
                const std::int64_t site = at.x + L * (at.y + std::int64_t{L} * at.z);
                const int x = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
                const std::int64_t far = x + 1 < L ? site + step : site - (L - 1) * step;
                const std::int64_t bond = axis * 2 * held.colour_sites() + held.index(u, v, w);
                counter.add({xor_unless(d[site], d[far], broadcast128(task.absent + 2 * bond))});
            }
}

void count_distances(const DistanceTask& task) {
    difference_by_rows(task);
    const int L = task.lattice.L;
    const std::int64_t sites = 2 * task.lattice.colour_sites();
    for (int reg = 0; reg < registers; ++reg) {
        const Rows d{task.difference + reg * word_slots * 2};
        std::int32_t* out = task.counts + reg * word_slots * 128;
        count_sites(d, sites, out);
        for (int k = 1; k <= task.distances; ++k) {
            DistanceCounter counter;
            std::int64_t step = 1;
            for (int axis = 0; axis < task.dimension; ++axis, step *= L) {
                if (k == 1 && task.absent)
                    count_bonds(task, d, axis, step, counter);
                else
                    count_axis(d, L, sites / L, step, k, counter);
            }
            counter.flush();
            unpack_counter(counter.total, out + k * slots_per_word * 128);
        }
    }
}

}  // namespace

const DistanceKernels distance_kernels = {count_distances};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
