#pragma once

#include "model/demons.hpp"
#include "sweep/class_rule.hpp"
#include "sweep/demon_rule.hpp"

// Computes the demon dynamics of models with a field or absent bonds, for all lanes of a word at once. As in
// demon_rule.hpp, a flip happens iff demons can pay its cost or have room for the energy that it releases.
//
// Absent bonds: demons count units of 2J, d = 0, ..., 7, because a flip may cost an odd number of such units.
// A site has A absent bonds and u unsatisfied bonds. Then dE / 2J = degree - A - 2u. With t = d + 2u + A, the
// spin flips iff degree <= t <= degree + 7. The demon then has the energy t - degree.
//
// Field: a second demon counts units of 2|h|, m = 0, ..., 3. A spin along the field flips iff m >= 1, and m
// falls by 1. A spin against the field flips iff m <= 2, and m rises by 1.
//
// A flip needs both demons. The joint weight is exp(-beta (H + 2J sum d + 2|h| sum m)), with 4J instead of 2J
// if no bond can be absent. The move is its own inverse and conserves the sum in the brackets, so it
// conserves the weight. The weight is a product, so all demons of a half sweep are drawn independently.
//
// The flip of a spin without bonds and field costs nothing, so the spin would flip in every sweep. Instead,
// such a spin has its own random number and flips with probability 1/2.
namespace psflip {

/// Describes the absent bonds of a site. They are equal for all temperatures and replicas.
template <class Word>
struct AbsentBonds {
    Word ones, twos, fours;  ///< digits of A + 8 - degree, modulo 8
    Word isolated;           ///< lanes in which all bonds are absent
};

/// Counts absent bonds. Takes ten operations at degree 6, six at degree 4.
template <int Degree, class Word>
PSFLIP_HD AbsentBonds<Word> absent_bonds(const Word (&absent)[Degree]) {
    const BondCount<Word> a = count_absent(absent);
    if constexpr (Degree == 6)
        return {a.ones, ~a.twos, a.twos ^ a.fours, isolated<6>(a)};
    else
        return {a.ones, a.twos, ~a.fours, isolated<4>(a)};
}

/// Updates spins of one kind of model. Words of spins, neighbours, bonds (set bit: J = -1) and absent bonds
/// are as in ClassRule. A word takes these operations:
///
///   degree                                       4     6
///   field                                        19    26
///   absent bonds                                 24    30   (plus 6, 10 once for all slots, in absent_bonds)
///   absent bonds and field                       29    35   (plus the operations of absent_bonds)
template <int Degree, bool Absent, bool Field>
struct DemonRule {
    static_assert(Absent || Field);
    /// Highest energy of a demon of the bonds, in units of 2J or, without absent bonds, 4J.
    static constexpr int highest = Absent ? max_bond_demon : max_demon;
    static constexpr int digits = Absent ? 3 : 2;

    /// Holds the energies of the demons of a chain, in binary digits. `frame` is the spin that the demons
    /// served last. If it is +1 (in a negative field: -1), `field` holds the digits of 3 - m instead of m. If
    /// bonds can be absent and `frame` is +1, `bonds` holds the digits of 7 - d. So a spin +1 obeys the rule
    /// of a spin -1, with bonds that favour +1 instead of unsatisfied bonds.
    template <class Word>
    struct Energies {
        Word bonds[digits];
        Word field[Field ? 2 : 1];
        Word frame;
    };

    /// Returns the demons from masks. below[k - 1] has set bits in the lanes with d >= k, and of_field[k - 1]
    /// with m >= k. downward: all ones if the field is negative.
    template <class Word>
    PSFLIP_HD static Energies<Word> energies(const Word (&below)[highest],
                                             const Word (&of_field)[max_field_demon], Word downward) {
        Energies<Word> n{};
        if constexpr (Absent) {
            n.bonds[0] =
                xor3(xor3(below[0], below[1], below[2]), xor3(below[3], below[4], below[5]), below[6]);
            n.bonds[1] = xor3(below[1], below[3], below[5]);
            n.bonds[2] = below[3];
        } else {
            const Demons<Word> d = demons_of(below[0], below[1], below[2]);
            n.bonds[0] = d.ones;
            n.bonds[1] = d.twos;
        }
        if constexpr (Field) {
            const Demons<Word> m = demons_of(of_field[0], of_field[1], of_field[2]);
            n.field[0] = m.ones ^ downward;
            n.field[1] = m.twos ^ downward;
        }
        return n;
    }

