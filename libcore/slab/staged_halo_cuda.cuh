#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "lattice/geometry_cuda.cuh"
#include "slab/halo_cpu.hpp"

namespace psflip {

// Sends halos by messages between ranks:
//
//   spins --planes of all lattices--> message ---ranks---> message --halo planes--> spins
//
// This works with any ranks, also with several slabs on one GPU.

/// Names the messages of a rank to and from its neighbours.
enum HaloMessage { to_below, to_above, from_below, from_above };
inline constexpr std::size_t halo_messages = 4;

/// Names a part of a halo: the planes * L^2 / 2 sites of a colour that are nearest to an end of the slab. In
/// the standard order a plane has L^2 / 2 sites of a colour. In the sliced order a plane has one colour, and
/// L^2 sites.
struct HaloPart {
    unsigned colour, planes;
    bool down, up;  ///< down: goes to the rank below; up: goes to the rank above

    bool goes(bool downwards) const { return downwards ? down : up; }
};

/// Names lattices of a slab in device memory, one after the other: (lattice, site of the held planes).
struct HeldLattices {
    Geometry geometry;
    uint4* spins;  ///< spins of the first lattice
    std::int64_t count;
};

/// Sends halos of 128-bit words (`lanes: realizations`), through pinned host memory or, if the ranks take it,
/// device memory. Copies run in a separate stream.
class StagedHalo {
  public:
    /// in_device_memory: needs Ranks::takes_device_memory. The ranks must outlive the halo. Not collective.
    StagedHalo(Ranks& ranks, bool in_device_memory);
    ~StagedHalo();

    /// Copies own planes into messages, after all work that `stream` has now; the stream may get more work.
    /// Until finish, nothing may write these planes or the halo planes of these parts. Not collective.
    void start(const HeldLattices& lattices, const std::vector<HaloPart>& parts, cudaStream_t stream);
    /// Exchanges the messages of start, and copies them into the halos. Work that is queued into `stream`
    /// afterwards finds the halos. Collective.
    void finish(cudaStream_t stream);
    /// Frees the memory of messages until the next start, after all copies. Not collective.
    void release();

  private:
    void reserve(std::size_t bytes);
    /// Returns whether the message goes down from here or comes down from above. These two messages have
    /// equal sizes.
    static bool downwards(HaloMessage which) { return which == to_below || which == from_above; }
    std::size_t bytes(HaloMessage which) const { return bytes_[downwards(which) ? 0 : 1]; }
    std::byte* message(HaloMessage which) const;
    void copy_parts(HaloMessage which);

    Ranks& ranks_;
    bool in_device_memory_;
    std::byte* memory_ = nullptr;                   ///< messages, one after the other
    std::size_t reserved_ = 0, bytes_[2] = {0, 0};  ///< reserved_: bytes of all messages; bytes_: of each
                                                    ///< message that goes down, up
    HeldLattices lattices_{};
    std::vector<HaloPart> parts_;
    Stream copies_;
    Event taken_, put_;
};

/// Renews the halo planes next to the own planes of a slab, for lane codings other than `realizations`. It
/// sends one colour after the other through pinned host memory, and overlaps nothing with sweeps.
class PlaneHalo {
  public:
    /// memory: as for CpuHalo, but in the memory of the current device. All planes of a colour have one size.
    /// The memory and the ranks must outlive the halo.
    PlaneHalo(Ranks& ranks, CpuHalo::Memory memory);
    ~PlaneHalo();
    PlaneHalo(const PlaneHalo&) = delete;
    PlaneHalo& operator=(const PlaneHalo&) = delete;

    /// Renews the halo planes of a colour for later work of `stream`. Each rank sends its planes after all
    /// work that its stream has now. Collective.
    void exchange(int colour, cudaStream_t stream);

  private:
    std::size_t bytes(int colour) const {
        return static_cast<std::size_t>(memory_.part(colour, memory_.begin).bytes * memory_.lattices);
    }
    void copy(HaloMessage which, int colour, int plane, cudaStream_t stream) const;

    Ranks& ranks_;
    CpuHalo::Memory memory_;
    std::size_t room_;             ///< bytes for each message
    std::byte* pinned_ = nullptr;  ///< messages, one after the other
};

}  // namespace psflip
