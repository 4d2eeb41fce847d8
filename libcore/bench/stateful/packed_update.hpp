#pragma once

#include <bit>

#include "bench/stateful/sweep_streams.hpp"
#include "sweep/site_rule.hpp"

namespace psflip {

/// Returns the number of set bits.
PSFLIP_HD std::int32_t bits_of(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    return __popc(word);
#else
    return std::popcount(word);
#endif
}

/// Updates the ferromagnet with one bit per spin, 1 for +1. A unit is a word. Bit b of word w of a row (y, z)
/// is the site x = 2 (32 w + b) + (colour + y + z) % 2, and L is a multiple of 64. Every spin has its own
/// random number, drawn in the order of the bits. See ferromagnet_update.hpp.
template <int Degree>
struct PackedSpins {
    using Word = std::uint32_t;
    static constexpr int numbers = 32;

    std::uint32_t* words;  ///< (colour, z, y, word of the row)
    std::uint32_t L, row_words, colour_words;
    RangeThresholds thresholds;
    StreamLayout layout;
    std::uint64_t seed;

    PSFLIP_HD std::uint32_t units_of_phase() const { return colour_words; }
    SweepPhase phase(std::uint64_t sweep, std::uint32_t index) const {
        return {sweep, index, numbers_before(layout, colour_words, 2 * sweep + index, numbers)};
    }

    /// Holds the coordinates of a word: index in the row, row y + L z, y, z, and x modulo 2 of its sites.
    struct At {
        std::uint32_t w, row, y, z, odd;
    };
    PSFLIP_HD At at(std::uint32_t colour, std::uint32_t i) const {
        const std::uint32_t row = i / row_words, z = Degree == 6 ? row / L : 0, y = row - z * L;
        return {i - row * row_words, row, y, z, (colour + y + z) & 1u};
    }

    /// Draws the decisions for the 32 spins: bit b is set from number b.
    template <class Numbers>
    PSFLIP_HD Acceptance<std::uint32_t> draw(const SweepPhase& phase, std::uint32_t i,
                                             const Numbers& numbers) const {
        const At p = at(phase.index, i);
        const std::uint32_t first = 64 * p.w + p.odd + L * p.row;
        Acceptance<std::uint32_t> accept{};
        const auto add = [](std::uint32_t& bits, bool accepted) {  // the oldest moves down to bit 0
            bits = bits >> 1 | static_cast<std::uint32_t>(accepted) << 31;
        };
        for (std::uint32_t b = 0; b < 32; b += 4) {
            std::uint32_t number[4];
            numbers(NumberPlace{seed, phase.sweep, first + 2 * b, 0, 0}, number);
            PSFLIP_UNROLL
            for (const std::uint32_t drawn : number) {
                add(accept.c4, drawn < thresholds.c4);
                add(accept.c8, drawn < thresholds.c8);
                if constexpr (Degree == 6) add(accept.c12, drawn < thresholds.c12);
            }
        }
        return accept;
    }

    /// Computes, for each direction, the word of the neighbours of all bits. The order is +x, -x for even x,
    /// or -x, +x for odd x; then +y, -y, +z, -z.
    PSFLIP_HD void neighbours(std::uint32_t colour, std::uint32_t i, std::uint32_t (&near)[Degree]) const {
        const At p = at(colour, i);
        const std::uint32_t* const other = words + (colour ? 0 : colour_words);
        const std::uint32_t here = other[i], row = i - p.w, plane = L * row_words;
        const auto beside = [&](std::uint32_t w) { return other[row + w]; };
        near[0] = here;
        near[1] = p.odd ? here >> 1 | beside(p.w + 1 == row_words ? 0 : p.w + 1) << 31
                        : here << 1 | beside(p.w == 0 ? row_words - 1 : p.w - 1) >> 31;
        near[2] = other[p.y + 1 == L ? i + row_words - plane : i + row_words];
        near[3] = other[p.y == 0 ? i + plane - row_words : i - row_words];
        if constexpr (Degree == 6) {
            near[4] = other[p.z + 1 == L ? i + plane - colour_words : i + plane];
            near[5] = other[p.z == 0 ? i + colour_words - plane : i - plane];
        }
    }

    /// Updates a word with the rule of the ±J glass for couplings +1.
    PSFLIP_HD std::int32_t update(const SweepPhase& phase, std::uint32_t i,
                                  const Acceptance<std::uint32_t>& accept) const {
        std::uint32_t near[Degree], unsatisfied[Degree];
        std::uint32_t& word = words[(phase.index ? colour_words : 0) + i];
        const std::uint32_t spin = word;
        neighbours(phase.index, i, near);
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) unsatisfied[k] = spin ^ near[k];
        if constexpr (Degree == 6)
            word = updated_spin(spin, unsatisfied, accept);
        else
            word = updated_spin(spin, unsatisfied, PlanarAcceptance<std::uint32_t>{accept.c4, accept.c8});
        const std::uint32_t flipped = spin ^ word;
        std::int32_t change = Degree / 2 * bits_of(flipped);  // a flip costs 2 Degree - 4 unsatisfied bonds
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) change -= bits_of(unsatisfied[k] & flipped);
        return change;
    }
};

}  // namespace psflip
