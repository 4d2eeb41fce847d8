// Declares halos that a kernel copies into the memory of neighbouring GPUs after each half sweep.
#pragma once

#include <vector>

#include "slab/halo_cpu.hpp"
#include "slab/peer_halo_cuda.cuh"

namespace psflip {

/// Renews the halo planes next to the own planes of a slab, for sweeping kernels that do not write halos
/// themselves. A kernel writes the outermost own planes into the GPUs of the neighbours, and waits for the
/// planes of the neighbours. A GPU may have one PeerPlanes or PeerHalo at a time.
class PeerPlanes {
  public:
    /// memory: as for PlaneHalo, in whole words of 32 bits, from DeviceBuffer::for_peers. The memory and the
    /// ranks must outlive the halo. Collective. Errors: as PeerHalo.
    PeerPlanes(Ranks& ranks, CpuHalo::Memory memory);

    /// Begins a series of exchanges, in which neighbours may write the halos of this rank (PeerHalo::ready).
    /// The series ends when other work of the stream touches halos. Collective.
    void ready(cudaStream_t stream) { peers_.ready(stream); }
    /// Renews the halo planes of a colour for later work of `stream`. All ranks must make equal calls. Not
    /// collective.
    void exchange(int colour, cudaStream_t stream);
    /// Checks that every neighbour answered. The kernels must have ended. Errors: as PeerHalo::check.
    void check() const { peers_.check(); }

  private:
    /// Holds the places of a rank's halo planes, in words.
    struct Halos {
        std::int64_t stride;
        std::int64_t offset[2][sides];  ///< (colour, side)
    };

    std::int64_t words(std::int64_t bytes) const { return bytes / std::int64_t{sizeof(std::uint32_t)}; }

    CpuHalo::Memory memory_;
    PeerHalo peers_;
    Halos there_[sides];  ///< of the neighbours
};

}  // namespace psflip
