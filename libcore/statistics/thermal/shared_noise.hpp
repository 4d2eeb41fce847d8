#pragma once

// Estimates the noise that realizations with shared random numbers have in common.

#include <cstdint>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Describes a share group: the realizations begin to end - 1 of a run, which share random numbers. level[t]
/// belongs to the BlockReader::block_length of the whole group at temperature t.
struct Pack {
    std::int64_t begin, end;
    std::vector<int> level;
};

/// Returns the groups of `share` consecutive realizations (numbers in the study), ascending; none if share
/// is 1.
std::vector<Pack> packs_of(const BlockReader& reader, int share, ThreadPool& pool = caller_alone());

/// Returns S_p for every share group p: (temperature, share group). The covariance of two observables, each
/// summed over the realizations of group p, increases by S_p because random numbers are shared. If both
/// observables are equal, the covariance is a variance. Realizations of a share group have thermal noise in
/// common, but the jackknife over realizations treats their noise as independent. Let m_r be the thermal mean
/// of realization r, n_p the number of realizations in group p, and V the (co)variance by block_covariance:
///     S_p = n_p^2 V(mean of m_r over the group) - sum_{r in p} V(m_r).
/// Both V use the same blocks. S_p estimates, without bias, the sum of the covariances of all pairs of
/// different realizations. S_p may be negative. As in thermal_means, V is computed for each independent
/// replica, and for overlaps from the average over pairs. `first` and `second` are a pair of shared_pairs, or
/// both are one observable with SharedNoise::known. S_p is NaN with fewer than two blocks, and for overlaps
/// with one replica.
std::vector<double> shared_covariance(const BlockReader& reader, const std::vector<Pack>& packs,
                                      Observable first, Observable second, ThreadPool& pool = caller_alone());

/// Holds the thermal noise of an observable, summed over the realizations of each share group: (temperature,
/// share group). The noise is n times the variance of the mean over n measurements.
struct PackNoise {
    std::vector<double> noise;   ///< of the sum
    std::vector<double> excess;  ///< contribution of sharing to `noise`
    int dof = 0;                 ///< degrees of freedom of noise and excess of one group; 0: all values are
                                 ///< NaN, because there are too few blocks
};

/// Returns the noise in the last three log2 bins of the run, from the unmerged blocks in these bins. `edges`
/// ends with the edges of these bins. In each bin the noise is the scatter about a straight line, so that a
/// drift does not count as noise. If lines leave fewer than min_dof_line degrees of freedom, the noise is the
/// scatter about the mean. `observable` is one of binned_observables.
PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable,
                     ThreadPool& pool = caller_alone());

}  // namespace psflip
