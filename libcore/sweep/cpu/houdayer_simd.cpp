// Houdayer moves of one lattice group of two replicas (sweep/houdayer.hpp): compiled once per instruction
// set.
//
// Clusters of all lanes grow at once. A row of sites is closed if no site of it can join a cluster through a
// neighbour. Rows are closed in turn, until all are. A visit of a row takes 6 loads, a store and 4
// three-input operations per 512 spins and site, and 2 loads, a store and 2 operations more if sites join. In
// addition, there is a pass over all sites for the sites that differ and one for the exchange: 5 loads and 4
// stores.

#include <utility>

#include "lattice/neighbours_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Points to the sites of a row in arrays of the standard order: sites of even and of odd u.
template <class T>
struct RowOf {
    T* of[2];
    int stride;

    RowOf(T* words, int stride_, const HeldLattice& held, int v, int w)
        : of{words + held.index(0, v, w) * stride_, words + held.index(1, v, w) * stride_}, stride(stride_) {}
    T* at(int u) const { return of[u & 1] + (u >> 1) * stride; }
};

/// Grows the clusters of one register of a lattice group. Memory for work has the sites of a row one after
/// the other: u + L (v + L w).
template <int Dimension, bool Absent>
class Clusters {
    const HoudayerTask& task_;
    const HeldLattice& held_;
    const int L_, depth_, rows_, reg_;
    Word *const differs_, *const cluster_;

    /// Holds a row and what closes it.
    struct Row {
        Word* own;
        const Word *differs, *back, *ahead, *below, *above;
        RowOf<const std::uint64_t> along, from_back, to_ahead, from_below, to_above;
    };
    RowOf<const std::uint64_t> bonds(int direction, int v, int w) const {
        return {Absent ? task_.absent + direction * 4 * held_.colour_sites() : nullptr, Absent ? 2 : 0, held_,
                v, w};
    }
    Row row_of(int v, int w) const {
        const int back = v == 0 ? L_ - 1 : v - 1, ahead = v + 1 == L_ ? 0 : v + 1,
                  below = w == 0 ? depth_ - 1 : w - 1, above = w + 1 == depth_ ? 0 : w + 1;
        const auto words = [&](int vv, int ww) {
            return cluster_ + std::int64_t{L_} * (vv + std::int64_t{L_} * ww);
        };
        return {words(v, w),     differs_ + (words(v, w) - cluster_),
                words(back, w),  words(ahead, w),
                words(v, below), words(v, above),
                bonds(0, v, w),  bonds(1, back, w),
                bonds(1, v, w),  bonds(2, v, below),
                bonds(2, v, w)};
    }
    /// Returns the lanes of a word whose bond is present.
    static Word across(Word w, const RowOf<const std::uint64_t>& bonds, int u) {
        if constexpr (!Absent) return w;
        return w & ~broadcast128(bonds.at(u));
    }
    /// Lets the site join the cluster, if it differs and is reached. Adds the lanes that joined to `joined`.
    static Word join(const Row& row, int u, Word reached, Word& joined) {
        const Word old = row.own[u], now = or_and(old, row.differs[u], reached);
        row.own[u] = now;
        joined = joined | (now ^ old);
        return now;
    }
    /// Closes a row whose sites are closed along x unless a neighbouring row lets some join, or unless
    /// `seeded`. Returns whether a site joined. A pass up the row and a pass down close it. At the ends, each
    /// pass begins again while sites join.
    bool close(const Row& row, bool seeded) const {
        Word joined{};
        Word carry = across(row.own[L_ - 1], row.along, L_ - 1);
        for (int u = 0; u < L_; ++u) {
            Word near =
                or3(carry, across(row.back[u], row.from_back, u), across(row.ahead[u], row.to_ahead, u));
            if constexpr (Dimension == 3)
                near =
                    or3(near, across(row.below[u], row.from_below, u), across(row.above[u], row.to_above, u));
            carry = across(join(row, u, near, joined), row.along, u);
        }
        if (!seeded && !any(joined)) return false;
        for (int u = 0; u < L_; ++u) {
            Word here{};
            carry = across(join(row, u, carry, here), row.along, u);
            if (!any(here)) break;
        }
        carry = row.own[0];
        for (int u = L_ - 1; u >= 0; --u) carry = join(row, u, across(carry, row.along, u), joined);
        for (int u = L_ - 1; u >= 0; --u) {
            Word here{};
            carry = join(row, u, across(carry, row.along, u), here);
            if (!any(here)) break;
        }
        return true;
    }
    void mark(int v, int w) const { task_.open[v + std::int64_t{L_} * w] |= 1; }
    void mark_neighbours(int v, int w) const {
        mark(v == 0 ? L_ - 1 : v - 1, w);
        mark(v + 1 == L_ ? 0 : v + 1, w);
        if constexpr (Dimension == 3) {
            mark(v, w == 0 ? depth_ - 1 : w - 1);
            mark(v, w + 1 == depth_ ? 0 : w + 1);
        }
    }
    bool visit(std::int64_t row) const {
        const std::uint8_t open = std::exchange(task_.open[row], 0);
        if (open == 0) return false;
        const int v = static_cast<int>(row % L_), w = static_cast<int>(row / L_);
        if (close(row_of(v, w), open > 1)) mark_neighbours(v, w);
        return true;
    }
    /// Calls use(words of both replicas, number of the site in the memory for work) for all sites.
    template <class Use>
    void for_each_site(const Use& use) const {
        constexpr int stride = 2 * slots_per_word;
        std::int64_t i = 0;
        for (int w = 0; w < depth_; ++w)
            for (int v = 0; v < L_; ++v) {
                const RowOf<std::uint64_t> a(task_.first + reg_ * word_slots * 2, stride, held_, v, w),
                    b(task_.second + reg_ * word_slots * 2, stride, held_, v, w);
                for (int u = 0; u < L_; ++u) use(a.at(u), b.at(u), i++);
            }
    }

  public:
    Clusters(const HoudayerTask& task, int reg)
        : task_(task),
          held_(task.lattice),
          L_(held_.L),
          depth_(held_.depth),
          rows_(L_ * depth_),
          reg_(reg),
          differs_(reinterpret_cast<Word*>(task.differs)),
          cluster_(reinterpret_cast<Word*>(task.cluster)) {}

    void move() const {
        for_each_site([&](const std::uint64_t* a, const std::uint64_t* b, std::int64_t i) {
            differs_[i] = load(a) ^ load(b);
            cluster_[i] = Word{};
        });
        for (int slot = 0; slot < word_slots && reg_ * word_slots + slot < task_.slots; ++slot)
            for (int lane = 0; lane < 128; ++lane) {
                const std::uint32_t start = task_.starts[(reg_ * word_slots + slot) * 128 + lane];
                const std::int64_t word = std::int64_t{start} * word_slots * 2 + slot * 2 + lane / 64;
                task_.cluster[word] |= task_.differs[word] & std::uint64_t{1} << lane % 64;
                task_.open[start / static_cast<std::uint32_t>(L_)] = 2;
            }
        for (bool found = true; found;) {
            found = false;
            for (std::int64_t row = 0; row < rows_; ++row) found = visit(row) || found;
            for (std::int64_t row = rows_ - 1; row >= 0; --row) found = visit(row) || found;
        }
        for_each_site([&](std::uint64_t* a, std::uint64_t* b, std::int64_t i) {
            store(a, load(a) ^ cluster_[i]);
            store(b, load(b) ^ cluster_[i]);
        });
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
