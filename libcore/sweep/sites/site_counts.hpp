#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "sweep/lattice_counts.hpp"
#include "sweep/sites/site_lanes.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Counts the sites and bonds at which two lattices a and b differ. Their subdomains are lanes. The counter
/// works on their words (word, half). Only counts of diagonals unpack lanes. Between calls, the counter holds
/// 1/8 byte for each site.
class SiteCounter {
  public:
    SiteCounter(const SiteLanes& lanes, SimdLevel level) : lanes_(lanes), level_(level) {}

    /// Compares a and b. If b is empty, its spins are all up, and bonds are not counted. The threads of the
    /// pool share the lattice.
    void count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, bool diagonals,
               ThreadPool& pool, DifferenceCounts& counts);

  private:
    void add_diagonals(std::int64_t first_row, std::int64_t end_row, std::int32_t* planes) const;

    SiteLanes lanes_;
    SimdLevel level_;
    AlignedVector<std::uint64_t> difference_;
};

}  // namespace psflip
