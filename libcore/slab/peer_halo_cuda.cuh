#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/device_buffer.cuh"
#include "lattice/shape.hpp"
#include "slab/peer_links_cuda.cuh"
#include "slab/ranks.hpp"

namespace psflip {

/// Halos that kernels write into the memory of the neighbours' GPUs; see PeerLinks. For ranks of one machine
/// with a GPU each.
class PeerHalo {
  public:
    /// Why the ranks cannot write into one another's memory, the same text on all; empty where they can.
    /// Collective.
    static std::string hindrance(Ranks& ranks, int device);

    /// `arrays`: the arrays of spins, one or two, each (lattice, site of the held planes), allocated with
    /// DeviceBuffer::for_peers; they may be written by the neighbours from here on, and live longer than
    /// this. Collective.
    PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays);
    ~PeerHalo();
    PeerHalo(const PeerHalo&) = delete;

    /// Launches of a burst, red and black ones in turn or of both, come between these two. `ready`:
    /// neighbours may write halos from here on; collective, and waits for the other hosts, so that no GPU
    /// waits for one. `settle`: what the stream is given from here on finds fresh halos.
    void ready(cudaStream_t stream);
    void settle(cudaStream_t stream);
    /// For the next launch, which writes into array number `array` of the neighbours; all ranks make the same
    /// launches.
    PeerLinks next_launch(int array);

    /// Whether launches may overlap: launch_early.
    bool early() const { return early_; }

    /// Throws EnvironmentError where a neighbour has not answered a kernel that has ended.
    void check() const;

  private:
    struct Offer;
    void* opened(const Offer& offer, int which);

    Ranks& ranks_;
    bool early_ = false, sliced_;
    DeviceBuffer<std::uint64_t> words_;  ///< finished (side), then blocks done (side) and failed
    std::uint32_t* failed_on_host_ = nullptr;
    std::vector<std::array<uint4*, sides>> spins_;  ///< (array): of the neighbours
    PeerLinks links_{};
    std::vector<void*> opened_;
};

}  // namespace psflip
