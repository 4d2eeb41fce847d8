#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lattice/layout.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Renews the halo planes next to the own planes of a slab in host memory. After finish(colour), a halo plane
/// holds what the neighbour had in its outermost own plane at start(colour). In the standard order, sites of
/// both colours go to both neighbours. In the sliced order, red sites go only to the neighbour below, and
/// black sites only to the neighbour above.
class CpuHalo {
  public:
    /// Describes lattices in memory, `stride` bytes apart. part() returns the bytes of a lattice that hold
    /// the sites of a colour in a plane. Planes begin, ..., end - 1 are own planes. Planes begin - 1 and end
    /// are halos.
    struct Memory {
        struct Part {
            std::int64_t offset, bytes;
        };
        std::byte* first;
        std::int64_t lattices, stride;
        int begin, end;
        std::function<Part(int colour, int plane)> part;
    };
    /// `memory` and the ranks must outlive the halo.
    CpuHalo(Ranks& ranks, Memory memory);
    /// spins: `columns` columns of `layout`, of the slab `lattice`. They and the ranks must outlive the halo.
    CpuHalo(Ranks& ranks, const HeldLattice& lattice, const SpinLayout& layout, std::uint64_t* spins,
            std::int64_t columns);

    /// Sends the outermost own planes of a colour. The planes may change again when start returns.
    /// Collective.
    void start(int colour);
    /// Receives the halo planes that the neighbours sent in start(colour). Between start and finish, own
    /// planes may change. Collective.
    void finish(int colour);
    /// Renews the halos of both colours after other code than sweeps wrote the spins. Collective.
    void fill() {
        for (int colour = 0; colour < 2; ++colour) {
            start(colour);
            finish(colour);
        }
    }

  private:
    using Bytes = std::vector<std::byte>;
    /// Returns the bytes of a plane in all lattices.
    std::size_t bytes(int colour, int plane) const;
    /// Copies a plane of all lattices to a message if `taken`, otherwise from the message.
    void copy(int colour, int plane, Bytes& message, bool taken) const;

    Ranks& ranks_;
    Memory memory_;
    Bytes to_below_, to_above_, from_below_, from_above_;
};

}  // namespace psflip
