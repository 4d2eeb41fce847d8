#pragma once

#include <cstdint>

#include "random/philox_simd.hpp"
#include "sweep/cpu/leftovers_simd.hpp"
#include "sweep/cpu/threshold_comparison_simd.hpp"
#include "sweep/replicas/replica_rule_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Updates with a number for every lane of words whose lanes are (replica, slot) pairs, compared plane by
// plane as in sweep/cpu/independent_source_simd.hpp; here thresholds are words, the numbers' planes those of
// a word of 32 lanes (purpose replica_bits), and neighbouring words of a register may be of the same site or
// not. While one register is updated the numbers of the next one are made, so that the processor finds work
// between the rounds, each of which waits for the one before:
//
//   register n + 1:  rounds 1 and 2 | round 3 | 4      | 5      | 6      | 7      | ... 10 -> its planes
//   register n:                     | bonds   | 2 of 8 planes each, lowest first  | leftovers, spins
//
// Per 512 lanes by the plain rule in three dimensions, where words of a site are even in number: Philox 13
// for the first two rounds, 4 x 7 x 6, 2 x 12 for the last; 17 for neighbours and bonds, 32 to compare, and
// for leftovers, flip and masks 24: 278 operations; 126 loads.

template <class RuleOfSites>
class ReplicaSource {
  public:
    using Rule = RuleOfSites;

  private:
    static constexpr int full_calls = 2;  ///< calls made for whole words
    static constexpr int site_bits = 28;  ///< of leftovers: the word of the site lies above
    static constexpr int most_registers = 240 / word_lanes32;
    typedef std::uint32_t AliasedWord __attribute__((may_alias));

    const ReplicaSweepTask& task_;
    const ReplicaTables& tables_;
    const int registers_;  ///< of a period
    const std::uint32_t period_sites_;
    const bool pairs_;  ///< both words of 64 bits are of one site
    const std::uint32_t pack_;
    std::int64_t sweep_ = -1;
    const PhiloxKeys keys_;
    const Native64 pack_key_;
    alignas(64) std::uint32_t lane_number_[word_lanes32];
    Word ahead_[4 * full_calls];  ///< planes of the register that is updated next
    /// What the first two rounds share between sites; of even and odd words.
    struct Rounds {
        Native64 c0, c2, c3;
    };
    /// What belongs to a register of the period. It stands here and not in a table elsewhere, as loads wait
    /// for stores to equal places of other pages (of 4 KiB): those of the planes above.
    struct Part {
        Native64 product[2];  ///< first product of the sites' numbers
        Rounds rounds[full_calls][2];
        alignas(64) std::uint32_t early[4 * full_calls][Rule::own_thresholds][word_lanes32];
        alignas(64) std::uint32_t entry[word_lanes32], used[word_lanes32];
    };
    Part parts_[most_registers];
    alignas(64) std::uint32_t fields_[ReplicaLayout::most_words];
    Leftovers<Rule::selectors> leftovers_;

  public:
    explicit ReplicaSource(const ReplicaSweepTask& task)
        : task_(task),
          tables_(*task.tables),
          registers_(task.layout.period() / word_lanes32),
          period_sites_(static_cast<std::uint32_t>(2 * task.layout.period() / task.layout.words())),
          pairs_(task.layout.words() % 2 == 0),
          pack_(counter(0, 0).pack_purpose),
          keys_(task.key),
          pack_key_(broadcast64(pack_) ^ keys_(0, 1)) {
        for (int lane = 0; lane < word_lanes32; ++lane) lane_number_[lane] = lane;
        for (int reg = 0; reg < registers_; ++reg) fill(parts_[reg], reg * word_lanes32);
    }

    /// Where a register lies in the period of rows, and the number of the site to which the sites of that
    /// place are added.
    struct Place {
        unsigned part;
        std::uint32_t first_site;
    };
    Place after(Place place) const {
        if (++place.part == static_cast<unsigned>(registers_)) place = {0, place.first_site + period_sites_};
        return place;
    }

