// Defines the steps in which a block of the tiled kernel marches through its chunk of planes. Planes of the
// march count from the second plane before the chunk, so a chunk of P planes has the planes 2 to P + 1.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Number of planes of each colour in shared memory.
inline constexpr int tiled_ring = 5;
/// The last step of a chunk of P planes is P + tiled_last_steps - 1.
inline constexpr int tiled_last_steps = 3;

/// Describes the steps of the march. In step u, a thread has a red site in plane u + 1 of the march, or a
/// black site in plane u - 1.
struct MarchSteps {
    static constexpr std::uint32_t first_step = 0;
    /// Return colour and plane of the site of a thread. `colour`: of its sites in later steps.
    PSFLIP_HD static std::uint32_t colour_in(std::uint32_t, std::uint32_t colour) { return colour; }
    PSFLIP_HD static std::uint32_t plane_in(std::uint32_t u, std::uint32_t colour) {
        return colour ? u - 1 : u + 1;
    }
    /// Returns a number whose remainder by tiled_ring is the place of the plane in the rings.
    PSFLIP_HD static std::uint32_t ring_in(std::uint32_t u, std::uint32_t colour) {
        return u + (colour ? 4 : 1);
    }
    /// Returns whether the thread updates, in a chunk of this many planes.
    PSFLIP_HD static bool is_active(std::uint32_t u, std::uint32_t colour, std::uint32_t planes) {
        return colour ? u >= 3 : u <= planes + 1;
    }
    /// Follow the march: before the first step, and after step u.
    PSFLIP_HD static void start(std::uint32_t) {}
    PSFLIP_HD static void next(std::uint32_t, std::uint32_t) {}
};

/// Begins with step 1. Of the red sites in the plane before the chunk (plane 1), own black sites need only
/// those inside the tile. Threads of black sites, idle before step 3, update them in step 1.
struct ShortMarchSteps {
    static constexpr std::uint32_t first_step = 1;
    std::uint32_t now = 0;  ///< plane of the thread

    PSFLIP_HD static std::uint32_t colour_in(std::uint32_t u, std::uint32_t colour) {
        return u == 1 ? 0 : colour;
    }
    PSFLIP_HD std::uint32_t plane_in(std::uint32_t, std::uint32_t) const { return now; }
    PSFLIP_HD std::uint32_t ring_in(std::uint32_t, std::uint32_t) const { return now; }
    PSFLIP_HD bool is_active(std::uint32_t u, std::uint32_t colour, std::uint32_t planes) const {
        return colour ? u == 1 || is_own(planes) : now <= planes + 2;
    }
    /// Returns whether the plane belongs to the chunk.
    PSFLIP_HD bool is_own(std::uint32_t planes) const { return now - 2 < planes; }
    PSFLIP_HD void start(std::uint32_t colour) { now = 2 - colour; }
    PSFLIP_HD void next(std::uint32_t u, std::uint32_t colour) { now += u == 1 ? 1 - colour : 1; }
};

}  // namespace psflip
