#pragma once

#include "sweep/vector/vector_random_simd.hpp"
#include "sweep/vector/vector_row_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

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

template <class T, VectorTerms terms>
void sweep_directions(const VectorTask<T>& task) {
    switch (task.update) {
        case VectorUpdate::metropolis:
            return sweep_vector_rows<T, terms, 3, VectorUpdate::metropolis>(task);
        case VectorUpdate::cone:
            return sweep_vector_rows<T, terms, 3, VectorUpdate::cone>(task);
        case VectorUpdate::heat_bath:
            return sweep_vector_rows<T, terms, 3, VectorUpdate::heat_bath>(task);
        case VectorUpdate::over_relaxation:
            return sweep_vector_rows<T, terms, 3, VectorUpdate::over_relaxation>(task);
    }
}

template <class T>
void sweep_vectors(const VectorTask<T>& task) {
    if (task.components == 1 && task.update == VectorUpdate::heat_bath)
        return sweep_vector_rows<T, VectorTerms::bonds, 1, VectorUpdate::heat_bath>(task);
    if (task.components == 1)
        return sweep_vector_rows<T, VectorTerms::bonds, 1, VectorUpdate::metropolis>(task);
    switch (task.terms) {
        case VectorTerms::exchange:
            return sweep_directions<T, VectorTerms::exchange>(task);
        case VectorTerms::species:
            return sweep_directions<T, VectorTerms::species>(task);
        case VectorTerms::bonds:
            return sweep_directions<T, VectorTerms::bonds>(task);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
