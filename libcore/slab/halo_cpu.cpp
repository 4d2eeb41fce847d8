#include "slab/halo_cpu.hpp"

#include <cstring>
#include <span>
#include <utility>

namespace psflip {
CpuHalo::CpuHalo(Ranks& ranks, Memory memory) : ranks_(ranks), memory_(std::move(memory)) {}

CpuHalo::CpuHalo(Ranks& ranks, const HeldLattice& lattice, const SpinLayout& layout, std::uint64_t* spins,
                 std::int64_t columns)
    : CpuHalo(ranks, {reinterpret_cast<std::byte*>(spins), columns * layout.replicas * layout.groups(),
                      8 * layout.group_words(), lattice.begin, lattice.end,
                      [lattice, site = std::int64_t{16} * layout.group](int colour, int plane) {
                          return Memory::Part{site * lattice.plane_begin(colour, plane),
                                              site * lattice.plane_sites(colour, plane)};
                      }}) {}

std::size_t CpuHalo::bytes(int colour, int plane) const {
    return static_cast<std::size_t>(memory_.part(colour, plane).bytes * memory_.lattices);
}

void CpuHalo::pack(int colour, int plane, Bytes& to) const {
    to.resize(bytes(colour, plane));
    if (to.empty()) return;  // sliced order: every other plane has no site of this colour
    const auto [offset, each] = memory_.part(colour, plane);
    for (std::int64_t i = 0; i < memory_.lattices; ++i)
        std::memcpy(to.data() + i * each, memory_.first + i * memory_.stride + offset, each);
}

void CpuHalo::unpack(int colour, int plane, const Bytes& from) {
    if (from.empty()) return;
    const auto [offset, each] = memory_.part(colour, plane);
    for (std::int64_t i = 0; i < memory_.lattices; ++i)
        std::memcpy(memory_.first + i * memory_.stride + offset, from.data() + i * each, each);
}

void CpuHalo::start(int colour) {
    pack(colour, memory_.begin, to_below_);
    pack(colour, memory_.end - 1, to_above_);
    from_below_.resize(bytes(colour, memory_.begin - 1));
    from_above_.resize(bytes(colour, memory_.end));
    ranks_.start_exchange({to_below_, to_above_, from_below_, from_above_});
}

void CpuHalo::finish(int colour) {
    ranks_.finish_exchange();
    unpack(colour, memory_.begin - 1, from_below_);
    unpack(colour, memory_.end, from_above_);
}

}  // namespace psflip
