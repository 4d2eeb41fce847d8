#pragma once

#include "sweep/class_rule.hpp"
#include "sweep/cpu/plain_rule_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Implements the class rule (sweep/class_rule.hpp) with the members that plain_rule_simd.hpp lists.
/// Thresholds are in the order of SweepRule::thresholds.
template <int Degree, bool Field, bool Absent>
struct WordClassRule {
    using Logic = ClassRule<Degree, Field, Absent>;
    static constexpr int degree = Degree;
    static constexpr int classes = Logic::classes;
    using Choice = ClassChoice<Degree, Field, Absent>;
    static constexpr bool by_half = Choice::by_half;
    static constexpr int own_thresholds = Choice::thresholds;
    static constexpr int thresholds = own_thresholds + (by_half ? 1 : 0);
    static constexpr bool has_always = true;
    static constexpr int offset_words = (Field ? 8 : 4) + (by_half ? 1 : 0);
    static constexpr int selectors = Choice::selectors;

    struct Site {
        Word near[Degree], bond[Degree], absent[Absent ? Degree : 1];
    };
    template <class At>
    static Site read(const At& at, Word) {
        Site site;
        at.spins(site.near);
        at.couplings(site.bond);
        if constexpr (Absent) at.absent(site.absent);
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

    template <class Always>
    static ThresholdChoice<Word, selectors> choice(Word own, const Site& site, Word first_plane,
                                                   Always always) {
        Word e[Degree];
        for (int k = 0; k < Degree; ++k) {
            e[k] = xor3(own, site.near[k], site.bond[k]);
            if constexpr (Absent) e[k] = xor_unless(e[k], Word{}, site.absent[k]);
        }
        return Choice::of(own, e, site.absent, first_plane, always);
    }
    /// Returns, in each lane, the bit of value(i) for the threshold i that `selector` chooses.
    template <class Value>
    static Word chosen(const Word (&selector)[selectors], Value value) {
        return Choice::chosen(selector, value);
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
