// Implements the update rule of any ClassTable (model/class_table.hpp) as word logic, for CPU and GPU.
// It serves models with a field, heat bath or absent bonds, in two and three dimensions. The numbers of
// operations below are three-input operations per word.
#pragma once

#include "sweep/site_rule.hpp"
#include "word/logic.hpp"

namespace psflip {

/// Holds four bit masks that encode the flip threshold w of each lane as a number n = constant - w. The
/// comparison adds n to the number of bonds through free inputs of its adders, so it needs no extra
/// operations.
///
/// In each lane, G is the number of set bits of the words `g` (one word per bond), from 0 to `degree`. With
/// `a` absent bonds, V = 2G + a. A rule without absent bonds asks whether G >= w, and a rule with absent
/// bonds whether V >= w. The threshold w runs from 0 to `classes`. The rule adds n to G or V and compares the
/// sum with a constant. The four masks p0, ..., p3 encode n:
///   degree 6:              n = p0 + 2 (p1 + p2) + 4 p3 = 8 - w    (p2 only where w = 0)
///   degree 4:              n = p0 + 2 (p1 + p2 + p3)   = 6 - w    (p3 implies p2 implies p1)
///   with absent bonds:     n = p0 + 2 p1 + 4 p2 + 8 p3 = 14 - w at degree 6, 12 - w at degree 4
template <class Word>
struct ClassPlanes {
    Word p[4];
};

/// Returns the planes of n from the masks m[j]. m[j] has set bits in the lanes with w <= j, so each mask
/// implies the next. Four operations.
template <class Word>
PSFLIP_HD ClassPlanes<Word> planes_of(const Word (&m)[7]) {
    return {
        {xnor3(xor3(m[0], m[1], m[2]), xor3(m[3], m[4], m[5]), m[6]), or_xor(m[2], m[4], m[6]), m[0], m[4]}};
}

/// Returns the planes at degree 4. Two operations.
template <class Word>
PSFLIP_HD ClassPlanes<Word> planes_of(const Word (&m)[5]) {
    return {{xnor3(xor3(m[0], m[1], m[2]), m[3], m[4]), m[4], m[2], m[0]}};
}

/// Returns the planes with absent bonds (9 or 13 classes). They are the binary digits of n = base + the
/// number of set masks. If n counts up from `base`, one step per mask, then digit k is base's digit k xor all
/// masks whose step flips digit k. Eleven operations for 13 masks, nine for 9 masks.
template <int Classes, class Word>
PSFLIP_HD ClassPlanes<Word> binary_planes_of(const Word (&m)[Classes]) {
    constexpr int base = Classes == 13 ? 1 : 3;
    ClassPlanes<Word> n;
    PSFLIP_UNROLL
    for (int k = 0; k < 4; ++k) {
        Word sum{}, waiting{};
        int taken = 0;
        PSFLIP_UNROLL
        for (int count = 1; count <= Classes; ++count) {
            if ((((base + count) ^ (base + count - 1)) >> k & 1) == 0) continue;
            const Word mask = m[Classes - count];
            if (taken == 0) sum = mask;
            if (taken > 0 && taken % 2 == 0) sum = xor3(sum, waiting, mask);
            waiting = mask;
            ++taken;
        }
        if (taken % 2 == 0) sum = sum ^ waiting;
        n.p[k] = (base >> k & 1) != 0 ? ~sum : sum;
    }
    return n;
}

/// Returns the number of absent bonds of a site, 0 to 6. absent[k] has set bits in the lanes in which bond k
/// is absent. The number is equal for all temperatures and replicas. Eight operations.
template <class Word>
PSFLIP_HD BondCount<Word> count_absent(const Word (&absent)[6]) {
    return count_unsatisfied(absent);
}

/// Returns the number of absent bonds at degree 4. Six operations.
template <class Word>
PSFLIP_HD BondCount<Word> count_absent(const Word (&absent)[4]) {
    const Word sum = xor3(absent[0], absent[1], absent[2]);
    const Word carry_a = majority(absent[0], absent[1], absent[2]), carry_b = sum & absent[3];
    return {sum ^ absent[3], carry_a ^ carry_b, carry_a & carry_b};
}

/// Returns a word with set bits in the lanes whose bonds are all absent.
template <int Degree, class Word>
PSFLIP_HD Word isolated(const BondCount<Word>& absences) {
    if constexpr (Degree == 6)
        return absences.twos & absences.fours;
    else
        return absences.fours;
}

/// Returns set bits in lanes where G >= w for six words. This means G + n >= 8. Nine operations.
template <class Word>
PSFLIP_HD Word at_least(const Word (&g)[6], const ClassPlanes<Word>& n) {
    const Word sum_a = xor3(g[0], g[1], g[2]), carry_a = majority(g[0], g[1], g[2]);
    const Word sum_b = xor3(g[3], g[4], g[5]), carry_b = majority(g[3], g[4], g[5]);
    const Word carry = majority(sum_a, sum_b, n.p[0]);
    const Word twos = xor3(carry_a, carry_b, carry), fours = majority(carry_a, carry_b, carry);
    return majority(fours, n.p[3], majority(twos, n.p[1], n.p[2]));
}

/// Returns set bits in lanes where G >= w for four words. This means G + n >= 6: of the two carries of the
/// adders and p1, p2 and p3, at least three are set. Five operations.
template <class Word>
PSFLIP_HD Word at_least(const Word (&g)[4], const ClassPlanes<Word>& n) {
    const Word sum = xor3(g[0], g[1], g[2]), carry = majority(g[0], g[1], g[2]);
    const Word carry_b = majority(sum, g[3], n.p[0]);
    return or_and(n.p[3], n.p[1], majority(carry, carry_b, n.p[2]));
}

/// Holds (a + n) / 2, rounded down, as ones + 2 twos + 4 (fours_a + fours_b). `a` is the number of absent
/// bonds. Five operations.
template <class Word>
struct HalfSum {
    Word ones, twos, fours_a, fours_b;
};

template <class Word>
PSFLIP_HD HalfSum<Word> half_sum(const BondCount<Word>& a, const ClassPlanes<Word>& n) {
    const Word carry = a.ones & n.p[0];
    const Word carry_b = majority(a.twos, n.p[1], carry);
    return {xor3(a.twos, n.p[1], carry), xor3(a.fours, n.p[2], carry_b), majority(a.fours, n.p[2], carry_b),
            n.p[3]};
}

/// Returns set bits in lanes where V >= w at degree 6. This means G + (a + n) / 2 >= 7. Write this sum as s +
/// 2 W, where s is its lowest bit. Then s + 2 W >= 7 iff W + s >= 4. Seventeen operations: five in half_sum,
/// twelve here.
template <class Word>
PSFLIP_HD Word at_least(const Word (&g)[6], const BondCount<Word>& absences, const ClassPlanes<Word>& n) {
    const HalfSum<Word> m = half_sum(absences, n);
    const Word sum_a = xor3(g[0], g[1], g[2]), carry_a = majority(g[0], g[1], g[2]);
    const Word sum_b = xor3(g[3], g[4], g[5]), carry_b = majority(g[3], g[4], g[5]);
    const Word ones = xor3(sum_a, sum_b, m.ones), carry = majority(sum_a, sum_b, m.ones);
    const Word twos = xor3(carry_a, carry_b, carry), fours_c = majority(carry_a, carry_b, carry);
    const Word fours_d = majority(twos, m.twos, ones);
    return or_and(majority(fours_c, fours_d, m.fours_a), m.fours_b, or3(fours_c, fours_d, m.fours_a));
}

/// Returns set bits in lanes where V >= w at degree 4. This means G + (a + n) / 2 >= 6. Write this sum as s +
/// 2 twos + 4 fours. Then it is at least 6 iff twos + 2 fours >= 3. Thirteen operations: five in half_sum,
/// eight here.
template <class Word>
PSFLIP_HD Word at_least(const Word (&g)[4], const BondCount<Word>& absences, const ClassPlanes<Word>& n) {
    const HalfSum<Word> m = half_sum(absences, n);
    const Word sum = xor3(g[0], g[1], g[2]), carry_a = majority(g[0], g[1], g[2]);
    const Word carry_b = majority(sum, g[3], m.ones);
    const Word twos = xor3(carry_a, carry_b, m.twos), fours = majority(carry_a, carry_b, m.twos);
    return or_and(majority(fours, m.fours_a, m.fours_b), twos, or3(fours, m.fours_a, m.fours_b));
}

/// Applies the rule of any ClassTable: the spin s flips iff its class v >= v_min(R, s). Spins, neighbours
/// (set bit: +1), bonds (set bit: J = -1) and absent bonds (set bit: absent, for any J) are words. Table and
/// random numbers enter as an Offset, which is made from acceptance masks. A word takes these three-input
/// operations, without the operations that make the offset:
///
///   degree                                     4     6
///   plain rule, for comparison (site_rule.hpp) 9     15
///   no field                                   10    16
///   field                                      13    19
///   absent bonds                               20    26   (plus 6, 8 once for all slots, in count_absent)
///   absent bonds and field                     21    27   (plus 6, 8 once for all slots, in count_absent)
///   isolated spins flip with probability 1/2   +1    +1   (plus 0, 1 once for all slots, in isolated)
///
/// Without field and absent bonds G counts the unsatisfied bonds, and the spin flips iff G >= v_min.
/// Otherwise G counts the bonds that favour +1. Let u be the number of unsatisfied bonds. For spin -1, u = G
/// and v = V. For spin +1, u = degree - a - G and v = 2 degree - V. Set w = v_min(-1) for spin -1, and
/// w = classes - v_min(+1) for spin +1. Then the new spin is +1 iff V >= w (G >= w without absent bonds). In
/// a field the spin chooses the planes. Without a field n(+1) = 15 - n(-1).
template <int Degree, bool Field, bool Absent>
struct ClassRule {
    static_assert(Degree == 4 || Degree == 6);
    static constexpr int classes = (Absent ? 2 : 1) * Degree + 1;

