// Declares the halos of slabs with lanes = replicas on a GPU.
#pragma once

#include <optional>
#include <string>

#include "slab/halo_way.hpp"
#include "slab/peer_planes_cuda.cuh"
#include "slab/staged_halo_cuda.cuh"

namespace psflip {

/// Renews the halo planes of a slab in the way that halo_way chooses.
class ReplicaHalo {
  public:
    /// memory: of the words of all realizations, from DeviceBuffer::for_peers. The memory and the ranks must
    /// outlive the halo. Collective. Errors: as halo_way and PeerHalo.
    ReplicaHalo(Ranks& ranks, const CpuHalo::Memory& memory, const std::string& wanted, int device)
        : way_(halo_way(ranks, wanted, [&] { return peer_hindrance(ranks, device); })) {
        if (way_ == "peer")
            peers_.emplace(ranks, memory);
        else
            staged_.emplace(ranks, memory, way_ == "mpi");
    }

    const std::string& way() const { return way_; }
    /// Begins a series of exchanges, which ends when other work of the stream touches halos. Collective.
    void ready(cudaStream_t stream) {
        if (peers_) peers_->ready(stream);
    }
    /// Renews the halo planes of a colour for later work of `stream`. Collective.
    void exchange(int colour, cudaStream_t stream) {
        if (peers_)
            peers_->exchange(colour, stream);
        else
            staged_->exchange(colour, stream);
    }
    /// Checks that every neighbour answered. The kernels must have ended. Errors: as PeerHalo::check.
    void check() const {
        if (peers_) peers_->check();
    }

  private:
    std::string way_;
    std::optional<PlaneHalo> staged_;
    std::optional<PeerPlanes> peers_;
};

}  // namespace psflip
