// Divides lattices into boxes that fit in the shared memory of a block.
#pragma once

#include "base/host_device.hpp"

namespace psflip {

/// Sites of a quad, which one thread updates at once.
inline constexpr int quad_sites = 4;
inline constexpr int max_resident_threads = 1024;  ///< of a block
/// Up to this number of threads, a block draws proposals while it waits for other blocks.
inline constexpr int max_early_threads = 512;
inline constexpr int max_stream_threads = 640;

/// Divides a lattice into boxes of whole rows. A block keeps one box in shared memory, with the rows of other
/// boxes next to it.
struct VectorBoxes {
    unsigned rows, planes;      ///< of a box
    unsigned along_y, along_z;  ///< numbers of boxes

    PSFLIP_HD unsigned count() const { return along_y * along_z; }
    PSFLIP_HD unsigned halo_y() const { return along_y > 1 ? 1 : 0; }
    PSFLIP_HD unsigned halo_z() const { return along_z > 1 ? 1 : 0; }
    /// Return the rows of a plane in memory, and the planes, with halos.
    PSFLIP_HD unsigned held_rows() const { return rows + 2 * halo_y(); }
    PSFLIP_HD unsigned held_planes() const { return planes + 2 * halo_z(); }
};

/// Says how lattices stay in shared memory: boxes, and threads and bytes of a block.
struct ResidentPlan {
    VectorBoxes boxes{};
    unsigned threads = 0, bytes = 0;
    double half_sweep = 0;  ///< estimated time of half a sweep of all lattices, in microseconds
    bool possible() const { return threads > 0; }
};

/// Returns the estimated fastest plan for periodic lattices in three dimensions with float spins of three
/// components on a GPU with these multiprocessors and bytes of shared memory per block.
ResidentPlan resident_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory);

/// Divides a lattice into tiles, through which blocks march from plane to plane.
struct StreamPlan {
    unsigned rows = 0, planes = 0;    ///< of a tile
    unsigned threads = 0, bytes = 0;  ///< of a block
    double sweep = 0;                 ///< estimated time of a sweep of all lattices, in microseconds
    bool possible() const { return threads > 0; }
};
StreamPlan stream_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory);

}  // namespace psflip
