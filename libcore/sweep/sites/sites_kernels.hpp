// Declares the CPU kernels of lattices whose subdomains are lanes, and their tasks.
#pragma once

#include <cstdint>

#include "lattice/shape.hpp"
#include "sweep/sites/site_lanes.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Names a cuboid of every subdomain by local coordinates, begin <= (x, y, z) < end. Along x, begin and end
/// are multiples of 8.
struct LocalRange {
    int begin[3], end[3];
};

/// Describes an update of some local indices of a lattice whose subdomains are lanes.
struct SitesTask {
    const SiteLanes* lanes;
    std::uint64_t* spins;            ///< (word, half), see SiteLanes
    const std::uint64_t* couplings;  ///< (direction, word, half): 1 if J = -1; null: all J = +1
    std::uint64_t key;
    std::uint32_t realization, replica, slot;
    const std::uint32_t* thresholds;  ///< (rule.thresholds())
    const std::uint32_t* always;      ///< AcceptanceTable::always; read by the class rule
    SweepRule rule;
    LocalRange range;
    /// Edge of the tiles; 0: no tiles. Without tiles, half a step sweeps one colour of the range. With tiles,
    /// half a step updates the tiles of one colour one after another, each `hits` times (red, then black, or
    /// as first_colours says). The range has whole tiles.
    int tile, hits;
    TileOrder tile_order;
    std::int64_t first_half, halves;  ///< numbers of half steps: 2 * step + colour
};

/// Describes sums over some local indices of a lattice whose subdomains are lanes.
struct SitesSumTask {
    const SiteLanes* lanes;
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    LocalRange range;
    std::int64_t unsatisfied = 0;  ///< unsatisfied bonds of red sites
    std::int64_t up = 0;           ///< spins +1
};

/// Describes a count of set bits (+1, or differences) in each plane of sites across each axis. It covers some
/// local indices of a lattice whose subdomains are lanes.
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
    /// Moves lanes to the next subdomain, or to the previous one, for 4 local indices: (local index, half).
    /// Only tests call it.
    void (*step)(const std::uint64_t* from, std::uint64_t* to, const LaneStep& step, bool forward);

    static const SitesKernels scalar, avx2, avx512;
};

}  // namespace psflip
