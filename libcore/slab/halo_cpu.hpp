#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lattice/layout.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// The halo planes next to the own planes of a slab in host memory. After finish(colour) they hold what the
/// neighbours had in their outermost own planes at start(colour). In the standard order both neighbours send
/// sites of either colour. In the sliced order red sites only go below, and black sites only above.
class CpuHalo {
  public:
    /// Lattices in memory, `stride` bytes apart. part() says where in a lattice the sites of a colour in a
    /// plane lie. Planes begin, ..., end - 1 are own planes; begin - 1 and end are the halos.
    struct Memory {
        struct Part {
            std::int64_t offset, bytes;
        };
        std::byte* first;
        std::int64_t lattices, stride;
        int begin, end;
        std::function<Part(int colour, int plane)> part;
    };
    CpuHalo(Ranks& ranks, Memory memory);
    /// spins: `columns` columns of `layout`, of the slab `lattice`. They and the ranks must outlive this.
    CpuHalo(Ranks& ranks, const HeldLattice& lattice, const SpinLayout& layout, std::uint64_t* spins,
            std::int64_t columns);

    /// Sends the outermost own planes of a colour, which may change again when this returns. Collective.
    void start(int colour);
    /// Receives what start of the same colour began; other planes may change in between. Collective.
    void finish(int colour);
    /// Renews the halos of both colours after spins were written by other code than sweeps. Collective.
    void fill() {
        for (int colour = 0; colour < 2; ++colour) {
            start(colour);
            finish(colour);
        }
    }

  private:
    using Bytes = std::vector<std::byte>;
    /// Returns the bytes of a plane of all lattices.
    std::size_t bytes(int colour, int plane) const;
    /// Copies a plane of all lattices to a message if it is taken, else from the message.
    void copy(int colour, int plane, Bytes& message, bool taken) const;

    Ranks& ranks_;
    Memory memory_;
    Bytes to_below_, to_above_, from_below_, from_above_;
};

}  // namespace psflip
