#pragma once

#include "sweep/class_rule.hpp"
#include "sweep/site_rule.hpp"

namespace psflip {

// Chooses the threshold of each lane if lanes do not share random numbers. The bits of the selector words in
// a lane choose its threshold. Some lanes need no threshold.

/// Holds three kinds of words. `flips` has set bits in the lanes that flip without a comparison. `open` has
/// set bits in the lanes that compare their random number with a threshold. `selector` chooses this
/// threshold.
template <class Word, int Selectors>
struct ThresholdChoice {
    Word flips, open;
    Word selector[Selectors];
};

/// Chooses by the plain rule. Spins with u < Degree / 2 unsatisfied bonds have a threshold. All other spins
/// flip. Threshold i belongs to dE = 4 (i + 1) J.
template <int Degree>
struct PlainChoice {
    static constexpr int thresholds = Degree / 2;
    static constexpr int selectors = Degree == 6 ? 2 : 1;

    template <class Word>
    PSFLIP_HD static ThresholdChoice<Word, selectors> of(const Word (&e)[Degree]) {
        if constexpr (Degree == 6) {
            const BondCount<Word> u = count_unsatisfied(e);
            const Word always = or_and(u.fours, u.ones, u.twos);
            return {always, ~always, {u.ones, u.twos}};
        } else {
            const Word sum = xor3(e[0], e[1], e[2]);
            const Word always = or_and(majority(e[0], e[1], e[2]), sum, e[3]);
            return {always, ~always, {sum ^ e[3]}};
        }
    }
    /// Returns the chosen word. value(i) is the word of threshold i.
    template <class Word, class Value>
    PSFLIP_HD static Word chosen(const Word (&selector)[selectors], Value value) {
        const Word t = replace(value(thresholds - 1), selector[0], value(thresholds - 2));
        if constexpr (Degree == 6)
            return replace(t, selector[1], value(0));
        else
            return t;
    }
};

/// Returns value(i) in each lane, for its index i from First to First + Count - 1. bit[k] is bit k of i -
/// First.
template <int First, int Count, int Bits, class Word, class Value>
PSFLIP_HD Word by_number(const Word* bit, Value value) {
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

/// Chooses by the class rule. Each class or, in a field, each class and spin has a threshold. SweepRule gives
/// their order. If isolated spins flip with probability 1/2, the highest bit of their random number decides.
template <int Degree, bool Field, bool Absent>
struct ClassChoice {
    static constexpr int classes = ClassRule<Degree, Field, Absent>::classes;
    static constexpr bool by_half = Absent && !Field;  ///< isolated spins may flip with probability 1/2
    static constexpr int thresholds = classes * (Field ? 2 : 1);
    static constexpr int class_bits = Absent ? 4 : 3;
    static constexpr int selectors = class_bits + (Field ? 1 : 0);

    /// Returns the choice from e, the words of bonds that are present and unsatisfied. `absent` is read only
    /// if bonds can be absent. `first_plane` holds the highest bits of the random numbers. always(i) is all
    /// ones if every random number is below threshold i. always(thresholds) is all ones if isolated spins
    /// follow their class.
    template <class Word, class Always>
    PSFLIP_HD static ThresholdChoice<Word, selectors> of(Word own, const Word (&e)[Degree],
                                                         const Word* absent, Word first_plane,
                                                         Always always) {
        ThresholdChoice<Word, selectors> c;
        const BondCount<Word> u = count_absent(e);
        if constexpr (Field) c.selector[class_bits] = own;
        if constexpr (Absent) {
            Word missing[Degree];
            PSFLIP_UNROLL
            for (int k = 0; k < Degree; ++k) missing[k] = absent[k];
            const BondCount<Word> a = count_absent(missing);
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
    /// Returns the chosen word. value(i) is the word of threshold i.
    template <class Word, class Value>
    PSFLIP_HD static Word chosen(const Word (&selector)[selectors], Value value) {
        const Word down = by_number<0, classes, class_bits>(&selector[0], value);
        if constexpr (Field)
            return replace(down, selector[class_bits],
                           by_number<classes, classes, class_bits>(&selector[0], value));
        else
            return down;
    }
};

}  // namespace psflip
