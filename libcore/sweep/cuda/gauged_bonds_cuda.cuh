#pragma once

#include "base/device_buffer.cuh"
#include "lattice/geometry_cuda.cuh"

namespace psflip {

/// What the resident kernel and, of whole lattices, the fused one read in the gauge: words of 16 bytes
/// (column, direction, site) in the order of the sites: bonds in +x and +y, the seam in both sites that it
/// binds, and what spins are turned over by.
struct GaugedBonds {
    static constexpr unsigned seam = 2, turn = 3, directions = 4;

    /// From the couplings of whole lattices, (column, direction, site), for slabs of `depth` planes.
    static DeviceBuffer<uint4> of(const Geometry& g, const uint4* couplings, std::int64_t columns,
                                  unsigned depth, cudaStream_t stream);
};

}  // namespace psflip