    /// Returns the new spin without absent bonds.
    template <class Word>
    PSFLIP_HD static Word updated(Word spin, const Word (&near)[Degree], const Word (&bond)[Degree],
                                  Energies<Word>& n) {
        static_assert(!Absent);
        enter(spin, n);
        Word e[Degree];
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) e[k] = xor3(spin, near[k], bond[k]);
        Demons<Word> d{n.bonds[0], n.bonds[1]};
        const Word updated = demon_updated_spin(
            spin, e, d, [&n](Word flips) { return unless_both(flips, n.field[0], n.field[1]); });
        n.bonds[0] = d.ones;
        n.bonds[1] = d.twos;
        pay_field(spin ^ updated, n);
        return updated;
    }

    /// Returns the new spin if bonds can be absent. Isolated spins flip only where `free` has set bits, and
    /// if the field allows it. With a field, `free` is all ones.
    template <class Word>
    PSFLIP_HD static Word updated(Word spin, const Word (&near)[Degree], const Word (&bond)[Degree],
                                  const Word (&absent)[Degree], const AbsentBonds<Word>& a, Word free,
                                  Energies<Word>& n) {
        static_assert(Absent);
        enter(spin, n);
        Word g[Degree];  // present bonds that favour +1
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) g[k] = xor_unless(near[k], bond[k], absent[k]);
        const Sum<Word> t = sum(g, a, n);
        Word flips = or_and(t.eights, a.isolated, free);
        if constexpr (Field) flips = unless_both(flips, n.field[0], n.field[1]);
        n.bonds[0] = xor_and(n.bonds[0], flips, a.ones);
        n.bonds[1] = replace(n.bonds[1], flips, t.twos);
        n.bonds[2] = replace(n.bonds[2], flips, t.fours);
        pay_field(flips, n);
        return spin ^ flips;
    }

  private:
    /// Holds the upper three digits of t + 8 - degree. The lowest digit is the xor of n.bonds[0] and a.ones.
    /// `eights` is set iff the number is 8 to 15, so that the spin flips.
    template <class Word>
    struct Sum {
        Word twos, fours, eights;
    };

    /// Takes twelve operations at degree 4, sixteen at degree 6. The sum is below 24, so `eights` is the
    /// exclusive or of the carries. For an isolated spin, the sum is d, so `eights` is 0.
    template <class Word>
    PSFLIP_HD static Sum<Word> sum(const Word (&g)[Degree], const AbsentBonds<Word>& a,
                                   const Energies<Word>& n) {
        const Word carry = n.bonds[0] & a.ones;
        const ThreeBonds<Word> first = add_bonds(g[0], g[1], g[2]);
        const ThreeBonds<Word> last = [&g]() -> ThreeBonds<Word> {
            if constexpr (Degree == 6)
                return add_bonds(g[3], g[4], g[5]);
            else
                return {g[3], Word{}};
        }();
        const ThreeBonds<Word> x = add_bonds(first.ones, last.ones, n.bonds[1]);
        const ThreeBonds<Word> twos = add_bonds(x.ones, a.twos, carry);
        const ThreeBonds<Word> y = add_bonds(first.twos, x.twos, twos.twos);
        if constexpr (Degree == 6) {
            const ThreeBonds<Word> z = add_bonds(last.twos, n.bonds[2], a.fours);
            return {twos.ones, y.ones ^ z.ones, xor3(y.twos, z.twos, y.ones & z.ones)};
        } else {
            const ThreeBonds<Word> fours = add_bonds(y.ones, n.bonds[2], a.fours);
            return {twos.ones, fours.ones, y.twos ^ fours.twos};
        }
    }
    /// Complements the digits in the lanes where `spin` differs from `frame`, and sets `frame`.
    template <class Word>
    PSFLIP_HD static void enter(Word spin, Energies<Word>& n) {
        if constexpr (Absent) {
            PSFLIP_UNROLL
            for (int k = 0; k < digits; ++k) n.bonds[k] = xor3(n.bonds[k], n.frame, spin);
        }
        if constexpr (Field) {
            PSFLIP_UNROLL
            for (int k = 0; k < 2; ++k) n.field[k] = xor3(n.field[k], n.frame, spin);
        }
        n.frame = spin;
    }
    template <class Word>
    PSFLIP_HD static void pay_field(Word flips, Energies<Word>& n) {
        if constexpr (Field) {
            n.field[1] = xor_and(n.field[1], flips, n.field[0]);
            n.field[0] = n.field[0] ^ flips;
        }
    }
};

}  // namespace psflip
