#pragma once

#include <vector>

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Integrated autocorrelation time of the temperature random walk, in sweeps: how long walkers remember the
/// temperature slot they were at (R. Alvarez Banos et al., J. Stat. Mech. P06026 (2010), arXiv:1003.2569, use
/// this walk to decide on equilibration). One number per realization, the largest of its replicas; none
/// (empty) with one temperature.
///
/// The slot s of a walker has the mean mu = (T-1)/2 and the variance v = (T^2-1)/12: both averages over the T
/// walkers of one lattice stack are exact at any moment, because every slot holds one walker. With the run
/// cut into p equal parts of n measurements each, m_wb the mean slot of walker w in part b,
///     tau_p = interval n / (2 v) mean over w and b of (m_wb - mu)^2,
/// interval in sweeps between measurements: for n much longer than tau it is tau, of independent slots half
/// an interval, of walkers that do not move half a part. Known mean and variance leave no bias but that of
/// finite parts, tau_p = tau (1 - tau / part) for an exponential memory. p = `blocks`, halved while it is
/// even, then 1: the shortest parts that are at least `parts_per_tau` tau_p long decide, else the whole run.
/// The relative statistical error is about sqrt(2 / (p (T-1))); with p = 1 the largest value is half the run.
std::vector<double> walk_times(const RunSums& run, int blocks, ThreadPool& pool = caller_alone());

inline constexpr double parts_per_tau = 10.0;

}  // namespace psflip
