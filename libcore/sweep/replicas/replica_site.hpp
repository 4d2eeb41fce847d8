#pragma once

#include <cstdint>

#include "random/philox.hpp"
#include "sweep/replicas/replica_layout.hpp"
#include "sweep/threshold_choice.hpp"

namespace psflip {

/// What an update of words reads of a batch whose lanes are replicas; pointers into the memory of one
/// backend.
struct ReplicaView {
    ReplicaLayout layout;
    std::uint32_t* spins;             ///< ReplicaLayout
    const std::uint16_t* bonds;       ///< likewise: bit 1 where J = -1
    const std::uint16_t* absent;      ///< bit 1 where the bond is absent; nullptr where none is
    const std::uint32_t* thresholds;  ///< (plane 32, threshold, word 16): ReplicaTables::late
    const std::uint32_t* used;        ///< (word): ReplicaTables::used
    std::uint32_t always;             ///< bit i: AcceptanceTable::always of threshold i
    std::uint32_t first_realization;
    std::uint64_t key;
};

/// A word of a row: of a colour, in a realization of the batch.
struct ReplicaPlace {
    std::int64_t realization;
    int colour, number, at;  ///< number of the row, word of the row
};

/// The words beside a word and its bonds, all ones or none, at the place.
template <int Degree, class Word>
struct ReplicaNear {
    Word own, near[Degree], bond[Degree], absent[Degree];

    PSFLIP_HD ReplicaNear(const ReplicaView& view, const ReplicaPlace& place) {
        const ReplicaLayout& layout = view.layout;
        const int L = layout.L, v = place.number % L, w = place.number / L, depth = layout.depth;
        const int words = layout.words(), row_words = layout.row_words(), at = place.at;
        const std::uint32_t* const spins = view.spins + place.realization * layout.lattice_words();
        const auto word = [&](int vv, int ww, int from) {
            return Word{spins[layout.row(1 - place.colour, vv + L * ww) + from]};
        };
        const bool next = ReplicaLayout::other_is_next(place.colour, v, w);
        const int on = at + words < row_words ? at + words : at + words - row_words,
                  back = at >= words ? at - words : at - words + row_words;
        own = Word{spins[layout.row(place.colour, place.number) + at]};
        near[0] = word(v, w, at);
        near[1] = word(v, w, next ? on : back);
        near[2] = word(v + 1 == L ? 0 : v + 1, w, at);
        near[3] = word(v == 0 ? L - 1 : v - 1, w, at);
        if constexpr (Degree == 6) {
            near[4] = word(v, w + 1 == depth ? 0 : w + 1, at);
            near[5] = word(v, w == 0 ? depth - 1 : w - 1, at);
        }
        const std::int64_t unit = place.realization * layout.bond_units() +
                                  layout.bond_row(place.colour, place.number) +
                                  at / ReplicaLayout::unit * Degree;
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) {
            bond[k] = spread(view.bonds[unit + k], at);
            absent[k] = view.absent ? spread(view.absent[unit + k], at) : Word{};
        }
    }
    PSFLIP_HD static Word spread(std::uint32_t bits, int at) {
        return Word{0u - (bits >> at % ReplicaLayout::unit & 1u)};
    }
    /// Bit 1 where the bond is there and unsatisfied.
    PSFLIP_HD void unsatisfied(Word (&e)[Degree]) const {
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) e[k] = xor_unless(xor3(own, near[k], bond[k]), Word{}, absent[k]);
    }
};

/// The number of the site that a word belongs to.
PSFLIP_HD std::uint32_t site_number(const ReplicaLayout& layout, const ReplicaPlace& place) {
    const int v = place.number % layout.L, w = place.number / layout.L;
    const int odd = ReplicaLayout::other_is_next(place.colour, v, w) ? 1 : 0;
    return static_cast<std::uint32_t>(layout.L) * static_cast<std::uint32_t>(place.number) +
           static_cast<std::uint32_t>(2 * (place.at / layout.words()) + odd);
}

/// The rules as updated_word asks for them.
template <int Degree>
struct PlainReplicaRule {
    static constexpr int degree = Degree;
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
    using Choice = ClassChoice<Degree, Field, Absent>;
    template <class Word, class Always>
    PSFLIP_HD static ThresholdChoice<Word, Choice::selectors> choice(const ReplicaNear<Degree, Word>& site,
                                                                     const Word (&e)[Degree],
                                                                     Word first_plane, Always always) {
        return Choice::of(site.own, e, site.absent, first_plane, always);
    }
};

/// The word after its update in a sweep: digits of the lanes' numbers are compared with those of their
/// thresholds, most significant first, until all lanes are decided.
template <class Rule, class Word>
PSFLIP_HD Word updated_word(const ReplicaView& view, const ReplicaPlace& place, std::int64_t sweep) {
    using Choice = typename Rule::Choice;
    const ReplicaNear<Rule::degree, Word> site(view, place);
    Word e[Rule::degree];
    site.unsatisfied(e);
    const int word = place.at % view.layout.words();
    const std::uint32_t number = site_number(view.layout, place);
    const auto digit = [&](std::uint32_t call) {
        return philox(make_counter(Purpose::replica_bits, number, static_cast<std::uint64_t>(sweep),
                                   static_cast<std::uint32_t>(word), 0, call,
                                   view.first_realization + static_cast<std::uint32_t>(place.realization)),
                      view.key);
    };
    RandomBlock random = digit(0);
    const auto choice = Rule::choice(site, e, Word{random.word[0]},
                                     [&](int i) { return Word{0u - (view.always >> i & 1u)}; });
    Word below{}, open = choice.open & Word{view.used[word]};
    for (std::uint32_t call = 0;;) {
        PSFLIP_UNROLL
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t* const plane =
                view.thresholds +
                (4 * call + static_cast<std::uint32_t>(k)) * Choice::thresholds * ReplicaLayout::most_words +
                word;
            const Word r{random.word[k]}, t = Choice::chosen(choice.selector, [&](int i) {
                                              return Word{plane[i * ReplicaLayout::most_words]};
                                          });
            below = below | (open & t & ~r);
            open = open & ~(r ^ t);
        }
        if (++call == 8 || open.bits == 0) break;
        random = digit(call);
    }
    return site.own ^ (choice.flips | below);
}

}  // namespace psflip
