#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>

#include "base/device_buffer.cuh"
#include "sweep/clusters/cluster_rule.hpp"
#include "sweep/clusters/site_cluster_sums_cuda.cuh"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Makes cluster updates of the lattices of a batch whose subdomains are lanes. Small lattices are updated
/// many at a time. All lattices use the memory of one object, in the order of the stream.
class SiteClusters {
  public:
    /// lattices: number of the batch. wolff: each step flips one cluster; otherwise each step gives new spins
    /// to all clusters. Errors: EnvironmentError that names the bytes if the device has too little memory.
    /// Each of the lattices that are updated at once needs 6 + (dimension + 2) / 8 bytes for a site. Without
    /// `wolff` it also needs the memory of SiteClusterSums.
    SiteClusters(const SiteLanes& lanes, std::uint32_t lattices, bool wolff, int device);

    /// Starts `steps` steps of lattices of the batch in the stream. The thresholds are [slot][0]. If `place`
    /// of the batch is null, its only lattice is the first one in memory. first: the first step, and the
    /// numbers of the first lattice. sums: (lattice), in host memory; takes the sums of the clusters of the
    /// last step, and then waits for the device. Null: no sums. Wolff steps have none.
    void update(const BatchArgs& batch, const ClusterStep& first, std::uint32_t lattices, std::int64_t steps,
                ClusterSums* sums, cudaStream_t stream) const;

  private:
    SiteLanes lanes_;
    unsigned multiprocessors_;
    std::uint32_t at_once_;                   ///< lattices
    DeviceBuffer<std::uint32_t> bits_;        ///< (lattice): see TiledBits
    DeviceBuffer<std::uint16_t> within_;      ///< (lattice, tile, site): label within the tile
    DeviceBuffer<std::uint32_t> labels_;      ///< (lattice, site): set at sites that are labels within tiles
    DeviceBuffer<std::uint32_t> wolff_root_;  ///< (lattice): label of the cluster that a Wolff step flips
    mutable std::optional<SiteClusterSums> sums_;  ///< empty for Wolff
};

}  // namespace psflip
