// Grows the clusters of Houdayer moves in words of any lanes (sweep/houdayer.hpp).
//
// Clusters of all lanes grow at once. A row of sites is closed if no site of it can join a cluster through a
// neighbour. Rows are closed in turn, until all are. A visit of a row takes 6 loads, a store and 4
// three-input operations per site, and 2 loads, a store and 2 operations more if sites join.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "word/counter_simd.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Says that all bonds of the periodic lattice are present.
struct AllBonds {
    struct Row {
        Word across(Word w, int) const { return w; }
    };
    Row row(int, int, int) const { return {}; }
};

/// Names the memory of one move. The sites of a row are neighbours: site u + L (v + L w).
struct GrowthMemory {
    Word *differs, *cluster;
    std::uint8_t* open;  ///< (row): 0 before and after
};

/// Grows clusters. Bonds has row(direction, v, w), whose across(word, u) returns the lanes of a word in which
/// the bond of site u is present.
template <int Dimension, class Bonds>
class HoudayerGrowth {
    const GrowthMemory memory_;
    const int L_, depth_;
    const Bonds bonds_;

    /// Holds a row and what closes it.
    struct Row {
        Word* own;
        const Word *differs, *back, *ahead, *below, *above;
        typename Bonds::Row along, from_back, to_ahead, from_below, to_above;
    };
    Row row_of(int v, int w) const {
        const int back = v == 0 ? L_ - 1 : v - 1, ahead = v + 1 == L_ ? 0 : v + 1,
                  below = w == 0 ? depth_ - 1 : w - 1, above = w + 1 == depth_ ? 0 : w + 1;
        const auto first = [&](int vv, int ww) { return std::int64_t{L_} * (vv + std::int64_t{L_} * ww); };
        const auto bonds = [&](int direction, int vv, int ww) {
            return bonds_.row(direction < Dimension ? direction : 0, vv, ww);
        };
        Word* const cluster = memory_.cluster;
        return {cluster + first(v, w),
                memory_.differs + first(v, w),
                cluster + first(back, w),
                cluster + first(ahead, w),
                cluster + first(v, below),
                cluster + first(v, above),
                bonds(0, v, w),
                bonds(1, back, w),
                bonds(1, v, w),
                bonds(2, v, below),
                bonds(2, v, w)};
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
        Word carry = row.along.across(row.own[L_ - 1], L_ - 1);
        for (int u = 0; u < L_; ++u) {
            Word near =
                or3(carry, row.from_back.across(row.back[u], u), row.to_ahead.across(row.ahead[u], u));
            if constexpr (Dimension == 3)
                near =
                    or3(near, row.from_below.across(row.below[u], u), row.to_above.across(row.above[u], u));
            carry = row.along.across(join(row, u, near, joined), u);
        }
        if (!seeded && !any(joined)) return false;
        for (int u = 0; u < L_; ++u) {
            Word here{};
            carry = row.along.across(join(row, u, carry, here), u);
            if (!any(here)) break;
        }
        carry = row.own[0];
        for (int u = L_ - 1; u >= 0; --u) carry = join(row, u, row.along.across(carry, u), joined);
        for (int u = L_ - 1; u >= 0; --u) {
            Word here{};
            carry = join(row, u, row.along.across(carry, u), here);
            if (!any(here)) break;
        }
        return true;
    }
    void mark(int v, int w) const { memory_.open[v + std::int64_t{L_} * w] |= 1; }
    void mark_neighbours(int v, int w) const {
        mark(v == 0 ? L_ - 1 : v - 1, w);
        mark(v + 1 == L_ ? 0 : v + 1, w);
        if constexpr (Dimension == 3) {
            mark(v, w == 0 ? depth_ - 1 : w - 1);
            mark(v, w + 1 == depth_ ? 0 : w + 1);
        }
    }
    bool visit(std::int64_t row) const {
        const std::uint8_t open = std::exchange(memory_.open[row], 0);
        if (open == 0) return false;
        const int v = static_cast<int>(row % L_), w = static_cast<int>(row / L_);
        if (close(row_of(v, w), open > 1)) mark_neighbours(v, w);
        return true;
    }

  public:
    HoudayerGrowth(const GrowthMemory& memory, int L, int depth, const Bonds& bonds)
        : memory_(memory), L_(L), depth_(depth), bonds_(bonds) {}

    /// Begins clusters at site u + L (v + L w), in lanes of one 64-bit part of its word in which it differs.
    void begin(std::uint32_t site, int part, std::uint64_t lanes) const {
        const std::int64_t at = std::int64_t{site} * (word_bytes / 8) + part;
        reinterpret_cast<std::uint64_t*>(memory_.cluster)[at] |=
            reinterpret_cast<const std::uint64_t*>(memory_.differs)[at] & lanes;
        memory_.open[site / static_cast<std::uint32_t>(L_)] = 2;
    }
    /// Lets all sites join that the clusters reach.
    void grow() const {
        const std::int64_t rows = std::int64_t{L_} * depth_;
        for (bool found = true; found;) {
            found = false;
            for (std::int64_t row = 0; row < rows; ++row) found = visit(row) || found;
            for (std::int64_t row = rows - 1; row >= 0; --row) found = visit(row) || found;
        }
    }
    /// Calls use(lane, sites) for all lanes of a word, in order, with the number of sites of the cluster. Per
    /// site, this takes a load and 3 three-input operations.
    template <class Use>
    void count(const Use& use) const {
        constexpr int at_once = 6, planes = 13, room = (1 << planes) - 1, lanes = 32 * word_lanes32;
        const std::int64_t all = std::int64_t{L_} * L_ * depth_;
        std::int32_t sites[lanes] = {};
        for (std::int64_t first = 0; first < all; first += room) {
            const std::int64_t end = std::min(all, first + room);
            BufferedCounter<planes> counter;
            std::int64_t i = first;
            for (; i + at_once <= end; i += at_once) {
                const Word* const at = memory_.cluster + i;
                counter.add({at[0], at[1], at[2], at[3], at[4], at[5]});
            }
            for (; i < end; ++i) counter.add({memory_.cluster[i]});
            counter.flush();
            std::int32_t more[lanes];
            unpack_counter(counter.total, more);
            for (int lane = 0; lane < lanes; ++lane) sites[lane] += more[lane];
        }
        for (int lane = 0; lane < lanes; ++lane) use(lane, sites[lane]);
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
