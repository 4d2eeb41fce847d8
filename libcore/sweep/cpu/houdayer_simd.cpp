// Houdayer moves of one lattice group of two replicas (sweep/houdayer.hpp): compiled once per instruction
// set.
//
// Clusters of all lanes grow at once. A row of sites is closed if no site of it can join a cluster through a
// neighbour. Rows are closed in turn, until all are. Operations per 512 spins and visit of a row: 15
// three-input operations, 12 loads and 3 stores. Two passes over all rows for the sites that differ and for
// the exchange.

#include "lattice/neighbours_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Grows the clusters of one register of a lattice group.
template <int Dimension, bool Absent>
class Clusters {
    const HoudayerTask& task_;
    const HeldLattice& held_;
    const int L_, rows_, reg_;

    static Word at(const std::uint64_t* words, std::int64_t site) {
        return load(words + site * 2 * slots_per_word);
    }
    static void put(std::uint64_t* words, std::int64_t site, Word w) {
        store(words + site * 2 * slots_per_word, w);
    }
    std::uint64_t* of_register(std::uint64_t* words) const { return words + reg_ * word_slots * 2; }

    /// Returns the words of the cluster at `neighbour` that reach `site` by the bond of `from` along
    /// `direction`.
    Word reached(std::int64_t neighbour, int direction, std::int64_t from) const {
        const Word cluster = at(of_register(task_.cluster), neighbour);
        if constexpr (!Absent) return cluster;
        const std::int64_t sites = 2 * held_.colour_sites();
        return cluster & ~broadcast128(task_.absent + (direction * sites + from) * 2);
    }
    /// Lets the site join the cluster, if it differs and is reached. Returns the lanes that joined.
    Word join(std::int64_t site, Word reached) const {
        const Word old = at(of_register(task_.cluster), site),
                   now = or_and(old, at(of_register(task_.differs), site), reached);
        put(of_register(task_.cluster), site, now);
        return now ^ old;
    }
    /// Closes a row. Returns whether a site joined.
    bool close(int v, int w) const {
        const auto index = [&](int u, int vv, int ww) { return held_.index(u, vv, ww); };
        const auto next = [](int i, int n) { return i + 1 == n ? 0 : i + 1; };
        const auto previous = [](int i, int n) { return i == 0 ? n - 1 : i - 1; };
        Word joined{};
        for (int u = 0; u < L_; ++u) {
            const std::int64_t site = index(u, v, w), back = index(u, previous(v, L_), w),
                               ahead = index(u, next(v, L_), w);
            Word near = reached(back, 1, back) | reached(ahead, 1, site);
            if constexpr (Dimension == 3) {
                const std::int64_t below = index(u, v, previous(w, held_.depth)),
                                   above = index(u, v, next(w, held_.depth));
                near = or3(near, reached(below, 2, below), reached(above, 2, site));
            }
            joined = joined | join(site, near);
        }
        Word along{};
        do {
            along = Word{};
            for (int u = 0; u < L_; ++u) {
                const std::int64_t left = index(previous(u, L_), v, w);
                along = along | join(index(u, v, w), reached(left, 0, left));
            }
            for (int u = L_ - 1; u >= 0; --u) {
                const std::int64_t site = index(u, v, w);
                along = along | join(site, reached(index(next(u, L_), v, w), 0, site));
            }
            joined = joined | along;
        } while (any(along));
        return any(joined);
    }
    void mark(int v, int w) const { task_.open[v + std::int64_t{L_} * w] = 1; }
    void mark_neighbours(int v, int w) const {
        mark(v == 0 ? L_ - 1 : v - 1, w);
        mark(v + 1 == L_ ? 0 : v + 1, w);
        if constexpr (Dimension == 3) {
            mark(v, w == 0 ? held_.depth - 1 : w - 1);
            mark(v, w + 1 == held_.depth ? 0 : w + 1);
        }
    }
    bool visit(std::int64_t row) const {
        if (!task_.open[row]) return false;
        task_.open[row] = 0;
        const int v = static_cast<int>(row % L_), w = static_cast<int>(row / L_);
        if (close(v, w)) mark_neighbours(v, w);
        return true;
    }

  public:
    Clusters(const HoudayerTask& task, int reg)
        : task_(task), held_(task.lattice), L_(held_.L), rows_(L_ * held_.depth), reg_(reg) {}

    void move() const {
        std::uint64_t *a = of_register(task_.first), *b = of_register(task_.second),
                      *differs = of_register(task_.differs), *cluster = of_register(task_.cluster);
        const std::int64_t sites = 2 * held_.colour_sites();
        for (std::int64_t i = 0; i < sites; ++i) {
            put(differs, i, at(a, i) ^ at(b, i));
            put(cluster, i, Word{});
        }
        for (int slot = reg_ * word_slots; slot < (reg_ + 1) * word_slots; ++slot)
            for (int lane = 0; slot < task_.slots && lane < 128; ++lane) {
                const std::uint32_t start = task_.starts[slot * 128 + lane];
                const int u = static_cast<int>(start % L_), v = static_cast<int>(start / L_ % L_),
                          w = static_cast<int>(start / L_ / L_);
                const std::int64_t word = (held_.index(u, v, w) * slots_per_word + slot) * 2 + lane / 64;
                task_.cluster[word] |= task_.differs[word] & std::uint64_t{1} << lane % 64;
                mark(v, w);
                mark_neighbours(v, w);
            }
        for (bool found = true; found;) {
            found = false;
            for (std::int64_t row = 0; row < rows_; ++row) found = visit(row) || found;
            for (std::int64_t row = rows_ - 1; row >= 0; --row) found = visit(row) || found;
        }
        for (std::int64_t i = 0; i < sites; ++i) {
            put(a, i, at(a, i) ^ at(cluster, i));
            put(b, i, at(b, i) ^ at(cluster, i));
        }
    }
};

template <int Dimension, bool Absent>
void move(const HoudayerTask& task) {
    for (int reg = 0; reg < registers; ++reg)
        if (reg * word_slots < task.slots) Clusters<Dimension, Absent>(task, reg).move();
}

}  // namespace

void houdayer(const HoudayerTask& task) {
    if (task.dimension == 2)
        task.absent ? move<2, true>(task) : move<2, false>(task);
    else
        task.absent ? move<3, true>(task) : move<3, false>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
