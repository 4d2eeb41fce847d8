#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/device_buffer.cuh"
#include "lattice/shape.hpp"
#include "slab/neighbour_memory_cuda.cuh"
#include "slab/peer_links_cuda.cuh"
#include "slab/ranks.hpp"

namespace psflip {

/// Halos that kernels write into the memory of the neighbours' GPUs; see PeerLinks. For ranks of one machine
/// with a GPU each. One at a time on a GPU: see NeighbourMemory.
class PeerHalo {
  public:
    /// `arrays`: the arrays of spins, one or two, each (lattice, site of the held planes), allocated with
    /// DeviceBuffer::for_peers; they may be written by the neighbours from here on, and live longer than
    /// this. Throws EnvironmentError on all ranks where the memory of a neighbour cannot be had. Collective.
    PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays);
    ~PeerHalo();
    PeerHalo(const PeerHalo&) = delete;

    /// Launches of a burst, red and black ones in turn or of both, come between these two. `ready`:
    /// neighbours may write halos from here on; collective, and waits for the other hosts, so that no GPU
    /// waits for one. `settle`: what the stream is given from here on finds fresh halos.
    void ready(cudaStream_t stream);
    void settle(cudaStream_t stream);
    /// Returns the links of the next launch, which writes into array number `array` of the neighbours. All
    /// ranks make the same launches.
    PeerLinks next_launch(int array);

    /// Whether launches may overlap: launch_early.
    bool early() const { return early_; }

    /// Throws EnvironmentError where a neighbour has not answered a kernel that has ended.
    void check() const;

  private:
    struct FreeOnHost {
        void operator()(std::uint32_t* word) const { cudaFreeHost(word); }
    };
    void make_words();
    void connect(Side side, const NeighbourMemory::Arrays& arrays, int planes);

    Ranks& ranks_;
    bool early_ = false, sliced_;
    int L_, planes_;
    /// Finished (side), then blocks done (side), then failed.
    DeviceBuffer<std::uint64_t> words_;
    std::unique_ptr<std::uint32_t, FreeOnHost> failed_on_host_;
    std::vector<std::array<uint4*, sides>> spins_;  ///< (array): of the neighbours
    PeerLinks links_{};
    NeighbourMemory neighbours_;
};

}  // namespace psflip
