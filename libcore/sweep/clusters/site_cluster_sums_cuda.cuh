#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/device_buffer.cuh"
#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

struct TiledBits;

/// Holds the numbers of a tile of a large lattice.
struct TileSums {
    std::uint32_t clusters;          ///< with a site at the border of the tile
    std::uint32_t largest;           ///< of these clusters: the number of the one with most sites
    unsigned long long size, modes;  ///< sums of squares over the other clusters, as in ClusterSums
};

/// Holds the clusters of tiles that reach the border of their tile. Pointers refer to device memory.
struct BorderClusters {
    TileSums* tiles;      ///< (lattice, tile)
    std::uint32_t* root;  ///< (lattice, tile, cluster): the root of the cluster in the lattice
    long long* totals;  ///< (lattice, tile, cluster, number): numbers of a cluster, from its sites in a tile
};

/// Sums the clusters of large lattices on a GPU.
class SiteClusterSums {
  public:
    /// Allocates the memory for `at_once` lattices: for each site 2.7 bytes in two dimensions and 7.9 bytes
    /// in three. Errors: EnvironmentError that names the bytes if the device has too little memory.
    SiteClusterSums(const SiteLanes& lanes, std::uint32_t at_once, int device);

    /// Writes the sums of the clusters of `count` lattices, whose last step has just been queued, to `sums`
    /// in host memory. Changes the labels of clusters. Waits for the device.
    void find(const TiledBits& bits, std::uint32_t count, ClusterSums* sums, cudaStream_t stream);

  private:
    template <int Directions, int First, int Count>
    void add(const TiledBits& bits, std::uint32_t count, cudaStream_t stream);

    int L_, dimension_, available_;
    unsigned blocks_;  ///< that fill the device
    DeviceBuffer<TileSums> tiles_;
    DeviceBuffer<std::uint32_t> root_;
    DeviceBuffer<long long> totals_;
    DeviceBuffer<ClusterSums> sums_;      ///< (lattice)
    DeviceBuffer<std::int32_t> fourier_;  ///< fixed_fourier_table
};

}  // namespace psflip
