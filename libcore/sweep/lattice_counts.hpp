#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Names two replicas of a lattice that are compared by d = s^a xor s^b. If b < 0, a is compared with spins
/// that are all +1.
struct ReplicaPair {
    int a, b;
};

/// Holds the counts of d in one lattice.
struct DifferenceCounts {
    /// Number of sites with d = 1: (axis x, y, z, then diagonal of measure/plane_sites.hpp; plane L).
    std::vector<std::int32_t> planes;
    std::int64_t links = 0;  ///< number of bonds whose ends differ in d
};

/// Counts whole lattices for measurements, in an ensemble that holds no words of realizations and has no
/// absent bonds.
class LatticeCounts {
  public:
    virtual ~LatticeCounts() = default;

    using Take = std::function<void(std::int64_t realization, int slot, std::size_t pair,
                                    const DifferenceCounts& counts)>;
    /// Calls `take` for all pairs of every realization and slot, from several threads at a time. The counts
    /// are valid during the call. Links are counted for two replicas, but not for spins that are all +1.
    /// diagonals: also counts diagonal planes.
    virtual void count_differences(std::span<const ReplicaPair> pairs, bool diagonals, const Take& take) = 0;
};

}  // namespace psflip