    void begin(std::int64_t sweep) {
        if (sweep == sweep_) return;
        sweep_ = sweep;
        for (int w = 0; w < ReplicaLayout::most_words; ++w) fields_[w] = counter(w, 0).fields;
        for (int reg = 0; reg < registers_; ++reg) {
            alignas(64) std::uint32_t fields[word_lanes32];
            for (int lane = 0; lane < word_lanes32; ++lane)
                fields[lane] = fields_[tables_.word[reg * word_lanes32 + lane]];
            for (int parity = 0; parity < 2; ++parity)
                for (int call = 0; call < full_calls; ++call)
                    parts_[reg].rounds[call][parity] =
                        first_rounds(*reinterpret_cast<const Native64*>(fields) >> (32 * parity) |
                                     broadcast64(digit(call)));
        }
    }

    /// Makes the numbers of the first register that is updated.
    void prepare(Place place) {
        PhiloxLanes c[2 * full_calls];
        start(place, c);
        run_rounds(2, philox_rounds - 1, c, keys_);
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, ahead_ + 4 * call);
    }

    /// The new spins of a register of words, number `in_row` of a row, `position` of the spins, whose numbers
    /// have been made; makes those of the register that is updated next.
    template <class Row>
    Word update(const Row& row, int in_row, std::uint32_t position, Place place, Place next) {
        PhiloxLanes c[2 * full_calls];
        start(next, c);
        run_rounds(2, 3, c, keys_);
        const Word own = load32(row.own + in_row);
        const auto sites = read_sites(Rule{}, row, in_row);
        const ThresholdChoice<Word, Rule::selectors> choice =
            choose_thresholds(Rule{}, own, sites, ahead_[0],
                              [&](int c) { return Word{broadcast64(task_.always[c] * 0x100000001ull)}; });
        const Part& part = parts_[place.part];
        Word below{}, open = choice.open & load32(part.used);
        const auto compare = [&](int k) {
            const Word t = Rule::chosen(choice.selector, [&](int c) { return load32(part.early[k][c]); });
            const Word r = ahead_[k];
            below = borrow(below, t, r);
            open = and_equal(open, t, r);
        };
#pragma GCC unroll 8
        for (int round = 3; round < philox_rounds - 1; ++round) {
            run_rounds(round, round + 1, c, keys_);
            const int left = 4 * full_calls - 2 * (round - 3);
            if (left > 0) compare(left - 1), compare(left - 2);
        }
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, ahead_ + 4 * call);
        leftovers_.append(position + load_numbers(lane_number_), place.first_site + load_numbers(part.entry),
                          choice.selector, open);
        if constexpr (Rule::has_always) below = below & choice.open;
        return xor_or(own, choice.flips, below);
    }

    /// When the words of that update are stored.
    void stored() {
        if (leftovers_.count > leftovers_.full) finish();
    }

    /// Decides all leftovers, call by call, and flips their spins. Sites of one colour do not see each other.
    void finish() {
        auto& left = leftovers_;
        for (int call = full_calls; call < 8 && left.count > 0; ++call) {
            const int count = left.count;
            *reinterpret_cast<Unaligned32*>(left.open + count) = Native32{};
            left.count = 0;
            for (int i = 0; i < count; i += word_lanes32) finish_register(i, count, call);
        }
        left.count = 0;
    }

  private:
    Counter counter(std::uint32_t word, std::uint32_t call) const {
        return make_counter(Purpose::replica_bits, 0, sweep_ < 0 ? 0 : sweep_, word, 0, call,
                            task_.realization);
    }
    static std::uint32_t digit(int call) {
        return make_counter(Purpose::replica_bits, 0, 0, 0, 0, call, 0).fields;
    }

    void fill(Part& part, int at) const {
        constexpr int unit = ReplicaLayout::unit, rows = 4 * full_calls * Rule::own_thresholds;
        const std::uint32_t* const early = tables_.early.data() + at / unit * rows * unit + at % unit;
        for (int lane = 0; lane < word_lanes32; ++lane) {
            const std::uint32_t site = tables_.site[at + lane];
            part.product[lane % 2][lane / 2] = std::uint64_t{philox_m0} * site;
            part.entry[lane] = site + (tables_.word[at + lane] << site_bits);
            part.used[lane] = tables_.used[at + lane];
        }
        for (int k = 0; k < rows; ++k)
            store32(part.early[k / Rule::own_thresholds][k % Rule::own_thresholds], load32(early + k * unit));
    }
    Rounds first_rounds(Native64 fields) const {
        const Native64 p1 = multiply_low32(fields, broadcast64(philox_m1));
        const Native64 c0 = (p1 >> 32) ^ keys_(0, 0) ^ broadcast64(static_cast<std::uint32_t>(sweep_));
        const Native64 p0 = multiply_low32(c0, broadcast64(philox_m0));
        return {p1 ^ keys_(1, 0), (p0 >> 32) ^ keys_(1, 1), p0};
    }

    /// The first round and part of the second of the numbers of a register of words.
    void start(Place place, PhiloxLanes (&c)[2 * full_calls]) const {
        const Part& part = parts_[place.part];
        const Native64 first = broadcast64(std::uint64_t{philox_m0} * place.first_site);
        Native64 p0, p1;
        for (int parity = 0; parity < 2; ++parity) {
            if (parity == 0 || !pairs_) {
                p0 = first + part.product[parity];
                p1 = multiply_low32((p0 >> 32) ^ pack_key_, broadcast64(philox_m1));
            }
            for (int call = 0; call < full_calls; ++call) {
                const Rounds& r = part.rounds[call][parity];
                c[2 * call + parity] = {(p1 >> 32) ^ r.c0, p1, p0 ^ r.c2, r.c3};
            }
        }
    }

    void finish_register(int i, int count, int call) {
        auto& left = leftovers_;
        const auto entries = [&](const std::uint32_t* from) {
            return *reinterpret_cast<const Native32*>(from + i);
        };
        const Native32 position = entries(left.position), entry = entries(left.site);
        Word selector[Rule::selectors];
        for (int s = 0; s < Rule::selectors; ++s) selector[s] = {(Native64)entries(left.selector[s])};
        const Word started{(Native64)entries(left.open)};
        const Native32 word = entry >> site_bits, site = entry & ((1u << site_bits) - 1);
        const Native64 fields = (Native64)lookup(fields_, word) | broadcast64(digit(call) * 0x100000001ull);
        const Native64 sweep = broadcast64(static_cast<std::uint32_t>(sweep_)), pack = broadcast64(pack_);
        PhiloxLanes c[2] = {{(Native64)site, sweep, fields, pack},
                            {(Native64)site >> 32, sweep, fields >> 32, pack}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word plane[4], below{}, open = started;
        last_round(c[0], c[1], keys_, plane);
        const std::uint32_t* const late =
            tables_.late.data() + 4 * call * Rule::own_thresholds * ReplicaLayout::most_words;
        compare_planes<Rule, 4>(
            plane, selector,
            [&](int k, int c) {
                return Word{(Native64)lookup(
                    late + (k * Rule::own_thresholds + c) * ReplicaLayout::most_words, word)};
            },
            below, open);
        flip(i, count, below & started);
        left.append(position, entry, selector, open);
    }

    /// Only true entries: another thread may have the rows of what stands behind them.
    void flip(int i, int count, Word below) const {
        alignas(64) std::uint32_t bits[word_lanes32];
        *reinterpret_cast<Native64*>(bits) = below.v;
        auto* spins = reinterpret_cast<AliasedWord*>(task_.spins);
        for (int entry = 0; entry < word_lanes32 && i + entry < count; ++entry)
            spins[leftovers_.position[i + entry]] ^= bits[entry];
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
