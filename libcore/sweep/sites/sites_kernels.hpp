// Declares the CPU kernels of lattices whose subdomains are lanes, and their tasks.
#pragma once

#include <cstdint>

#include "sweep/sites/site_lanes.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Names the local indices of a cuboid in every subdomain, in multiples of 8 along x: x, y, z.
struct LocalRange {
    int begin[3], end[3];
};

/// Updates some local indices of a lattice whose subdomains are lanes.
struct SitesTask {
    const SiteLanes* lanes;
    std::uint64_t* spins;            ///< (word, half), see SiteLanes
    const std::uint64_t* couplings;  ///< (direction, word, half): 1 if J = -1; null: all J = +1
    std::uint64_t key;
    std::uint32_t realization, replica, slot;
    const std::uint32_t* thresholds;  ///< rule.thresholds() numbers
    const std::uint32_t* always;      ///< AcceptanceTable::always; read by the class rule
    SweepRule rule;
    LocalRange range;
    /// Edge of the tiles; 0: half a step sweeps one colour of the range. With tiles, half a step updates the
    /// tiles of one colour one after the other, each `hits` times red and black. The range is a multiple of
    /// tiles and of 8 sites.
    int tile, hits;
    std::int64_t first_half, halves;  ///< half steps: 2 step + colour
};

/// Sums over some local indices of a lattice whose subdomains are lanes.
struct SitesSumTask {
    const SiteLanes* lanes;
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    LocalRange range;
    std::int64_t unsatisfied = 0;  ///< unsatisfied bonds of red sites
    std::int64_t up = 0;           ///< spins +1
};

/// Counts sites +1 by plane across each axis, over some local indices of a lattice whose subdomains are
/// lanes.
struct SitesPlaneTask {
    const SiteLanes* lanes;
    const std::uint64_t* spins;
    LocalRange range;
    std::int32_t* planes;  ///< (axis; plane L): the task adds its counts
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct SitesKernels {
    void (*update)(const SitesTask&);
    void (*sum)(SitesSumTask&);
    void (*planes)(const SitesPlaneTask&);
    /// Lanes moved to the next subdomain, for 4 local indices (local index, half); for tests.
    void (*step)(const std::uint64_t* from, std::uint64_t* to, const LaneStep& step, bool forward);

    static const SitesKernels scalar, avx2, avx512;
};

}  // namespace psflip
