#pragma once

#include "base/device_buffer.cuh"
#include "lattice/geometry_cuda.cuh"

namespace psflip {

/// The gauge (sweep/gauge.hpp) of whole lattices of a batch in device memory, with all seams between the last
/// plane and the first.
class LatticeGauge {
  public:
    /// Gauges the couplings, words of 16 bytes (column, direction, site); energies of gauged spins with them
    /// are those of the spins with the couplings before.
    LatticeGauge(const Geometry& g, uint4* couplings, std::int64_t columns, cudaStream_t stream);

    /// Turns spins, (column, lattice, site), into the gauge or back.
    void turn(uint4* spins, std::int64_t lattices_per_column, cudaStream_t stream) const;

  private:
    Geometry g_;
    std::int64_t columns_;
    DeviceBuffer<uint4> turn_;  ///< (column, site)
};

}  // namespace psflip