    /// Holds the planes for spin -1 and, in a field, for spin +1.
    template <class Word>
    struct Offset {
        ClassPlanes<Word> of[Field ? 2 : 1];
    };

    /// Returns the offset for the acceptance masks of spin -1 and, in a field, also of spin +1. accept[v] has
    /// a set bit if R is below the threshold of class v, or if v has no threshold and always flips. Each mask
    /// implies the next.
    template <class Word>
    PSFLIP_HD static Offset<Word> offset(const Word (&accept)[classes]) {
        static_assert(!Field);
        return {{planes(accept)}};
    }
    template <class Word>
    PSFLIP_HD static Offset<Word> offset(const Word (&accept_down)[classes],
                                         const Word (&accept_up)[classes]) {
        static_assert(Field);
        Word reversed[classes];  // classes - v_min <= j iff not v_min <= classes - 1 - j
        PSFLIP_UNROLL
        for (int j = 0; j < classes; ++j) reversed[j] = ~accept_up[classes - 1 - j];
        return {{planes(accept_down), planes(reversed)}};
    }

    /// Returns the new spin if no bond is absent.
    template <class Word>
    PSFLIP_HD static Word updated(Word spin, const Word (&near)[Degree], const Word (&bond)[Degree],
                                  const Offset<Word>& n) {
        static_assert(!Absent);
        Word g[Degree];
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) g[k] = Field ? near[k] ^ bond[k] : xor3(spin, near[k], bond[k]);
        if constexpr (Field)
            return at_least(g, chosen(spin, n));
        else
            return spin ^ at_least(g, n.of[0]);
    }

