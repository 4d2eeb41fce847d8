// Lets kernels write halos directly into the memory of neighbouring GPUs of one machine.
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

/// Opens arrays in the GPUs of other ranks of this machine, for kernels of this rank. If the ranks are
/// threads of one process, it uses their pointers, otherwise handles of CUDA IPC. No function is collective.
///
/// If ranks are threads, only one NeighbourMemory may be open for each GPU at a time. The first array on
/// another GPU enables access to that GPU, and the destructor disables it.
class NeighbourMemory {
  public:
    static constexpr int max_arrays = 3;
    using Arrays = std::array<void*, max_arrays>;

    /// Holds the arrays of a rank, as bytes that may be sent to other ranks.
    struct Offer {
        bool handles;  ///< true: for other processes; false: pointers of this process
        int device, count;
        Arrays plain;
        cudaIpcMemHandle_t handle[max_arrays];
    };
    /// Returns an offer of arrays of the current device. with_handles: for other processes; the arrays must
    /// then be from DeviceBuffer::for_peers.
    static Offer offer(const std::vector<void*>& arrays, bool with_handles);

    NeighbourMemory() = default;
    NeighbourMemory(const NeighbourMemory&) = delete;
    /// When the destructor runs, no kernel may use the arrays any more.
    ~NeighbourMemory();

    /// Returns the arrays of an offer, as pointers for kernels of this rank. An offer may be opened once.
    /// Errors: EnvironmentError if the memory is not accessible.
    Arrays open(const Offer& offer);

  private:
    void reach(int device);

    std::vector<int> reached_;
    std::vector<void*> opened_;
};

/// Holds halos that kernels write into the memory of the neighbours' GPUs (PeerLinks). It needs ranks of one
/// machine, each with its own GPU. A GPU may have one PeerHalo at a time (NeighbourMemory).
class PeerHalo {
  public:
    /// `arrays`: one or two arrays of spins, each (lattice, site of the held planes), from
    /// DeviceBuffer::for_peers. Between ready and settle, kernels of the neighbours may write the halo planes
    /// of `arrays`. Arrays and ranks must outlive the PeerHalo. Collective. Errors: EnvironmentError on all
    /// ranks if the memory of a neighbour is not accessible.
    PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays);
    /// Connects arrays in which every rank holds the words of all ranks, so that a word has one index on all
    /// ranks. Kernels use PeerLinks::Neighbour::spins with this index instead of PeerLinks::place.
    /// Collective. Errors: as the other constructor.
    PeerHalo(Ranks& ranks, const std::vector<uint4*>& arrays);
    /// Waits for this device only. The last burst must have ended with settle, after which no neighbour
    /// writes the arrays. Not collective.
    ~PeerHalo();
    PeerHalo(const PeerHalo&) = delete;

    /// Begin and end a burst of launches. Either every launch updates one colour, and launches of red
    /// and black alternate, or every launch updates both colours. After `ready`, the neighbours may write the
    /// halos of this rank. `ready` is collective and waits for the other hosts, so that no GPU waits for a
    /// host. Work that is queued after `settle` in its stream finds halos that are up to date. `settle` is
    /// not collective. Errors: `ready` throws as check does, perhaps on one rank only.
    void ready(cudaStream_t stream);
    void settle(cudaStream_t stream);
    /// Returns the links of the next launch, which writes into array number `array` of the neighbours. All
    /// ranks must make equal launches.
    PeerLinks next_launch(int array);

    /// Returns whether launches may overlap (launch_early).
    bool early() const { return early_; }

    /// Checks that every neighbour answered the kernels of this rank. The kernels must have ended. Errors:
    /// EnvironmentError if a neighbour did not answer.
    void check() const;

  private:
    struct FreeOnHost {
        void operator()(std::uint32_t* word) const { cudaFreeHost(word); }
    };
    PeerLinks next_links(int array);
    void make_words();
    void connect(Side side, const NeighbourMemory::Arrays& arrays);

    Ranks& ranks_;
    bool early_ = false, sliced_ = false;
    /// The arrays of PeerLinks in this order: finished (by side), blocks_done (by side), failed.
    DeviceBuffer<std::uint64_t> words_;
    std::unique_ptr<std::uint32_t, FreeOnHost> failed_on_host_;
    std::vector<std::array<uint4*, sides>> spins_;  ///< (array): arrays of the neighbours
    PeerLinks links_{};
    NeighbourMemory neighbours_;
};

/// Returns why kernels of the ranks cannot write into each other's memory, or an empty text if they can. The
/// text is equal on all ranks. In containers and behind some bridges, the driver may wrongly report access.
/// So the function tries it: a launch writes known words into the halos of small lattices, and every rank
/// looks for the words of its neighbours. device: CUDA device number. Collective.
std::string peer_hindrance(Ranks& ranks, int device);

}  // namespace psflip
