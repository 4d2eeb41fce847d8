#pragma once

#include "sweep/cpu/lattice_view_simd.hpp"
#include "sweep/site_rule.hpp"
#include "sweep/threshold_choice.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// A rule on the CPU has these members, for the sweep loop and the sources of random numbers:
//
//   Site, read(...)                 the words that the update of a site needs; loads these words
//   thresholds, has_always          number of thresholds; whether some of them accept every number
//   offset_words, offset(...)       words made from acceptance masks before these are spread over
//                                   realizations (plain rule: the masks)
//   updated(...)                    the new spin from a Site and these words
//   own_thresholds, selectors, choice(...), chosen(...)   if every spin has its own number: how selector
//                                   words choose the only threshold that is compared with this number
//                                   (sweep/threshold_choice.hpp)

/// Implements the plain rule (sweep/site_rule.hpp). Thresholds are for dE = 4, 8 and, in three dimensions,
/// 12 J.
template <int Degree>
struct PlainRule {
    static constexpr int degree = Degree;
    static constexpr int thresholds = Degree / 2;
    static constexpr bool has_always = false;
    static constexpr int offset_words = Degree / 2;
    using Choice = PlainChoice<Degree>;
    static constexpr int own_thresholds = Choice::thresholds;
    static constexpr int selectors = Choice::selectors;

    struct Site {
        Word e[Degree];
    };
    template <class At>
    static Site read(const At& at, Word own) {
        Site site;
        at.unsatisfied(own, site.e);
        return site;
    }

    static void offset(const Word (&below)[thresholds], Word (&to)[offset_words]) {
        for (int i = 0; i < thresholds; ++i) to[i] = below[i];
    }
    static Word updated(Word own, const Site& site, const Word (&offset)[offset_words]) {
        if constexpr (Degree == 6)
            return updated_spin(own, site.e, Acceptance<Word>{offset[0], offset[1], offset[2]});
        else
            return updated_spin(own, site.e, PlanarAcceptance<Word>{offset[0], offset[1]});
    }

    template <class Always>
    static ThresholdChoice<Word, selectors> choice(Word, const Site& site, Word, Always) {
        return Choice::of(site.e);
    }
    /// Returns, in each lane, the bit of value(i). `selector` chooses the threshold i, which belongs to dE =
    /// 4 (i + 1) J.
    template <class Value>
    static Word chosen(const Word (&selector)[selectors], Value value) {
        return Choice::chosen(selector, value);
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
