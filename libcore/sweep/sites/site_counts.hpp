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

/// Counts d = a xor b of lattices whose subdomains are lanes, from their words (word, half). Only diagonals
/// are unpacked. The counter holds 1/8 byte for each site between calls.
class SiteCounter {
  public:
    SiteCounter(const SiteLanes& lanes, SimdLevel level) : lanes_(lanes), level_(level) {}

    /// Counts d; if b is empty, its spins are all up. The threads of the pool share the lattice.
    void count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, bool diagonals,
               ThreadPool& pool, DifferenceCounts& counts);

  private:
    void add_diagonals(std::int64_t first_row, std::int64_t end_row, std::int32_t* planes) const;

    SiteLanes lanes_;
    SimdLevel level_;
    AlignedVector<std::uint64_t> difference_;
};

}  // namespace psflip
