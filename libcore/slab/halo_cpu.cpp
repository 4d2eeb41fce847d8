#include "slab/halo_cpu.hpp"

#include <cstring>

namespace psflip {

CpuHalo::CpuHalo(Ranks& ranks, const HeldLattice& lattice, const SpinLayout& layout, std::uint64_t* spins,
                 std::int64_t columns)
    : ranks_(ranks),
      lattice_(lattice),
      layout_(layout),
      spins_(spins),
      groups_(columns * layout.replicas * layout.groups()) {}

std::size_t CpuHalo::bytes(int colour, int plane) const {
    return static_cast<std::size_t>(lattice_.plane_sites(colour, plane) * layout_.group * 2 * 8 * groups_);
}

void CpuHalo::pack(int colour, int plane, Bytes& to) const {
    to.resize(bytes(colour, plane));
    if (to.empty()) return;  // sliced: every other plane has no site of this colour
    const std::size_t each = to.size() / groups_;
    const std::uint64_t* from = spins_ + lattice_.plane_begin(colour, plane) * layout_.group * 2;
    for (std::int64_t i = 0; i < groups_; ++i)
        std::memcpy(to.data() + i * each, from + i * layout_.group_words(), each);
}

void CpuHalo::unpack(int colour, int plane, const Bytes& from) {
    if (from.empty()) return;
    const std::size_t each = from.size() / groups_;
    std::uint64_t* to = spins_ + lattice_.plane_begin(colour, plane) * layout_.group * 2;
    for (std::int64_t i = 0; i < groups_; ++i)
        std::memcpy(to + i * layout_.group_words(), from.data() + i * each, each);
}

void CpuHalo::start(int colour) {
    pack(colour, lattice_.begin, to_below_);
    pack(colour, lattice_.end - 1, to_above_);
    from_below_.resize(bytes(colour, lattice_.begin - 1));
    from_above_.resize(bytes(colour, lattice_.end));
    ranks_.start_exchange({to_below_, to_above_, from_below_, from_above_});
}

void CpuHalo::finish(int colour) {
    ranks_.finish_exchange();
    unpack(colour, lattice_.begin - 1, from_below_);
    unpack(colour, lattice_.end, from_above_);
}

}  // namespace psflip
