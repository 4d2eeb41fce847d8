#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "lattice/geometry_cuda.cuh"
#include "slab/ranks.hpp"

namespace psflip {

/// What neighbours need of a colour: the L^2 / 2 `planes` sites that lie nearest to an end of the slab; in
/// the standard order so many planes, in the sliced one a plane has 2 L^2 / 2.
struct HaloPart {
    unsigned colour, planes;
    bool down, up;  ///< to the rank below, above

    bool goes(bool downwards) const { return downwards ? down : up; }
};

/// Lattices of a slab in device memory, one after the other: (lattice, site of the held planes).
struct HeldLattices {
    Geometry geometry;
    uint4* spins;  ///< of the first
    std::int64_t count;
};

/// Halos by messages between ranks, through pinned host memory or, where the ranks take it, device memory:
///
///   spins --planes of all lattices--> message ---ranks---> message --halo planes--> spins
///
/// Works with any ranks, also with several slabs on one GPU. Copies have a stream of their own.
class StagedHalo {
  public:
    /// in_device_memory: where Ranks::takes_device_memory. Not collective.
    StagedHalo(Ranks& ranks, bool in_device_memory);
    ~StagedHalo();

    /// Takes own planes as they are after all that `stream` has been given, while more is given to it. No
    /// plane that is taken, and no halo plane of these parts, may be written before finish. Not collective.
    void start(const HeldLattices& lattices, const std::vector<HaloPart>& parts, cudaStream_t stream);
    /// Exchanges what start took; what `stream` is given from here on finds the halos. Collective.
    void finish(cudaStream_t stream);
    /// Gives the memory of messages back until the next start, after all copies. Not collective.
    void release();

  private:
    enum Message { to_below, to_above, from_below, from_above };
    static constexpr int messages = 4;

    void reserve(std::size_t bytes);
    /// Messages lie one after the other; those that go down from here and come down from above are of a size.
    static bool downwards(Message which) { return which == to_below || which == from_above; }
    std::size_t bytes(Message which) const { return bytes_[downwards(which) ? 0 : 1]; }
    std::byte* message(Message which) const;
    /// Between a message and the planes of a part from held plane `plane` on, of all lattices.
    void copy(Message which, std::size_t offset, const HaloPart& part, unsigned plane);
    void copy_parts(Message which);

    Ranks& ranks_;
    bool in_device_memory_;
    std::byte* memory_ = nullptr;
    std::size_t reserved_ = 0, bytes_[2] = {0, 0};  ///< of all messages; of each that goes down, up
    HeldLattices lattices_{};
    std::vector<HaloPart> parts_;
    Stream copies_;
    Event taken_, put_;
};

}  // namespace psflip
