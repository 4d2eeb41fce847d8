#pragma once

#include <cstdint>
#include <vector>

#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// The realizations of a run that share random numbers, begin to end - 1 counted in the run, and at each
/// temperature the level of BlockReader::block_length for all of them together.
struct Pack {
    std::int64_t begin, end;
    std::vector<int> level;
};

/// The packs of `share` consecutive realizations (global numbers), ascending; none for share 1.
std::vector<Pack> packs_of(const BlockReader& reader, int share, ThreadPool& pool = caller_alone());

/// What sharing random numbers adds to the covariance of the sums of two observables over the realizations of
/// each pack: (temperature, pack); for twice the same observable, to the variance. Realizations of one pack
/// have thermal noise in common, but the jackknife over realizations treats their noise as independent. With
/// m_r the thermal mean of realization r of n_p in pack p, V the (co)variance by block_covariance, and means
/// over replicas,
///     S_p = n_p^2 V(mean of m_r over the pack) - sum_{r in p} V(m_r),
/// both V from the same blocks: an estimate without bias of the sum of all covariances, which may be
/// negative. Energies: V per replica, replicas independent, as in thermal_means. Observables: pairs of
/// shared_pairs, or one of SharedNoise::known twice. NaN with fewer than two blocks, and for overlaps of one
/// replica.
std::vector<double> shared_covariance(const BlockReader& reader, const std::vector<Pack>& packs,
                                      Observable first, Observable second, ThreadPool& pool = caller_alone());

/// Thermal noise of the sum of an observable over the realizations of each pack, (temperature, pack):
/// variance of its mean over n measurements, times n.
struct PackNoise {
    std::vector<double> noise;   ///< of the sum
    std::vector<double> excess;  ///< what sharing random numbers adds to `noise`
    int dof = 0;                 ///< degrees of freedom of both for one pack; 0: NaN, too few blocks
};

/// The noise in the last three log2 bins of the run, whose edges are the last of `edges`, from all blocks.
/// The noise in each bin is about a straight line, so that a drift does not count as noise, or about the mean
/// if lines leave fewer than min_dof_line degrees of freedom. observable: one of binned_observables.
PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable,
                     ThreadPool& pool = caller_alone());

}  // namespace psflip
