#pragma once

#include <cstdint>
#include <vector>

#include "statistics/thermal/shared_noise.hpp"

namespace psflip {

/// Thermal noise of the sum of an observable over the realizations of each pack, (temperature, pack):
/// variance of its mean over n measurements, times n.
struct PackNoise {
    std::vector<double> noise;  ///< of the sum
    std::vector<double>
        excess;   ///< what sharing random numbers adds to it: less that of the realizations alone
    int dof = 0;  ///< degrees of freedom of both for one pack; 0: NaN, too few blocks
};

/// From all blocks of the run in its last three log2 bins, in each bin about a straight line (about the mean,
/// where that leaves fewer than least_dof_line degrees of freedom), so that a drift does not count as noise.
/// `edges` are those of the log2 bins. observable: one of binned_observables; energies per replica.
PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable,
                     ThreadPool& pool = caller_alone());

}  // namespace psflip
