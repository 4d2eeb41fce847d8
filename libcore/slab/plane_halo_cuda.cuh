#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "slab/halo_cpu.hpp"

namespace psflip {

/// The halo planes next to the own ones of a slab in device memory, through pinned host memory:
///
///   own planes --all lattices--> message ---ranks---> message --> halo planes
///
/// Works with any ranks, also with several slabs on one GPU. One colour after the other: nothing overlaps.
class PlaneHalo {
  public:
    /// memory: as of CpuHalo, its first byte in the memory of the current device; the planes of a colour have
    /// the same size. It and the ranks outlive this.
    PlaneHalo(Ranks& ranks, CpuHalo::Memory memory);
    ~PlaneHalo();
    PlaneHalo(const PlaneHalo&) = delete;
    PlaneHalo& operator=(const PlaneHalo&) = delete;

    /// What `stream` is given from here on finds the halo planes of a colour as the neighbours' outermost own
    /// planes are behind all that their streams were given. Collective.
    void exchange(int colour, cudaStream_t stream);

  private:
    enum Message { to_below, to_above, from_below, from_above };
    static constexpr std::size_t messages = 4;

    std::size_t bytes(int colour) const {
        return static_cast<std::size_t>(memory_.part(colour, memory_.begin).bytes * memory_.lattices);
    }
    /// Between a message and a plane of all lattices.
    void copy(Message which, int colour, int plane, cudaStream_t stream) const;

    Ranks& ranks_;
    CpuHalo::Memory memory_;
    std::size_t room_;             ///< of each message
    std::byte* pinned_ = nullptr;  ///< one message after the other
};

}  // namespace psflip
