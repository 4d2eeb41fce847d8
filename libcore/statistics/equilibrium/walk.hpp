#pragma once

// Measures the time that walkers need to move through the temperatures, as a test of equilibrium.

#include <vector>

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Returns the integrated autocorrelation time of the temperature random walk of each realization, in sweeps.
/// This time says how long the temperature index (slot) of a configuration (walker) stays correlated. R.
/// Alvarez Banos et al., J. Stat. Mech. P06026 (2010), arXiv:1003.2569, use this walk to decide on
/// equilibration. The time of a realization is the longest time of its replicas. With one temperature, the
/// result is empty.
///
/// Let n_T be the number of temperatures. The slot of a walker has the mean mu = (n_T - 1) / 2 and the
/// variance v = (n_T^2 - 1) / 12. As averages over the n_T walkers of one realization and replica, both are
/// exact at any moment, because every slot holds one walker. The run is cut into p equal parts of n
/// measurements each. With the mean slot m_wb of walker w in part b,
///     tau_p = interval n / (2 v) mean over w and b of (m_wb - mu)^2,
/// where `interval` is the number of sweeps between measurements.
/// - If a part is much longer than the autocorrelation time tau, tau_p is tau. Independent slots give half an
///   interval. Walkers that do not move give half the length of a part.
/// - Mean and variance are known, so only the finite length of the parts causes a bias. For an exponential
///   autocorrelation, tau_p = tau (1 - tau / length of a part).
/// - p starts at `blocks`, is halved while it is even, and ends at 1. The result is tau_p of the shortest
///   parts that are at least `parts_per_tau` tau_p long. If no parts are long enough, the result is tau_p of
///   the whole run (p = 1).
/// - The relative statistical error is about sqrt(2 / (p (n_T - 1))). For p = 1 the largest value is half the
///   run.
std::vector<double> walk_times(const RunSums& run, int blocks, ThreadPool& pool = caller_alone());

/// The minimum length of a part, in units of tau_p.
inline constexpr double parts_per_tau = 10.0;

}  // namespace psflip
