#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "lattice/geometry_cuda.cuh"
#include "slab/halo_cpu.hpp"
#include "slab/shared_messages.hpp"

namespace psflip {

// Sends halos by messages between ranks:
//
//   spins --planes of all lattices--> message ---ranks---> message --halo planes--> spins
//
// This works with any ranks, also with several slabs on one GPU. A stream that is ahead of all others updates
// the outermost own planes and copies messages, while the main stream updates all other planes:
//
//   stream of the halo: outermost planes, copies to messages ------> copies from messages
//   host:                                  exchange of messages ------>
//   main stream:        all other planes ------------------------------------------> next colour or sweep
//
// Long messages travel in batches of lattices, so that copies in both directions hide behind the exchange.

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
/// device memory. Neighbours on one machine read messages in host memory in place: they share the memory, and
/// the ranks exchange one byte instead of each message.
class StagedHalo {
  public:
    /// in_device_memory: needs Ranks::takes_device_memory. The ranks must outlive the halo. Not collective.
    StagedHalo(Ranks& ranks, bool in_device_memory);
    ~StagedHalo();

    /// Makes the stream of this halo wait for all present work of `stream`, and returns it. The kernel of the
    /// outermost own planes goes into this stream. `stream` may then get work that does not need these
    /// planes. Not collective.
    cudaStream_t begin(cudaStream_t stream);
    /// Takes own planes after all work of the stream that begin returned. Until finish, nothing may write
    /// these planes or the halo planes of these parts. Collective, with equal arguments except for addresses.
    void start(const HeldLattices& lattices, const std::vector<HaloPart>& parts);
    /// Exchanges what start took. Later work of `stream` finds the halos. Collective.
    void finish(cudaStream_t stream);
    /// Frees the memory of messages until the next start, after all copies. Not collective.
    void release();

  private:
    void reserve(std::size_t bytes);
    /// Makes memory of this size that neighbours read. Returns whether it works, equally on all ranks.
    bool share(std::size_t bytes);
    void unshare();
    /// Returns whether the message goes down from here or comes down from above. Both have one size.
    static bool downwards(HaloMessage which) { return which == to_below || which == from_above; }
    std::size_t bytes(HaloMessage which) const { return bytes_[downwards(which) ? 0 : 1]; }
    /// Returns the number of the first lattice of a batch of messages.
    std::int64_t first_of(int batch) const { return lattices_.count * batch / batches_; }
    /// Returns a message of a batch. The messages of all batches lie one after the other.
    std::span<std::byte> message(HaloMessage which, int batch) const;
    void copy_parts(HaloMessage which, int batch);

    Ranks& ranks_;
    bool in_device_memory_;
    std::byte* memory_ = nullptr;             ///< messages, one after the other; null if shared
    std::unique_ptr<SharedMessages> shared_;  ///< messages to neighbours, for both turns
    std::vector<std::byte*> registered_;      ///< mappings of shared_ that are known to CUDA
    /// Exchanges use the halves of the shared memory by turns. When a neighbour sends the next exchange, it
    /// has copied this one.
    int turn_ = 0;
    std::size_t reserved_ = 0, bytes_[2] = {0, 0};  ///< reserved_: bytes of all messages; bytes_: of each
                                                    ///< message that goes down, up
    HeldLattices lattices_{};
    std::vector<HaloPart> parts_;
    static constexpr int max_batches = 8;
    int batches_ = 1;
    SideStream stream_{true};
    Event taken_[max_batches];  ///< (batch): the messages to neighbours are complete
};

/// Renews the halo planes next to the own planes of a slab, for lane codings other than `realizations`. It
/// sends planes through pinned host memory or device memory.
class PlaneHalo {
  public:
    /// memory: as for CpuHalo, but in the memory of the current device. All planes of a colour have one size.
    /// in_device_memory: messages are in device memory, which needs Ranks::takes_device_memory. The memory
    /// and the ranks must outlive the halo.
    PlaneHalo(Ranks& ranks, CpuHalo::Memory memory, bool in_device_memory = false);
    ~PlaneHalo();
    PlaneHalo(const PlaneHalo&) = delete;
    PlaneHalo& operator=(const PlaneHalo&) = delete;

    /// Renews the halo planes of a colour for later work of `stream`. Each rank sends its planes after all
    /// work that its stream has now. Collective.
    void exchange(int colour, cudaStream_t stream);

    /// Renew halos behind other work. begin makes a stream of this halo wait for all present work of
    /// `stream`, and returns it. The kernels of the outermost own planes go into this stream. `stream` may
    /// then get work that needs neither these planes nor halos. finish renews the halos of some colours for
    /// later work of `stream`. Only finish is collective.
    cudaStream_t begin(cudaStream_t stream);
    void start(const std::vector<int>& colours);
    void finish(cudaStream_t stream);

  private:
    std::size_t bytes(int colour) const {
        return static_cast<std::size_t>(memory_.part(colour, memory_.begin).bytes * memory_.lattices);
    }
    /// Return the place and the bytes of a message of colours, which follow one another in it.
    std::byte* message(HaloMessage which) const { return messages_ + which * room_; }
    std::size_t bytes(const std::vector<int>& colours) const;
    void copy(HaloMessage which, const std::vector<int>& colours, cudaStream_t stream) const;
    void exchange_all(const std::vector<int>& colours);

    Ranks& ranks_;
    CpuHalo::Memory memory_;
    bool in_device_memory_;
    std::size_t room_;                   ///< bytes for a message of both colours
    std::byte* messages_ = nullptr;      ///< messages, one after the other
    std::unique_ptr<SideStream> ahead_;  ///< made by the first begin
    std::vector<int> colours_;           ///< of the last start
};

}  // namespace psflip
