#pragma once

// Measures the time that walkers need to move through the temperatures, as a test of equilibrium.

#include <vector>

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Returns the integrated autocorrelation time of the temperature random walk of each realization, in sweeps.
/// It says how long the slot of a walker stays correlated. R. Alvarez Banos et al., J. Stat. Mech. P06026
/// (2010), arXiv:1003.2569, use this walk to decide on equilibration. The time of a realization is the
/// longest time of its replicas. The result is empty with one temperature.
///
/// The slot of a walker has the mean mu = (T-1)/2 and the variance v = (T^2-1)/12. Both averages over the T
/// walkers of one lattice are exact at any moment, because every slot holds one walker. The run is cut into p
/// equal parts of n measurements each. With the mean slot m_wb of walker w in part b,
///     tau_p = interval n / (2 v) mean over w and b of (m_wb - mu)^2,
/// where `interval` is the number of sweeps between measurements.
/// - tau_p is tau if n is much longer than tau, half an interval for independent slots, and half a part for
///   walkers that do not move.
/// - Mean and variance are known, so only finite parts cause a bias. For an exponential autocorrelation,
///   tau_p = tau (1 - tau / part).
/// - p starts at `blocks`, is halved while it is even, and ends at 1. The result is tau_p of the shortest
///   parts that are at least `parts_per_tau` tau_p long. If there are none, the result is tau_p of the whole
///   run (p = 1).
/// - The relative statistical error is about sqrt(2 / (p (T-1))). For p = 1 the largest value is half the
///   run.
std::vector<double> walk_times(const RunSums& run, int blocks, ThreadPool& pool = caller_alone());

/// The least length of parts in units of tau_p.
inline constexpr double parts_per_tau = 10.0;

}  // namespace psflip
