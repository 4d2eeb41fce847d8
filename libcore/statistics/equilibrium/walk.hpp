#pragma once

#include <vector>

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Returns the integrated autocorrelation times of the temperature random walk, in sweeps: how long walkers
/// remember their temperature slot. R. Alvarez Banos et al., J. Stat. Mech. P06026 (2010), arXiv:1003.2569,
/// use this walk to decide on equilibration. The result is (realization), the largest time of its replicas;
/// empty with one temperature.
///
/// The slot s of a walker has the mean mu = (T-1)/2 and the variance v = (T^2-1)/12. Both averages over the T
/// walkers of one temperature stack are exact at any moment, because every slot holds one walker. The run is
/// cut into p equal parts of n measurements each, and m_wb is the mean slot of walker w in part b:
///    tau_p = interval n / (2 v) mean over w and b of (m_wb - mu)^2,
/// with the interval in sweeps between measurements. If n is much longer than tau, tau_p is tau. It is half
/// an interval for independent slots, and half a part for walkers that do not move. Known mean and variance
/// leave only the bias of finite parts, tau_p = tau (1 - tau / part) for an exponential memory. p begins at
/// `blocks` and is halved while it is even, then it is 1. The shortest parts that are at least
/// `parts_per_tau` tau_p long decide, otherwise the whole run. The relative statistical error is about sqrt(2
/// / (p (T-1))). With p = 1 the largest value is half the run.
std::vector<double> walk_times(const RunSums& run, int blocks, ThreadPool& pool = caller_alone());

inline constexpr double parts_per_tau = 10.0;

}  // namespace psflip
