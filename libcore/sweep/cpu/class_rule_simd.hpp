#pragma once

#include "sweep/class_rule.hpp"
#include "sweep/cpu/plain_rule_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// value(number) for numbers First, ..., First + Count - 1, the bits of number - First in `bit`.
template <int First, int Count, int Bits, class Value>
inline Word by_number(const Word* bit, Value value) {
    if constexpr (Count == 1) {
        return value(First);
    } else {
        constexpr int half = 1 << (Bits - 1);
        if constexpr (Count <= half)
            return by_number<First, Count, Bits - 1>(bit, value);
        else
            return replace(by_number<First, half, Bits - 1>(bit, value), bit[Bits - 1],
                           by_number<First + half, Count - half, Bits - 1>(bit, value));
    }
}

/// The class rule as the sweep loop asks for it (plain_rule_simd.hpp). Thresholds as in SweepRule.
template <int Degree, bool Field, bool Absent>
struct WordClassRule {
    using Logic = ClassRule<Degree, Field, Absent>;
    static constexpr int degree = Degree;
    static constexpr int classes = Logic::classes;
    static constexpr bool by_half = Absent && !Field;  ///< isolated spins may flip by half
    static constexpr int own_thresholds = classes * (Field ? 2 : 1);
    static constexpr int thresholds = own_thresholds + (by_half ? 1 : 0);
    static constexpr bool has_always = true;
    static constexpr int offset_words = (Field ? 8 : 4) + (by_half ? 1 : 0);
    static constexpr int class_bits = Absent ? 4 : 3;
    static constexpr int selectors = class_bits + (Field ? 1 : 0);

    struct Site {
        Word near[Degree], bond[Degree], absent[Absent ? Degree : 1];
    };
    static Site read(const LatticeView& view, Word, const Row& row, int h, int length) {
        Site site;
        const auto each = [&](auto word, Word(&to)[Degree]) { bond_words(row, h, length, word, to); };
        each([&](std::int64_t neighbour, int, std::int64_t) { return view.spin(neighbour); }, site.near);
        each([&](std::int64_t, int direction, std::int64_t from) { return view.coupling(direction, from); },
             site.bond);
        if constexpr (Absent)
            each([&](std::int64_t, int direction,
                     std::int64_t from) { return view.is_absent(direction, from); },
                 site.absent);
        return site;
    }

    static void offset(const Word (&below)[thresholds], Word (&to)[offset_words]) {
        const auto masks = [&](int first, Word(&m)[classes]) {
            for (int v = 0; v < classes; ++v) m[v] = below[first + v];
        };
        Word down[classes];
        masks(0, down);
        typename Logic::template Offset<Word> n;
        if constexpr (Field) {
            Word up[classes];
            masks(classes, up);
            n = Logic::offset(down, up);
        } else {
            n = Logic::offset(down);
        }
        for (int k = 0; k < (Field ? 8 : 4); ++k) to[k] = n.of[k / 4].p[k % 4];
        if constexpr (by_half) to[4] = ~below[classes];
    }
    static Word updated(Word own, const Site& site, const Word (&offset)[offset_words]) {
        typename Logic::template Offset<Word> n;
        for (int k = 0; k < (Field ? 8 : 4); ++k) n.of[k / 4].p[k % 4] = offset[k];
        if constexpr (Absent) {
            const BondCount<Word> absences = count_absent(site.absent);
            if constexpr (by_half)
                return Logic::updated(own, site.near, site.bond, site.absent, absences, n,
                                      isolated<Degree>(absences), offset[4]);
            else
                return Logic::updated(own, site.near, site.bond, site.absent, absences, n);
        } else {
            return Logic::updated(own, site.near, site.bond, n);
        }
    }

    /// The threshold of the class, in a field of class and spin. Isolated spins by half: the first plane of
    /// the number decides.
    template <class Always>
    static ThresholdChoice<selectors> choice(Word own, const Site& site, Word first_plane, Always always) {
        ThresholdChoice<selectors> c;
        Word e[Degree];
        for (int k = 0; k < Degree; ++k) {
            e[k] = xor3(own, site.near[k], site.bond[k]);
            if constexpr (Absent) e[k] = xor_unless(e[k], Word{}, site.absent[k]);
        }
        const BondCount<Word> u = count_absent(e);
        if constexpr (Field) c.selector[class_bits] = own;
        if constexpr (Absent) {
            const BondCount<Word> a = count_absent(site.absent);
            const Word carry = a.twos & u.ones, carry_b = majority(a.fours, u.twos, carry);
            c.selector[0] = a.ones;
            c.selector[1] = a.twos ^ u.ones;
            c.selector[2] = xor3(a.fours, u.twos, carry);
            c.selector[3] = u.fours ^ carry_b;
            c.flips = chosen(c.selector, always);
            c.open = ~c.flips;
            if constexpr (by_half) {
                const Word half = isolated<Degree>(a) & ~always(classes);
                c.flips = replace(c.flips, half, ~first_plane);
                c.open = c.open & ~half;
            }
        } else {
            c.selector[0] = u.ones;
            c.selector[1] = u.twos;
            c.selector[2] = u.fours;
            c.flips = chosen(c.selector, always);
            c.open = ~c.flips;
        }
        return c;
    }
    /// value(i): a word of threshold number i.
    template <class Value>
    static Word chosen(const Word (&selector)[selectors], Value value) {
        const Word down = by_number<0, classes, class_bits>(selector, value);
        if constexpr (Field)
            return replace(down, selector[class_bits],
                           by_number<classes, classes, class_bits>(selector, value));
        else
            return down;
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
