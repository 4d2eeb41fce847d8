#pragma once

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Of each realization at the coldest temperature, over all replicas; empty where a run file has none.
struct LowestEnergies {
    std::vector<std::int64_t> energy;  ///< J
    std::vector<std::int64_t> count;   ///< measurements that had it
    std::vector<std::int64_t>
        first_half;  ///< the lowest of the first half of the run; +3N where it has no block
};

/// A run that finds its ground states finds the same in its first half: where `energy` is lower, a doubled
/// run may find one lower still.
LowestEnergies lowest_energies(const RunSums& run);

}  // namespace psflip
