#include "bench/stateful/packed_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace psflip {

template <int Degree>
PackedMemory<Degree>::PackedMemory(const FerromagnetSetup& setup)
    : setup_(setup), words_(static_cast<std::size_t>(setup.flips_of_sweep()) / 32) {
    for_each_site([&](std::uint32_t number, std::size_t word, std::uint32_t bit) {
        words_[word] |= std::uint32_t{starts_up(setup_.seed, number)} << bit;
    });
}

template <int Degree>
PackedSpins<Degree> PackedMemory<Degree>::view() {
    const auto L = static_cast<std::uint32_t>(setup_.L);
    return {words_.data(), L,          L / 64, static_cast<std::uint32_t>(words_.size() / 2), {},
            setup_.layout, setup_.seed};
}

template <int Degree>
template <class F>
void PackedMemory<Degree>::for_each_site(const F& f) const {
    const auto L = static_cast<std::uint32_t>(setup_.L);
    std::uint32_t number = 0;
    for (std::uint32_t z = 0; z < (Degree == 6 ? L : 1); ++z)
        for (std::uint32_t y = 0; y < L; ++y)
            for (std::uint32_t x = 0; x < L; ++x, ++number) {
                const std::size_t colour = (x + y + z) % 2, row = y + std::size_t{L} * z;
                f(number, colour * words_.size() / 2 + row * (L / 64) + x / 64, x / 2 % 32);
            }
}

template <int Degree>
void PackedMemory<Degree>::set_spins(const std::vector<std::int8_t>& spins) {
    const std::size_t sites = 32 * words_.size();
    if (spins.size() != sites)
        throw InputError(fmt::format("{} spins are given, but the lattice has {}", spins.size(), sites));
    words_.assign(words_.size(), 0);
    for_each_site([&](std::uint32_t number, std::size_t word, std::uint32_t bit) {
        words_[word] |= std::uint32_t{spins[number] > 0} << bit;
    });
}

template <int Degree>
std::vector<std::int8_t> PackedMemory<Degree>::in_rows(std::span<const std::uint32_t> words) const {
    std::vector<std::int8_t> result(32 * words.size());
    for_each_site([&](std::uint32_t number, std::size_t word, std::uint32_t bit) {
        result[number] = words[word] >> bit & 1 ? 1 : -1;
    });
    return result;
}

template <int Degree>
std::int64_t PackedMemory<Degree>::energy(std::span<const std::uint32_t> words) const {
    PackedMemory other(*this);
    other.words_.assign(words.begin(), words.end());
    const PackedSpins<Degree> spins = other.view();
    std::int64_t unsatisfied = 0;  // every bond has exactly one red end
    for (std::uint32_t i = 0; i < spins.colour_words; ++i) {
        std::uint32_t near[Degree];
        spins.neighbours(0, i, near);
        for (const std::uint32_t word : near) unsatisfied += bits_of(words[i] ^ word);
    }
    return 2 * unsatisfied - std::int64_t{32} * Degree * spins.colour_words;
}

template class PackedMemory<4>;
template class PackedMemory<6>;

}  // namespace psflip
