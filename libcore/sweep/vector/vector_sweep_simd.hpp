#pragma once

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

template <class T, VectorTerms terms, int N, VectorUpdate update>
void sweep_vector_rows(const VectorTask<T>& task) {
    using R = RealLanes<T>;
    using Native = typename NativeLanes<T>::Bits;
    constexpr bool anisotropic =
        terms == VectorTerms::species && (update == VectorUpdate::metropolis || update == VectorUpdate::cone);
    const VectorWords random(task.key, task.sweep);
    for (int r = task.first_row; r < task.end_row; ++r) {
        const VectorRow<T, terms, N> row(task, r);
        for (std::int64_t column = 0; column < task.group.stride; column += R::count) {
            BitLanes<T> word[4];
            if constexpr (update != VectorUpdate::over_relaxation)
                random(row.site(column), row.fields(column), row.pack_purpose(column), word);
            const VectorOutcome<R, N> outcome = updated<update, anisotropic>(row.read(column), word);
            for (int k = 0; k < N; ++k) outcome.spin.c[k].store(row.own(k) + column);
            Native& renewed = *reinterpret_cast<Native*>(task.renewed + column);
            renewed -= (Native)outcome.renewed.v;
        }
    }
}

template <class T>
void sweep_vectors(const VectorTask<T>& task) {
    with_terms(task.terms, task.components, [&]<VectorTerms terms, int N>() {
        with_update<N>(task.update,
                       [&]<VectorUpdate update>() { sweep_vector_rows<T, terms, N, update>(task); });
    });
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
