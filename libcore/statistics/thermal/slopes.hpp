#pragma once

#include "statistics/jackknife.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// A derivative by beta that a run measures, with the sums behind it: of O E and of O, where O is a function
/// of the overlap of a pair and E the energy of both its replicas, or O one of the magnetisation of a replica
/// and E its energy. Those at k_min are of all axes.
struct Slope {
    Observable slope;
    Sum product, moment;
};
inline constexpr Slope slopes[] = {
    {Observable::q2_dbeta, Sum::overlap2_energy, Sum::overlap2},
    {Observable::q4_dbeta, Sum::overlap4_energy, Sum::overlap4},
    {Observable::kmin_dbeta, Sum::kmin_energy, Sum::kmin_x},
    {Observable::m2_dbeta, Sum::magnetisation2_energy, Sum::magnetisation2},
    {Observable::m4_dbeta, Sum::magnetisation4_energy, Sum::magnetisation4},
    {Observable::m_kmin_dbeta, Sum::magnetisation_kmin_energy, Sum::magnetisation_kmin_x}};

/// d<O>/d beta = -(<O E> - <O><E>) of realization and temperature `i` from blocks of `level`, the mean over
/// pairs or replicas. Of a pair of three or more replicas, <E> is that of the others: no bias. (The noise of
/// these means cancels between the pairs: of 4 replicas of L = 6 the scatter over realizations is that with
/// the own energies.) Else <O><E> is the product of the means less their covariance, which blocks give
/// without bias where they are long against the autocorrelation time; with a single block nothing is taken
/// off. The error is that of the block means of O E - O <E> - <O> E.
Estimate slope_of(const BlockReader& reader, const Slope& slope, std::int64_t i, int level);

}  // namespace psflip
