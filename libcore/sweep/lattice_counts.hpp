#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace psflip {

/// Names two replicas a and b, which are compared at each site by d = s^a xor s^b. If b < 0, replica a is
/// compared with spins that are all +1.
struct ReplicaPair {
    int a, b;
};

/// Holds the counts of d in one lattice.
struct DifferenceCounts {
    /// Number of sites with d = 1 in each plane, (axis, plane 0 to L - 1). The axes are x, y, z and then the
    /// diagonals of measure/plane_sites.hpp.
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
    /// Calls `take` for all pairs in every realization and slot, from several threads at a time. `counts` is
    /// valid only during the call. Links are counted for two replicas, but not for spins that are all +1.
    /// diagonals: also counts diagonal planes.
    virtual void count_differences(std::span<const ReplicaPair> pairs, bool diagonals, const Take& take) = 0;
};

}  // namespace psflip
