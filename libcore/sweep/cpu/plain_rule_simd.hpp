#pragma once

#include "sweep/cpu/lattice_view_simd.hpp"
#include "sweep/site_rule.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// What the sweep loop and its sources of random numbers ask of a rule:
//
//   Site, read(...)                 the words that it needs of a site
//   thresholds, has_always          of a spin; whether some accept every number
//   offset_words, offset(...)       what acceptance masks become, before they are spread over realizations
//   updated(...)                    the new spin from a site and its offset
//   own_thresholds, selectors, choice(...), chosen(...)   for a number for every spin: the one threshold that
//                                   counts for it, chosen by words that are kept where the number is not
//                                   decided at once

/// For a number for every spin: lanes that flip already, and lanes whose numbers are to be compared with the
/// threshold that `selector` chooses.
template <int Selectors>
struct ThresholdChoice {
    Word flips, open;
    Word selector[Selectors];
};

/// The plain rule: thresholds of dE = 4, 8 and, in three dimensions, 12.
template <int Degree>
struct PlainRule {
    static constexpr int degree = Degree;
    static constexpr int thresholds = Degree / 2;
    static constexpr bool has_always = false;
    static constexpr int offset_words = Degree / 2;
    static constexpr int own_thresholds = Degree / 2;
    static constexpr int selectors = Degree == 6 ? 2 : 1;

    struct Site {
        Word e[Degree];
    };
    static Site read(const LatticeView& view, Word own, const Row& row, int h, int length) {
        Site site;
        view.unsatisfied(row, own, h, length, site.e);
        return site;
    }

    static void offset(const Word (&below)[thresholds], Word (&to)[offset_words]) {
        if constexpr (Degree == 6) {
            const CountOffset<Word> m = count_offset(Acceptance<Word>{below[0], below[1], below[2]});
            to[0] = m.m0;
            to[1] = m.m1;
            to[2] = m.m2;
        } else {
            to[0] = below[0];
            to[1] = below[1];
        }
    }
    static Word updated(Word own, const Site& site, const Word (&offset)[offset_words]) {
        if constexpr (Degree == 6)
            return updated_spin(own, site.e, CountOffset<Word>{offset[0], offset[1], offset[2]});
        else
            return updated_spin(own, site.e, PlanarAcceptance<Word>{offset[0], offset[1]});
    }

    /// Only the threshold of the number u of unsatisfied bonds counts, u < Degree / 2; else it flips.
    template <class Always>
    static ThresholdChoice<selectors> choice(Word, const Site& site, Word, Always) {
        if constexpr (Degree == 6) {
            const BondCount<Word> u = count_unsatisfied(site.e);
            const Word always = or_and(u.fours, u.ones, u.twos);
            return {always, ~always, {u.ones, u.twos}};
        } else {
            const Word sum = xor3(site.e[0], site.e[1], site.e[2]);
            const Word always = or_and(majority(site.e[0], site.e[1], site.e[2]), sum, site.e[3]);
            return {always, ~always, {sum ^ site.e[3]}};
        }
    }
    /// value(i): a word of threshold number i, dE = 4 (i + 1).
    template <class Value>
    static Word chosen(const Word (&selector)[selectors], Value value) {
        const Word t = replace(value(thresholds - 1), selector[0], value(thresholds - 2));
        if constexpr (Degree == 6)
            return replace(t, selector[1], value(0));
        else
            return t;
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
