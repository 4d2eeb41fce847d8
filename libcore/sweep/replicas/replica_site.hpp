#pragma once

#include <cstdint>

#include "sweep/replicas/replica_layout.hpp"
#include "sweep/replicas/replica_numbers.hpp"
#include "sweep/sweep_rule.hpp"
#include "sweep/threshold_choice.hpp"

namespace psflip {

/// Holds what an update reads of a batch whose lanes are (replica, slot) pairs. Pointers refer to the memory
/// of one backend.
struct ReplicaView {
    ReplicaLayout layout;
    std::uint32_t* spins;        ///< words of ReplicaLayout
    const std::uint8_t* bonds;   ///< a byte for each word of spins: bit k is 1 if J = -1 in direction k
    const std::uint8_t* absent;  ///< as bonds: bit k is 1 if the bond is absent; nullptr: no bond is absent
    const std::uint32_t* thresholds;  ///< (plane 32, threshold, word 16): ReplicaTables::late
    const std::uint32_t* used;        ///< (word): ReplicaTables::used
    std::uint32_t always;             ///< bit i: AcceptanceTable::always of threshold i
    std::uint32_t first_realization;
    std::uint64_t key;
};

/// Names a word of a row, or the first of some words of one site.
struct ReplicaColumn {
    std::uint32_t at;        ///< word of the row
    std::uint32_t on, back;  ///< distances to the same word of the next and of the previous site of the row,
                             ///< modulo 2^32
    std::uint32_t word;      ///< number within the site
    std::uint32_t site;  ///< 2h: number of the site minus the number of the first site of its row and colour

    PSFLIP_HD ReplicaColumn(const ReplicaLayout& layout, std::uint32_t at_) : at(at_) {
        const auto words = static_cast<std::uint32_t>(layout.words()),
                   row_words = static_cast<std::uint32_t>(layout.row_words());
        on = at + words < row_words ? words : words - row_words;
        back = at >= words ? 0 - words : row_words - words;
        word = at % words;
        site = 2 * (at / words);
    }
};

/// Sets place[k] to the index of a word's neighbour in direction k, among the words of the other colour.
/// place[0] is also the index of the word in its colour. (v, w) is the row. next:
/// ReplicaLayout::other_is_next of the row.
template <int Degree>
PSFLIP_HD void near_places(const ReplicaLayout& layout, const ReplicaColumn& column, std::uint32_t v,
                           std::uint32_t w, bool next, std::uint32_t (&place)[Degree]) {
    const auto L = static_cast<std::uint32_t>(layout.L), depth = static_cast<std::uint32_t>(layout.depth),
               row = static_cast<std::uint32_t>(layout.row_stride()), plane = L * row;
    const std::uint32_t here = (v + L * w) * row + column.at;
    place[0] = here;
    place[1] = here + (next ? column.on : column.back);
    place[2] = here + (v + 1 == L ? row - plane : row);
    place[3] = here + (v == 0 ? plane - row : 0 - row);
    if constexpr (Degree == 6) {
        const std::uint32_t all = depth * plane;
        place[4] = here + (w + 1 == depth ? plane - all : plane);
        place[5] = here + (w == 0 ? all - plane : 0 - plane);
    }
}

/// Returns the index at which the words of a colour begin.
PSFLIP_HD std::int64_t colour_begin(const ReplicaLayout& layout, int colour) {
    return layout.row(colour, 0);
}

/// Spreads bit k of a byte over all lanes of word k.
template <int Degree, class Word>
PSFLIP_HD void spread_bonds(std::uint32_t bits, Word (&word)[Degree]) {
#ifdef __CUDA_ARCH__
    // The bits go to the highest places of bytes, which a permutation repeats (8 in its selector).
    const std::uint32_t low = bits * 0x10204080u, high = (bits >> 4) * 0x4080u;
    PSFLIP_UNROLL
    for (int k = 0; k < Degree; ++k)
        asm("prmt.b32 %0, %1, 0, %2;"
            : "=r"(word[k].bits)
            : "r"(k < 4 ? low : high), "r"(0x8888u + 0x1111u * static_cast<unsigned>(k % 4)));
#else
    for (int k = 0; k < Degree; ++k) word[k] = Word{0u - (bits >> k & 1u)};
#endif
}

/// Holds a word with its neighbours and bonds. Words of bonds are all ones or 0.
template <int Degree, class Word>
struct ReplicaNear {
    Word own, near[Degree], bond[Degree], absent[Degree];

