#pragma once

// Estimates the noise that realizations with shared random numbers have in common.

#include <cstdint>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Describes a share group: the realizations begin to end - 1 of a run, which share random numbers. `level`
/// is, for each temperature, the BlockReader::block_length of the whole group.
struct Pack {
    std::int64_t begin, end;
    std::vector<int> level;
};

/// Returns the groups of `share` consecutive realizations (numbers in the study), ascending; none if share
/// is 1.
std::vector<Pack> packs_of(const BlockReader& reader, int share, ThreadPool& pool = caller_alone());

/// Returns what sharing random numbers adds to the covariance of the sums of two observables over the
/// realizations of each share group: (temperature, share group). If both observables are equal, this is the
/// variance. Realizations of a share group have thermal noise in common, but the jackknife over realizations
/// treats their noise as independent. Let m_r be the thermal mean of realization r, n_p the number of
/// realizations in group p, and V the (co)variance by block_covariance:
///     S_p = n_p^2 V(mean of m_r over the group) - sum_{r in p} V(m_r).
/// Both V use the same blocks. S_p is an estimate without bias of the sum of the covariances of different
/// realizations, and may be negative. As in thermal_means, V is computed for each independent replica, and
/// for overlaps from the average over pairs. `first` and `second` are a pair of shared_pairs, or both are one
/// observable with SharedNoise::known. S_p is NaN with fewer than two blocks, and for overlaps with one
/// replica.
std::vector<double> shared_covariance(const BlockReader& reader, const std::vector<Pack>& packs,
                                      Observable first, Observable second, ThreadPool& pool = caller_alone());

/// Holds the thermal noise of the sum of an observable over the realizations of each share group,
/// (temperature, share group). The noise is the variance of the mean over n measurements, times n.
struct PackNoise {
    std::vector<double> noise;   ///< of the sum
    std::vector<double> excess;  ///< contribution of sharing to `noise`
    int dof = 0;                 ///< degrees of freedom of noise and excess of one group; 0: all values are
                                 ///< NaN, because there are too few blocks
};

/// Returns the noise in the last three log2 bins of the run, from all blocks. The edges of these bins are the
/// last of `edges`. In each bin the noise is the scatter about a straight line, so that a drift does not
/// count as noise. If lines leave fewer than min_dof_line degrees of freedom, the noise is the scatter about
/// the mean. `observable` is one of binned_observables.
PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable,
                     ThreadPool& pool = caller_alone());

}  // namespace psflip
