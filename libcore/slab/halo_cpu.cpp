#include "slab/halo_cpu.hpp"

#include <cstring>
#include <utility>

namespace psflip {
CpuHalo::CpuHalo(Ranks& ranks, Memory memory) : ranks_(ranks), memory_(std::move(memory)) {}

// Exchanges write to the spins. NOLINTNEXTLINE(readability-non-const-parameter)
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

void CpuHalo::copy(int colour, int plane, Bytes& message, bool taken) const {
    if (taken) message.resize(bytes(colour, plane));
    if (message.empty()) return;  // sliced order: every other plane has no site of this colour
    const auto [offset, each] = memory_.part(colour, plane);
    for (std::int64_t i = 0; i < memory_.lattices; ++i) {
        std::byte *const here = message.data() + i * each, *const there =
                                                               memory_.first + i * memory_.stride + offset;
        std::memcpy(taken ? here : there, taken ? there : here, each);
    }
}

void CpuHalo::start(int colour) {
    copy(colour, memory_.begin, to_below_, true);
    copy(colour, memory_.end - 1, to_above_, true);
    from_below_.resize(bytes(colour, memory_.begin - 1));
    from_above_.resize(bytes(colour, memory_.end));
    ranks_.start_exchange({to_below_, to_above_, from_below_, from_above_});
}

void CpuHalo::finish(int colour) {
    ranks_.finish_exchange();
    copy(colour, memory_.begin - 1, from_below_, false);
    copy(colour, memory_.end, from_above_, false);
}

}  // namespace psflip
