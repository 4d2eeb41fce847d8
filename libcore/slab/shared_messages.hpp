#pragma once

#include <cstddef>

#include "slab/ranks.hpp"

namespace psflip {

/// Holds memory of this rank that its neighbours read in place, and the memory of the neighbours. It works
/// for ranks of one machine that see each other's files under /proc, unless PSFLIP_SHARED_MESSAGES=off is in
/// the environment.
class SharedMessages {
  public:
    /// bytes: size of the memory of a rank, equal on all ranks. Collective. Errors: none; see reached.
    SharedMessages(Ranks& ranks, std::size_t bytes);
    SharedMessages(const SharedMessages&) = delete;

    /// Returns whether every rank reaches the memory of its neighbours, equally on all ranks.
    bool reached() const { return reached_; }
    /// Return the memory of this rank and of its neighbours, only if reached. Memory of one rank has one
    /// address, also if it is both neighbours, but the own memory and a neighbour's memory are never one.
    std::byte* own() const { return own_.begin; }
    std::byte* below() const { return below_.begin; }
    std::byte* above() const { return same_ ? below_.begin : above_.begin; }

  private:
    /// A mapping of a file in memory.
    struct Mapping {
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
        ~Mapping();
        /// Maps an open file. Returns whether it worked.
        bool map(int file, std::size_t size);
    };

    bool reached_ = false, same_ = false;
    Mapping own_, below_, above_;
};

}  // namespace psflip
