#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/device_buffer.cuh"
#include "lattice/shape.hpp"
#include "slab/peer_links_cuda.cuh"
#include "slab/ranks.hpp"

namespace psflip {

/// Arrays in the GPUs of other ranks of this machine, for kernels of this rank: by pointers if the ranks are
/// threads, else by handles. Nothing here is collective.
///
/// If ranks are threads, only one of these may be open for each GPU at a time: the first array of another GPU
/// opens access to that GPU, and the destructor closes it.
class NeighbourMemory {
  public:
    static constexpr int max_arrays = 3;
    using Arrays = std::array<void*, max_arrays>;

    /// The arrays of a rank, as bytes that may be sent to the others.
    struct Offer {
        bool handles;  ///< for other processes; else pointers of this process
        int device, count;
        Arrays plain;
        cudaIpcMemHandle_t handle[max_arrays];
    };
    /// Offers arrays of the current device. with_handles: for other processes; the arrays must be from
    /// DeviceBuffer::for_peers.
    static Offer offer(const std::vector<void*>& arrays, bool with_handles);

    NeighbourMemory() = default;
    NeighbourMemory(const NeighbourMemory&) = delete;
    /// No kernel may use the arrays any more.
    ~NeighbourMemory();

    /// Returns the arrays of an offer, which may be opened once. Throws EnvironmentError.
    Arrays open(const Offer& offer);

  private:
    void reach(int device);

    std::vector<int> reached_;
    std::vector<void*> opened_;
};

/// Halos that kernels write into the memory of the neighbours' GPUs; see PeerLinks. For ranks of one machine
/// with a GPU each. One at a time on a GPU: see NeighbourMemory.
class PeerHalo {
  public:
    /// `arrays`: one or two arrays of spins, each (lattice, site of the held planes), from
    /// DeviceBuffer::for_peers. From here on the neighbours may write them. They must outlive this. Throws
    /// EnvironmentError on all ranks if the memory of a neighbour is not accessible. Collective.
    PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays);
    ~PeerHalo();
    PeerHalo(const PeerHalo&) = delete;

    /// A burst of launches begins with ready and ends with settle. Its launches are red and black in turn, or
    /// of both colours. After `ready` the neighbours may write halos; it is collective and waits for the
    /// other hosts, so that no GPU waits for a host. Later work of the stream of `settle` finds fresh halos.
    void ready(cudaStream_t stream);
    void settle(cudaStream_t stream);
    /// Returns the links of the next launch, which writes into array number `array` of the neighbours. All
    /// ranks must make the same launches.
    PeerLinks next_launch(int array);

    /// Returns whether launches may overlap: launch_early.
    bool early() const { return early_; }

    /// Throws EnvironmentError if a neighbour has not answered a kernel that has ended.
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

/// Returns why kernels of the ranks cannot write into each other's memory, the same text on all ranks; empty
/// if they can. The driver may be wrong in containers and behind some bridges. So a launch writes known words
/// into the halos of small lattices, and every rank looks for the words of its neighbours. Collective.
std::string peer_hindrance(Ranks& ranks, int device);

}  // namespace psflip
