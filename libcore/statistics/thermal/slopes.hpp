#pragma once

#include "statistics/jackknife.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Of each pair or replica the sums over blocks of an energy whose mean is that of E: E itself (`own`), or
/// where there are three or more replicas those of the others. The same for all derivatives of pairs, or of
/// replicas.
struct SlopeEnergies {
    Per per;
    std::vector<std::vector<double>> sums;  ///< (component, block)
    bool own;
};
SlopeEnergies slope_energies(const BlockReader& reader, Per per, std::int64_t i, int level);

/// d<O>/d beta = -(<O E> - <O><E>), O and O E the sums of the formula, of realization and temperature `i`
/// from blocks of `level`, the mean over pairs or replicas. Of a pair of three or more replicas, <E> is that
/// of the others: no bias. (The noise of these means cancels between the pairs: of 4 replicas of L = 6 the
/// scatter over realizations is that with the own energies.) Else <O><E> is the product of the means less
/// their covariance by long_covariance; with a single block nothing is taken off. The error is that of the
/// block means of O E - O <E> - <O> E.
Estimate slope_of(const BlockReader& reader, const Formula& formula, const SlopeEnergies& energies,
                  std::int64_t i, int level);

}  // namespace psflip