    /// Returns the new spin if bonds can be absent; `absences` = count_absent(absent).
    template <class Word>
    PSFLIP_HD static Word updated(Word spin, const Word (&near)[Degree], const Word (&bond)[Degree],
                                  const Word (&absent)[Degree], const BondCount<Word>& absences,
                                  const Offset<Word>& n) {
        static_assert(Absent);
        Word g[Degree];
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) g[k] = xor_unless(near[k], bond[k], absent[k]);
        return at_least(g, absences, chosen(spin, n));
    }

    /// Returns the new spin if isolated spins flip with probability 1/2 (ClassTable::isolated_by_half).
    /// `isolated` is isolated<Degree>(absences). `refused` has set bits in the lanes with R >= 2^31, in which
    /// isolated spins do not flip.
    template <class Word>
    PSFLIP_HD static Word updated(Word spin, const Word (&near)[Degree], const Word (&bond)[Degree],
                                  const Word (&absent)[Degree], const BondCount<Word>& absences,
                                  const Offset<Word>& n, Word isolated, Word refused) {
        static_assert(!Field);
        return xor_and(updated(spin, near, bond, absent, absences, n), isolated, refused);
    }

  private:
    template <class Word>
    PSFLIP_HD static ClassPlanes<Word> planes(const Word (&m)[classes]) {
        if constexpr (Absent)
            return binary_planes_of(m);
        else
            return planes_of(m);
    }
    template <class Word>
    PSFLIP_HD static ClassPlanes<Word> chosen(Word spin, const Offset<Word>& n) {
        ClassPlanes<Word> own;
        PSFLIP_UNROLL
        for (int k = 0; k < 4; ++k) {
            if constexpr (Field)
                own.p[k] = choose(spin, n.of[0].p[k], n.of[1].p[k]);
            else
                own.p[k] = n.of[0].p[k] ^ spin;
        }
        return own;
    }
};

}  // namespace psflip
