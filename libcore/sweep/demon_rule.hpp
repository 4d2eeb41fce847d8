#pragma once

#include "sweep/site_rule.hpp"
#include "word/logic.hpp"

// Computes the demon dynamics of Ising spins with couplings +1 and -1, for all lanes of a word at once. A
// demon is a store of energy d = 0, ..., 3 in units of 4J (Creutz, Phys. Rev. Lett. 50, 1411 (1983)). Spins
// and demons have the joint weight exp(-beta (H + 4J sum d)). A flip costs the energy dE. A spin flips iff
// its demon can pay dE or, for dE < 0, has room for -dE:
//
//   0 <= d - dE / 4J <= 3.   After a flip, d becomes d - dE / 4J.
//
// Repeating this move undoes it, and H + 4J sum d does not change. So the move conserves the weight. Before
// each half sweep, every demon is drawn anew from the weight exp(-4J beta d), which is a Gibbs step. So the
// spins have the canonical distribution.
namespace psflip {

/// Holds the energies of the demons of all lanes: ones + 2 twos, in units of 4J.
template <class Word>
struct Demons {
    Word ones, twos;
};

/// Returns the energies from three masks. They have set bits in the lanes whose random numbers are below the
/// thresholds of d = 1, 2 and 3. below3 implies below2, and below2 implies below1.
template <class Word>
PSFLIP_HD Demons<Word> demons_of(Word below1, Word below2, Word below3) {
    return {xor3(below1, below2, below3), below2};
}

/// Flips the spins whose demons allow it, in three dimensions, from the six bond words (bit 1: unsatisfied).
/// Fifteen operations. Let u be the number of unsatisfied bonds, so dE / 4J = 3 - u. A spin flips iff the sum
/// t = d + u is 3, 4, 5 or 6. The demon then has the energy t - 3. permit(flips) returns the flips that
/// happen.
template <class Word, class Permit>
PSFLIP_HD Word demon_updated_spin(Word spin, const Word (&e)[6], Demons<Word>& d, const Permit& permit) {
    const ThreeBonds<Word> a = add_bonds(e[0], e[1], e[2]), b = add_bonds(e[3], e[4], e[5]);
    const ThreeBonds<Word> ones = add_bonds(a.ones, b.ones, d.ones);
    const ThreeBonds<Word> twos = add_bonds(a.twos, b.twos, ones.twos);
    const Word t1 = twos.ones ^ d.twos, t2 = xor_and(twos.twos, twos.ones, d.twos);
    const Word flips = permit(xor_and(t2, t1, ones.ones));
    d = {replace_by_not(d.ones, flips, ones.ones), replace(d.twos, flips, t1 ^ ones.ones)};
    return spin ^ flips;
}

/// Flips the spins whose demons allow it, in two dimensions, from the four bond words. Ten operations. Here
/// dE / 4J = 2 - u. A spin flips iff t = d + u is 2, 3, 4 or 5. The demon then has the energy t - 2.
template <class Word, class Permit>
PSFLIP_HD Word demon_updated_spin(Word spin, const Word (&e)[4], Demons<Word>& d, const Permit& permit) {
    const ThreeBonds<Word> a = add_bonds(e[0], e[1], e[2]);
    const ThreeBonds<Word> ones = add_bonds(a.ones, e[3], d.ones);
    const ThreeBonds<Word> twos = add_bonds(a.twos, ones.twos, d.twos);
    const Word flips = permit(twos.ones ^ twos.twos);
    d = {replace(d.ones, flips, ones.ones), replace(d.twos, flips, twos.twos)};
    return spin ^ flips;
}

/// Flips all spins whose demons allow it.
template <int Degree, class Word>
PSFLIP_HD Word demon_updated_spin(Word spin, const Word (&e)[Degree], Demons<Word>& d) {
    return demon_updated_spin(spin, e, d, [](Word flips) { return flips; });
}

/// Describes the chains of a half sweep. A chain holds the sites that one demon serves. The sites of a colour
/// have the coordinates h = x / 2 (rounded down), y and z. A chain has one h, `rows` consecutive y and
/// `planes` consecutive z. The demon visits plane after plane, with ascending y in each plane. Chains of the
/// two colours have different demons.
///
/// In three dimensions, a chain has the largest even number of planes at most dynamics.demon_sites / L, but
/// two or more, and at most `depth`. The L values of y are cut evenly into the smallest possible number of
/// segments. Rows are rounded up to an even number, so that the first sites of all chains of a colour have
/// equal parity of x. If demon_sites is below 4, a chain has one plane. If demon_sites is 1, a chain also has
/// one row.
struct DemonChains {
    int L, depth;      ///< linear size; number of planes along z, 1 in two dimensions
    int rows, planes;  ///< numbers for a chain; fewer at the end of the lattice

    /// sites: dynamics.demon_sites, at least 1.
    PSFLIP_HD static DemonChains of(int L, int depth, int sites) {
        const int pairs = sites / L < 4 ? 1 : sites / L / 2, planes = depth == 1 || sites < 4 ? 1
                                                                      : 2 * pairs < depth     ? 2 * pairs
                                                                                              : depth;
        const int longest = sites == 1 ? 1 : sites / planes / 2 * 2, cuts = (L + longest - 1) / longest,
                  rows = (L + cuts - 1) / cuts;
        return {L, depth, rows == 1 ? 1 : (rows + 1) / 2 * 2, planes};
    }
    PSFLIP_HD int segments() const { return (L + rows - 1) / rows; }
    PSFLIP_HD int layers() const { return (depth + planes - 1) / planes; }
    /// Returns the number of bundles. A bundle holds all chains of a colour that begin in one row (y, z).
    PSFLIP_HD int bundles() const { return segments() * layers(); }
    PSFLIP_HD int first_y(int bundle) const { return bundle % segments() * rows; }
    PSFLIP_HD int first_z(int bundle) const { return bundle / segments() * planes; }
};

}  // namespace psflip
