#include <cstring>

#include "sweep/vector/vector_row_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Adds numbers of consecutive columns to the sums of these columns.
template <class T>
void add_columns(RealLanes<T> x, const FixedPoint& fixed, std::uint64_t* sums) {
    constexpr int lanes = RealLanes<double>::count;
    alignas(word_bytes) T each[RealLanes<T>::count];
    x.store(each);
    for (int part = 0; part < RealLanes<T>::count; part += lanes) {
        typename NativeLanes<double>::Real wide;
        for (int i = 0; i < lanes; ++i) wide[i] = static_cast<double>(each[part + i]);
        wide = wide + (fixed.offset() - NativeLanes<double>::Real{});
        NativeLanes<double>::Bits sum;
        std::memcpy(&sum, sums + part, sizeof sum);
        sum = sum + (NativeLanes<double>::Bits)wide;
        std::memcpy(sums + part, &sum, sizeof sum);
    }
}

template <class T, VectorTerms terms, int N>
void sum_rows(const VectorSumTask<T>& of) {
    using R = RealLanes<T>;
    const std::int64_t stride = of.rows.group.stride;
    const auto add = [&](R x, const FixedPoint& fixed, int sum, std::int64_t column) {
        add_columns(x, fixed, of.sums + sum * stride + column);
    };
    for (int colour = 0; colour < 2; ++colour) {
        VectorTask<T> task = of.rows;
        task.colour = colour;
        for (int r = task.first_row; r < task.end_row; ++r) {
            const VectorRow<T, terms, N> row(task, r);
            for (std::int64_t column = 0; column < stride; column += R::count) {
                Spin<R, N> spin;
                for (int k = 0; k < N; ++k) spin.c[k] = R::load(row.own(k) + column);
                const auto species = row.species(column);
                const SiteTerms<R> site =
                    site_terms<terms, R, N>(spin, row.field_from_above(column), task.constants, species);
                const R energies[] = {site.exchange, site.dm, site.anisotropy, site.field};
                for (int i = 0; i < energy_sums; ++i) add(energies[i], of.units.energy, i, column);
                for (int b = 0; b < 2; ++b)
                    for (int k = 0; k < N; ++k) {
                        const R none(0.0), mine = b == 1 ? RealTraits<R>::choose(species, spin.c[k], none)
                                                         : RealTraits<R>::choose(species, none, spin.c[k]);
                        add(mine, of.units.magnetisation, magnetisation_sum(colour, b, k), column);
                    }
            }
        }
    }
}

template <class T>
void sum_vectors(const VectorSumTask<T>& task) {
    with_terms(task.rows.terms, task.rows.components,
               [&]<VectorTerms terms, int N>() { sum_rows<T, terms, N>(task); });
}

}  // namespace

void sum_float_vectors(const VectorSumTask<float>& task) {
    sum_vectors(task);
}

void sum_double_vectors(const VectorSumTask<double>& task) {
    sum_vectors(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
