#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lattice/layout.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// The halo planes next to the own ones of a slab in host memory. After finish(colour) they hold what the
/// neighbours had at start(colour) in their outermost own planes. In the standard order both neighbours send
/// sites of either colour; in the sliced one red sites go below and black ones above only.
class CpuHalo {
  public:
    /// Lattices that follow one another in memory, `stride` bytes apart, and where in each of them the sites
    /// of one colour in a plane lie; begin, ..., end - 1 are own planes, begin - 1 and end the halos.
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
    /// spins: `columns` columns of `layout`, of the slab `lattice`. They and the ranks outlive this.
    CpuHalo(Ranks& ranks, const HeldLattice& lattice, const SpinLayout& layout, std::uint64_t* spins,
            std::int64_t columns);

    /// Collective: sends the outermost own planes of a colour, which may change again when this returns.
    void start(int colour);
    /// Collective: after start of the same colour. Other planes may be updated in between.
    void finish(int colour);
    /// Both colours, where other than sweeps have written spins. Collective.
    void fill() {
        for (int colour = 0; colour < 2; ++colour) {
            start(colour);
            finish(colour);
        }
    }

  private:
    using Bytes = std::vector<std::byte>;
    /// Of a plane, for all lattices.
    std::size_t bytes(int colour, int plane) const;
    void pack(int colour, int plane, Bytes& to) const;
    void unpack(int colour, int plane, const Bytes& from);

    Ranks& ranks_;
    Memory memory_;
    Bytes to_below_, to_above_, from_below_, from_above_;
};

}  // namespace psflip
