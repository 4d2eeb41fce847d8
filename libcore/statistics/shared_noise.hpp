#pragma once

#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// What sharing random numbers adds to the variance of the sum over the realizations of each pack:
/// (temperature, pack), packs ascending. Realizations of one pack (`share` consecutive ones) have thermal
/// noise in common, which the jackknife over realizations takes for independent. With m_r the thermal mean of
/// realization r of n_p in pack p, V the variance by block_mean, and means over replicas,
///     S_p = n_p^2 V(mean of m_r over the pack) - sum_{r in p} V(m_r),
/// both V from the same blocks: an estimate without bias of the sum of all covariances, which may be
/// negative. Energies: V per replica, replicas independent, as in thermal_means. `observable`: one of
/// shared_observables. Empty for share 1; NaN with fewer than two blocks, and for overlaps of one replica.
/// `blocks` as for thermal_means.
std::vector<double> shared_variance(const RunSums& run, int blocks, int share, Observable observable);

/// The same for two overlap observables at once, V the covariance of their means by block_covariance: what
/// sharing adds to the covariance of the sums of both over a pack.
std::vector<double> shared_covariance(const RunSums& run, int blocks, int share, Observable first,
                                      Observable second);

}  // namespace psflip
