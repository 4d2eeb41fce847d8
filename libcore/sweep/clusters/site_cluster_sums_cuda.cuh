#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/device_buffer.cuh"
#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

struct TiledBits;

/// Sums the clusters of large lattices on a GPU. Has no memory before the first sums.
class SiteClusterSums {
  public:
    /// Writes the sums of the clusters of `count` lattices, whose last step has just been queued, to `sums`
    /// in host memory. Waits for the device. at_once: largest count of any call. Errors: EnvironmentError if
    /// the device has too little memory: 8 bytes for each site of at_once lattices.
    void find(const SiteLanes& lanes, std::uint32_t at_once, const TiledBits& bits, std::uint32_t count,
              ClusterSums* sums, cudaStream_t stream);

  private:
    DeviceBuffer<unsigned long long> totals_;  ///< (lattice, site): a number of the cluster at its root
    DeviceBuffer<ClusterSums> sums_;           ///< (lattice)
    DeviceBuffer<std::int32_t> fourier_;       ///< fixed_fourier_table
};

}  // namespace psflip
