#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Two replicas of a lattice that are compared by d = s^a xor s^b; b < 0: spins all up.
struct ReplicaPair {
    int a, b;
};

/// What is counted of d.
struct DifferenceCounts {
    /// Sites with d = 1: (axis x, y, z, then diagonal as measure/plane_sites.hpp says; plane L).
    std::vector<std::int32_t> planes;
    std::int64_t links = 0;  ///< bonds whose ends differ in d
};

/// Counts of whole lattices for measurements, by an ensemble that holds no words of realizations and has no
/// absent bonds.
class LatticeCounts {
  public:
    virtual ~LatticeCounts() = default;

    using Take = std::function<void(std::int64_t realization, int slot, std::size_t pair,
                                    const DifferenceCounts& counts)>;
    /// Calls take for all pairs of every realization and slot; several threads call at a time. Links are
    /// counted for two replicas, not with spins all up.
    virtual void count_differences(std::span<const ReplicaPair> pairs, bool diagonals, const Take& take) = 0;
};

}  // namespace psflip
