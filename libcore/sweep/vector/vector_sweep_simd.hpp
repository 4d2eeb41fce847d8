#pragma once

#include <algorithm>
#include <cstring>

#include "random/philox_simd.hpp"
#include "sweep/vector/vector_row_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Draws the random words of the sites of a register, in the form of RealTraits::Word.
class VectorWords {
  public:
    VectorWords(std::uint64_t key, std::uint64_t sweep)
        : keys_(key), sweep_low_(static_cast<std::uint32_t>(sweep)), sweep_high_(sweep >> 32) {}

    void operator()(BitLanes<float> site, BitLanes<float> fields, BitLanes<float> pack_purpose,
                    BitLanes<float> (&word)[4]) const {
        const Native64 s = (Native64)site.v, f = (Native64)fields.v | both(sweep_high_),
                       p = (Native64)pack_purpose.v, low = broadcast64(sweep_low_);
        PhiloxLanes c[2] = {{s, low, f, p}, {s >> 32, low, f >> 32, p >> 32}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word words[4];
        last_round(c[0], c[1], keys_, words);
        for (int i = 0; i < 4; ++i) word[i] = BitLanes<float>((NativeLanes<float>::Bits)words[i].v);
    }
    void operator()(BitLanes<double> site, BitLanes<double> fields, BitLanes<double> pack_purpose,
                    BitLanes<double> (&word)[4]) const {
        PhiloxLanes c[1] = {{(Native64)site.v, broadcast64(sweep_low_),
                             (Native64)fields.v | both(sweep_high_), (Native64)pack_purpose.v}};
        run_rounds(0, philox_rounds, c, keys_);
        const Native64 found[4] = {c[0].c0, c[0].c1, c[0].c2, c[0].c3};
        for (int i = 0; i < 4; ++i)
            word[i] = BitLanes<double>((NativeLanes<double>::Bits)(found[i] & broadcast64(0xFFFFFFFFu)));
    }

  private:
    static Native64 both(std::uint64_t x) { return broadcast64(x << 32 | x); }

    PhiloxKeys keys_;
    std::uint64_t sweep_low_, sweep_high_;
};

/// Tells which sites of a row lie in the tiles that a task updates.
template <class T>
class TiledRow {
    using Bits = typename NativeLanes<T>::Bits;
    using Mask = typename NativeLanes<T>::Mask;

  public:
    TiledRow(const VectorTask<T>& task, int row) : twice_h_(task.group.twice_h) {
        const int L = task.group.L, tile = std::max(1, task.tile), along_yz = row % L / tile + row / L / tile;
        const auto edge = static_cast<std::uint64_t>(tile);
        edge_ = BitLanes<T>(edge);
        chosen_ = BitLanes<T>(((along_yz + task.tile_colour) & 1) != 0 ? edge : 0);
    }
    /// Returns a mask of the sites of a register. Sets `any` to whether it has such sites.
    MaskLanes<T> of(std::int64_t column, bool& any) const {
        const Bits twice_h = *reinterpret_cast<const Bits*>(twice_h_ + column);
        const Mask mask = (twice_h & edge_.v) == chosen_.v;
        std::uint64_t words[sizeof mask / 8], all = 0;
        std::memcpy(words, &mask, sizeof mask);
        for (const std::uint64_t word : words) all |= word;
        any = all != 0;
        return {mask};
    }

  private:
    const LaneOf<T>* twice_h_;
    BitLanes<T> edge_, chosen_;  ///< bits of 2h: the edge, and the wanted value of its bit
};

/// If `tiled`, updates only the sites of TiledRow.
template <class T, VectorTerms terms, int N, VectorUpdate update, bool tiled>
void sweep_vector_rows(const VectorTask<T>& task) {
    using R = RealLanes<T>;
    using Native = typename NativeLanes<T>::Bits;
    constexpr bool anisotropic =
        terms == VectorTerms::species && (update == VectorUpdate::metropolis || update == VectorUpdate::cone);
    const VectorWords random(task.key, task.sweep);
    for (int r = task.first_row; r < task.end_row; ++r) {
        const VectorRow<T, terms, N> row(task, r);
        [[maybe_unused]] const TiledRow<T> tiles(task, r);
        for (std::int64_t column = 0; column < task.group.stride; column += R::count) {
            MaskLanes<T> chosen;
            if constexpr (tiled) {
                bool any = false;
                chosen = tiles.of(column, any);
                if (!any) continue;
            }
            BitLanes<T> word[4];
            if constexpr (update != VectorUpdate::over_relaxation)
                random(row.site(column), row.fields(column), row.pack_purpose(column), word);
            const VectorSite<R, N> site = row.read(column);
            VectorOutcome<R, N> outcome = updated<update, anisotropic>(site, word);
            if constexpr (tiled) {
                outcome.spin = choose_spin<R, N>(chosen, outcome.spin, site.spin);
                outcome.renewed = {outcome.renewed.v & chosen.v};
            }
            for (int k = 0; k < N; ++k) outcome.spin.c[k].store(row.own(k) + column);
            Native& renewed = *reinterpret_cast<Native*>(task.renewed + column);
            renewed -= (Native)outcome.renewed.v;
        }
    }
}

template <class T>
void sweep_vectors(const VectorTask<T>& task) {
    with_terms(task.terms, task.components, [&]<VectorTerms terms, int N>() {
        with_update<N>(task.update, [&]<VectorUpdate update>() {
            task.tile > 0 ? sweep_vector_rows<T, terms, N, update, true>(task)
                          : sweep_vector_rows<T, terms, N, update, false>(task);
        });
    });
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
