#pragma once

#include <cstdint>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Names the realizations of a run that share random numbers: begin, ..., end - 1, counted in the run.
/// `level` is, at each temperature, the level of BlockReader::block_length for all of them together.
struct Pack {
    std::int64_t begin, end;
    std::vector<int> level;
};

/// Returns the packs of `share` consecutive realizations (numbers in the campaign), ascending; none for share
/// 1.
std::vector<Pack> packs_of(const BlockReader& reader, int share, ThreadPool& pool = caller_alone());

/// Returns what sharing random numbers adds to the covariance of the sums of two observables over the
/// realizations of each pack: (temperature, pack). For twice the same observable it is the variance.
/// Realizations of one pack have thermal noise in common, but the jackknife over realizations treats their
/// noise as independent. Let m_r be the thermal mean of realization r of n_p in pack p, and V the
/// (co)variance by block_covariance. With means over replicas,
///     S_p = n_p^2 V(mean of m_r over the pack) - sum_{r in p} V(m_r),
/// both V from the same blocks. This is an estimate without bias of the sum of all covariances, which may be
/// negative. For energies, V is per replica, and replicas are independent, as in thermal_means. The
/// observables must be pairs of shared_pairs, or one of SharedNoise::known twice. The result is NaN with
/// fewer than two blocks, and for overlaps of one replica.
std::vector<double> shared_covariance(const BlockReader& reader, const std::vector<Pack>& packs,
                                      Observable first, Observable second, ThreadPool& pool = caller_alone());

/// Holds the thermal noise of the sum of an observable over the realizations of each pack, (temperature,
/// pack): the variance of its mean over n measurements, times n.
struct PackNoise {
    std::vector<double> noise;   ///< noise of the sum
    std::vector<double> excess;  ///< what sharing random numbers adds to `noise`
    int dof = 0;  ///< degrees of freedom of both for one pack; 0: NaN, because blocks are too few
};

/// Returns the noise in the last three log2 bins of the run, whose edges are the last of `edges`, from all
/// blocks. The noise in each bin is about a straight line, so that a drift does not count as noise. If lines
/// leave fewer than min_dof_line degrees of freedom, it is about the mean. observable: one of
/// binned_observables.
PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable,
                     ThreadPool& pool = caller_alone());

}  // namespace psflip
