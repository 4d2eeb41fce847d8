#pragma once

#include <cstdint>

#include "random/philox_simd.hpp"
#include "sweep/cpu/leftovers_simd.hpp"
#include "sweep/cpu/threshold_comparison_simd.hpp"
#include "sweep/replicas/replica_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Updates with a number for every lane of words whose lanes are (replica, slot) pairs, compared plane by
// plane as in sweep/cpu/independent_source_simd.hpp; here thresholds are words, the numbers' planes those of
// a word of 32 lanes (purpose replica_bits), and neighbouring words of a register may be of the same site or
// not.

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
    const std::uint32_t* const early_;
    const std::uint32_t* const word_;
    const std::uint32_t* const site_;
    const std::uint32_t* const used_;
    const int period_;
    const std::uint32_t period_sites_;
    const PhiloxKeys keys_;
    const std::uint32_t pack_;
    const Native64 pack_key_;
    alignas(64) std::uint32_t fields_[ReplicaLayout::most_words];
    alignas(64) std::uint32_t lane_number_[word_lanes32];
    /// What the first two rounds share between sites; of even and odd words.
    struct Rounds {
        Native64 c0, c2, c3;
    };
    Rounds rounds_[most_registers][full_calls][2];
    std::int64_t sweep_ = -1;
    Leftovers<Rule::selectors> leftovers_;

  public:
    explicit ReplicaSource(const ReplicaSweepTask& task)
        : task_(task),
          tables_(*task.tables),
          early_(tables_.early.data()),
          word_(tables_.word.data()),
          site_(tables_.site.data()),
          used_(tables_.used.data()),
          period_(task.layout.period()),
          period_sites_(static_cast<std::uint32_t>(2 * period_ / task.layout.words())),
          keys_(task.key),
          pack_(counter(0, 0).pack_purpose),
          pack_key_(broadcast64(pack_) ^ keys_(0, 1)) {
        for (int lane = 0; lane < word_lanes32; ++lane) lane_number_[lane] = lane;
    }

    int period() const { return period_; }
    /// By which the numbers of sites rise from one period to the next.
    std::uint32_t period_sites() const { return period_sites_; }

    void begin(std::int64_t sweep) {
        if (sweep == sweep_) return;
        sweep_ = sweep;
        for (int w = 0; w < ReplicaLayout::most_words; ++w) fields_[w] = counter(w, 0).fields;
        for (int at = 0; at < period_; at += word_lanes32) {
            alignas(64) std::uint32_t fields[word_lanes32];
            for (int lane = 0; lane < word_lanes32; ++lane) fields[lane] = fields_[word_[at + lane]];
            for (int parity = 0; parity < 2; ++parity)
                for (int call = 0; call < full_calls; ++call)
                    rounds_[at / word_lanes32][call][parity] =
                        first_rounds(*reinterpret_cast<const Native64*>(fields) >> (32 * parity) |
                                     broadcast64(digit(call)));
        }
    }

    /// The new spins of a register of words, number `position` of the spins and so on. `at`: the same place
    /// in the period of rows, `first_site`: number of the site to which the sites of that place are added.
    Word update(Word own, const typename Rule::Site& sites, std::uint32_t position, std::uint32_t first_site,
                int at) {
        const Native32 site = first_site + load_numbers(site_ + at);
        Word plane[4 * full_calls];
        planes((Native64)site, at / word_lanes32, plane);
        const ThresholdChoice<Word, Rule::selectors> choice = Rule::choice(
            own, sites, plane[0], [&](int c) { return Word{broadcast64(task_.always[c] * 0x100000001ull)}; });
        Word below{}, open = choice.open;
        constexpr int unit = ReplicaLayout::unit,
                      planes_of_unit = 4 * full_calls * Rule::own_thresholds * unit;
        const std::uint32_t* const thresholds =
            early_ + at / unit * planes_of_unit + (word_lanes32 == unit ? 0 : at % unit);
        compare_planes<Rule, 4 * full_calls>(
            plane, choice.selector,
            [&](int k, int c) { return load32(thresholds + (k * Rule::own_thresholds + c) * unit); }, below,
            open);
        leftovers_.append(position + load_numbers(lane_number_),
                          site + (load_numbers(word_ + at) << site_bits), choice.selector,
                          open & load32(used_ + at));
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

    Rounds first_rounds(Native64 fields) const {
        const Native64 p1 = multiply_low32(fields, broadcast64(philox_m1));
        const Native64 c0 = (p1 >> 32) ^ keys_(0, 0) ^ broadcast64(static_cast<std::uint32_t>(sweep_));
        const Native64 p0 = multiply_low32(c0, broadcast64(philox_m0));
        return {p1 ^ keys_(1, 0), (p0 >> 32) ^ keys_(1, 1), p0};
    }

    /// The first planes of the numbers of a register of words.
    void planes(Native64 sites, int reg, Word (&plane)[4 * full_calls]) const {
        const Native64 m0 = broadcast64(philox_m0);
        PhiloxLanes c[2 * full_calls];
        for (int parity = 0; parity < 2; ++parity) {
            const Native64 p0 = multiply_low32(parity == 0 ? sites : sites >> 32, m0);
            const Native64 p1 = multiply_low32((p0 >> 32) ^ pack_key_, broadcast64(philox_m1));
            for (int call = 0; call < full_calls; ++call) {
                const Rounds& r = rounds_[reg][call][parity];
                c[2 * call + parity] = {(p1 >> 32) ^ r.c0, p1, p0 ^ r.c2, r.c3};
            }
        }
        run_rounds(2, philox_rounds - 1, c, keys_);
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, plane + 4 * call);
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
