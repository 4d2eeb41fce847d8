#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/device_buffer.cuh"
#include "sweep/clusters/cluster_rule.hpp"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Makes cluster updates of large lattices whose subdomains are lanes. All lattices of a batch use the memory
/// of one object, one after the other in the order of the stream.
class SiteClusters {
  public:
    /// Errors: EnvironmentError that names the bytes if the device has too little memory.
    explicit SiteClusters(const SiteLanes& lanes);

    /// Returns the bytes of device memory for a site.
    static double bytes_per_site(int dimension) { return 6.0 + (dimension + 2) / 8.0; }

    /// Starts `steps` steps in the stream. first: the first step. wolff: each step flips one cluster;
    /// otherwise each step gives new spins to all clusters. threshold: bond_threshold.
    void update(const SitesArgs& args, ClusterStep first, std::int64_t steps, bool wolff,
                std::uint32_t threshold, cudaStream_t stream) const;

  private:
    SiteLanes lanes_;
    DeviceBuffer<std::uint32_t> bits_;        ///< SiteBits
    DeviceBuffer<std::uint16_t> within_;      ///< (site): label within the tile
    DeviceBuffer<std::uint32_t> labels_;      ///< (site): set at sites that are labels within tiles
    DeviceBuffer<std::uint32_t> wolff_root_;  ///< label of the cluster that a Wolff step flips
};

}  // namespace psflip
