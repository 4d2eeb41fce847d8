#pragma once

#include <algorithm>

#include "random/philox_simd.hpp"
#include "sweep/cpu/leftovers_simd.hpp"
#include "sweep/cpu/threshold_comparison_simd.hpp"
#include "sweep/sites/site_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// A number for every spin of a lattice whose boxes are lanes, in bit planes, as independent_source_simd.hpp
// has them for many lattices: two Philox calls per 32 lanes, then every 256th lane is left over. The calls of
// a register differ in the position (word 0 of the counter) and in the word of lanes (word 2), so that of the
// first two rounds two multiplications per register are left for all of them.

template <class RuleOfSites>
class SiteNumbers {
  public:
    using Rule = RuleOfSites;

  private:
    typedef std::uint32_t Unaligned32 __attribute__((vector_size(word_bytes), aligned(4), may_alias));
    typedef std::uint32_t AliasedWord __attribute__((may_alias));
    static constexpr int full_calls = 2;  ///< calls made for whole words

    const SitesTask& task_;
    const PhiloxKeys keys_;
    alignas(64) std::uint32_t lane_word_[word_lanes32],
        position_[word_lanes32];  ///< of a group: words, sites
    /// What the first two rounds share between positions, by parity of the group: lanes are pairs of groups.
    struct Rounds {
        Native64 c0, c2, c3;
    };
    Rounds rounds_[full_calls][2];
    Native64 offset_;  ///< of the positions of a register
    std::int64_t sweep_ = -1;
    Leftovers<Rule::selectors> leftovers_;

  public:
    explicit SiteNumbers(const SitesTask& task) : task_(task), keys_(task.key) {
        for (int group = 0; group < word_lanes32; ++group) {
            lane_word_[group] = group;
            position_[group] = 2 * (group / lane_words);
        }
        offset_ = *reinterpret_cast<const Native64*>(position_);
        for (int i = 0; i < word_lanes64; ++i) offset_[i] = position_[2 * i];
    }

    void begin(std::int64_t sweep) {
        if (sweep == sweep_) return;
        sweep_ = sweep;
        for (int parity = 0; parity < 2; ++parity)
            for (int call = 0; call < full_calls; ++call) {
                Native64 fields{};
                for (int i = 0; i < word_lanes64; ++i)
                    fields[i] = counter(call).fields |
                                static_cast<std::uint32_t>((2 * i + parity) % lane_words) << lane_word_shift;
                const Native64 p1 = multiply_low32(fields, broadcast64(philox_m1));
                const Native64 c0 = (p1 >> 32) ^ keys_(0, 0) ^ broadcast64(counter(0).sweep_low);
                const Native64 p0 = multiply_low32(c0, broadcast64(philox_m0));
                rounds_[call][parity] = {p1 ^ keys_(1, 0), (p0 >> 32) ^ keys_(1, 1), p0};
            }
    }

    /// The new spins of the positions `position`, + 2, ... whose first word is number `word`; those that are
    /// not `active` stay.
    Word update(Word own, const typename Rule::Site& site, std::uint32_t position, std::int64_t word,
                Word active) {
        Word plane[4 * full_calls];
        planes(position, plane);
        const ThresholdChoice<Word, Rule::selectors> choice = Rule::choice(
            own, site, plane[0], [&](int c) { return Word{broadcast64(task_.always[c] * 0x100000001ull)}; });
        Word below{}, open = choice.open & active;
        compare_planes<Rule, 4 * full_calls>(
            plane, choice.selector, [&](int k, int c) { return digit(k, c); }, below, open);
        leftovers_.append(Native32{} + static_cast<std::uint32_t>(word * lane_words) + groups(lane_word_),
                          Native32{} + position + groups(position_), choice.selector, open);
        if constexpr (Rule::has_always) below = below & choice.open;
        return own ^ (active & (choice.flips | below));
    }

    void make_room() {
        if (leftovers_.count > leftovers_.full) finish();
    }
    /// Decides all leftovers, call by call, and flips their spins. Sites of one colour do not see each other.
    void finish() {
        auto& left = leftovers_;
        for (int call = full_calls; call < 8 && left.count > 0; ++call) {
            const int count = left.count;
            *reinterpret_cast<Unaligned32*>(left.open + count) = Native32{};
            left.count = 0;
            for (int i = 0; i < count; i += word_lanes32)
                finish_register(i, std::min(count - i, word_lanes32), call);
        }
        left.count = 0;
    }

  private:
    static Native32 groups(const std::uint32_t (&of)[word_lanes32]) {
        return *reinterpret_cast<const Native32*>(of);
    }
    Counter counter(int call) const {
        return make_counter(Purpose::site_bits, 0, static_cast<std::uint64_t>(sweep_), task_.slot,
                            task_.replica, static_cast<std::uint32_t>(call), task_.realization);
    }
    Word digit(int k, int c) const {
        return {broadcast64(std::uint64_t{0} - (task_.thresholds[c] >> (31 - k) & 1u))};
    }

    void planes(std::uint32_t position, Word (&plane)[4 * full_calls]) const {
        const Native64 p0 = multiply_low32(broadcast64(position) + offset_, broadcast64(philox_m0));
        const Native64 c2 = (p0 >> 32) ^ broadcast64(counter(0).pack_purpose) ^ keys_(0, 1);
        const Native64 p1 = multiply_low32(c2, broadcast64(philox_m1)), high = p1 >> 32;
        PhiloxLanes c[2 * full_calls];
        for (int parity = 0; parity < 2; ++parity)
            for (int call = 0; call < full_calls; ++call) {
                const Rounds& r = rounds_[call][parity];
                c[2 * call + parity] = {high ^ r.c0, p1, p0 ^ r.c2, r.c3};
            }
        run_rounds(2, philox_rounds - 1, c, keys_);
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, plane + 4 * call);
    }

    /// `count` entries from number i on. Whole registers are read, but what lies behind belongs to others.
    void finish_register(int i, int count, int call) {
        auto& left = leftovers_;
        const auto entries = [&](const std::uint32_t* from) {
            return *reinterpret_cast<const Native32*>(from + i);
        };
        const Native32 word = entries(left.position), position = entries(left.site);
        Word selector[Rule::selectors];
        for (int s = 0; s < Rule::selectors; ++s) selector[s] = {(Native64)entries(left.selector[s])};
        const Word started{(Native64)entries(left.open)};
        const Counter base = counter(call);
        const Native64 fields = (Native64)((word & (lane_words - 1)) << lane_word_shift | base.fields);
        const Native64 sweep = broadcast64(base.sweep_low), pack = broadcast64(base.pack_purpose);
        PhiloxLanes c[2] = {{(Native64)position, sweep, fields, pack},
                            {(Native64)position >> 32, sweep, fields >> 32, pack}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word plane[4], below{}, open = started;
        last_round(c[0], c[1], keys_, plane);
        compare_planes<Rule, 4>(
            plane, selector, [&](int k, int c) { return digit(4 * call + k, c); }, below, open);
        flip(i, count, below & started);
        left.append(word, position, selector, open);
    }

    void flip(int i, int count, Word below) const {
        alignas(64) std::uint32_t bits[word_lanes32];
        *reinterpret_cast<Native64*>(bits) = below.v;
        auto* spins = reinterpret_cast<AliasedWord*>(task_.spins);
        for (int entry = 0; entry < count; ++entry) spins[leftovers_.position[i + entry]] ^= bits[entry];
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