    /// Sets bits to 1 if the bond is unsatisfied and not absent.
    template <bool Absent>
    PSFLIP_HD void unsatisfied(Word (&e)[Degree]) const {
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) {
            e[k] = xor3(own, near[k], bond[k]);
            if constexpr (Absent) e[k] = e[k] & ~absent[k];
        }
    }
};

/// The rules with the interface that ReplicaUpdate needs.
template <int Degree>
struct PlainReplicaRule {
    static constexpr int degree = Degree;
    static constexpr bool has_absent = false, has_field = false;
    using Choice = PlainChoice<Degree>;
    template <class Word, class Always>
    PSFLIP_HD static ThresholdChoice<Word, Choice::selectors> choice(const ReplicaNear<Degree, Word>&,
                                                                     const Word (&e)[Degree], Word, Always) {
        return Choice::of(e);
    }
};
template <int Degree, bool Field, bool Absent>
struct ClassReplicaRule {
    static constexpr int degree = Degree;
    static constexpr bool has_absent = Absent, has_field = Field;
    using Choice = ClassChoice<Degree, Field, Absent>;
    template <class Word, class Always>
    PSFLIP_HD static ThresholdChoice<Word, Choice::selectors> choice(const ReplicaNear<Degree, Word>& site,
                                                                     const Word (&e)[Degree],
                                                                     Word first_plane, Always always) {
        return Choice::of(site.own, e, site.absent, first_plane, always);
    }
};

/// Returns f.operator()<Rule>() for the class rule with or without a field and absent bonds.
template <int Degree, class F>
auto with_class_rule(const SweepRule& rule, const F& f) {
    if (rule.field)
        return rule.absent ? f.template operator()<ClassReplicaRule<Degree, true, true>>()
                           : f.template operator()<ClassReplicaRule<Degree, true, false>>();
    return rule.absent ? f.template operator()<ClassReplicaRule<Degree, false, true>>()
                       : f.template operator()<ClassReplicaRule<Degree, false, false>>();
}

/// Return which numbers are below their thresholds, or equal to them, after one more plane of higher
/// significance.
template <class Word>
PSFLIP_HD Word below_after(Word below, Word number, Word threshold) {
    return majority(~number, threshold, below);
}
template <class Word>
PSFLIP_HD Word equal_after(Word equal, Word number, Word threshold) {
    return equal & ~(number ^ threshold);
}

inline constexpr std::uint32_t early_digits = 2, replica_digits = 8;

/// Updates a word. Holds its spins so far, its undecided lanes, and the selectors of their thresholds.
template <class Rule, class Word>
struct ReplicaUpdate {
    using Choice = typename Rule::Choice;
    Word spin, open;
    Word selector[Choice::selectors];

    ReplicaUpdate() = default;
    /// Compares the first two digits. used: lanes with a (replica, slot) pair. value(digit, plane, i): a bit
    /// plane of threshold i of all lanes.
    template <class Value>
    PSFLIP_HD ReplicaUpdate(const ReplicaNear<Rule::degree, Word>& site, Word used, std::uint32_t always,
                            const RandomBlock (&number)[early_digits], Value value) {
        Word e[Rule::degree];
        site.template unsatisfied<Rule::has_absent>(e);
        const auto choice = Rule::choice(site, e, Word{number[0].word[0]},
                                         [&](int i) { return Word{0u - (always >> i & 1u)}; });
        PSFLIP_UNROLL
        for (int s = 0; s < Choice::selectors; ++s) selector[s] = choice.selector[s];
        open = choice.open & used;
        spin = site.own ^ choice.flips;
        Word below{}, equal = open;
        PSFLIP_UNROLL
        for (int digit = early_digits - 1; digit >= 0; --digit)
            compare(number[digit], below, equal,
                    [&](int plane, int i) { return value(static_cast<std::uint32_t>(digit), plane, i); });
        spin = xor_and(spin, open, below);
        open = equal;
    }

    /// Compares one more digit. value(plane, i): a bit plane of threshold i of all lanes.
    template <class Value>
    PSFLIP_HD void decide(const RandomBlock& number, Value value) {
        Word below{}, equal = open;
        compare(number, below, equal, value);
        spin = xor_and(spin, open, below);
        open = equal;
    }

  private:
    template <class Value>
    PSFLIP_HD void compare(const RandomBlock& number, Word& below, Word& equal, Value value) const {
        PSFLIP_UNROLL
        for (int plane = 3; plane >= 0; --plane) {
            const Word r{number.word[plane]},
                t = Choice::chosen(selector, [&](int i) { return value(plane, i); });
            below = below_after(below, r, t);
            equal = equal_after(equal, r, t);
        }
    }
};

}  // namespace psflip
