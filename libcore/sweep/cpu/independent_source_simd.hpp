#pragma once

#include <cstdint>

#include "random/philox_simd.hpp"
#include "sweep/cpu/leftovers_simd.hpp"
#include "sweep/cpu/plain_rule_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "sweep/cpu/threshold_comparison_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Updates with a number R for every spin (share 1). R comes in bit planes, four per Philox call and 32
// realizations, most significant first. Only one threshold of a spin counts; with the plain rule in three
// dimensions that of its number u of unsatisfied bonds (u = 0, 1, 2: exp(-12 beta), exp(-8 beta), exp(-4
// beta); u >= 3 always flips). Its bit planes T are chosen by selectors, here u, and compared with those of
// R:
//
//   site: 2 calls -> 8 planes of R --+-> R < T: flips --> spin
//         selectors -> T ------------+-> still equal: every 256th lane --> leftovers (32 lanes each)
//   end of a row or colour: leftovers, 16 at a time: the next call's 4 planes -> flips --> spins; repeat
//
// Per 512 spins with that rule: Philox 4 x (7 rounds of 6) + 2 x 12 for the last + 14 for the first two; 8 x
// 4 to compare; 15 for the bonds and the flip; 15 to append leftovers, and 1.7 of them at 15 each: about 290.

template <class RuleOfSites>
class IndependentSource {
  public:
    using Rule = RuleOfSites;

  private:
    typedef std::uint32_t Unaligned32 __attribute__((vector_size(word_bytes), aligned(4), may_alias));
    static constexpr int lanes = 16;      ///< 32-lane groups of a 512-bit word
    static constexpr int full_calls = 2;  ///< calls made for whole words
    typedef std::uint32_t AliasedWord __attribute__((may_alias));

    const SweepTask& task_;
    const Lattice& lattice_;
    const PhiloxKeys keys_;
    alignas(64) std::uint32_t digit_[32][Rule::own_thresholds][lanes];  ///< plane of the threshold: 0 or ~0
    alignas(64) std::uint32_t fields_[lanes], pack_[lanes];
    alignas(64) std::uint32_t lane_number_[lanes];
    /// What the first two rounds share between sites, by parity of the group: lanes are pairs of groups.
    struct Rounds {
        Native64 c0, c2, c3;
    };
    Rounds rounds_[registers][full_calls][2];
    Native64 pack_key_[registers][2];
    std::int64_t sweep_ = -1;
    Leftovers<Rule::selectors> leftovers_;

  public:
    IndependentSource(const SweepTask& task, const Lattice& lattice)
        : task_(task), lattice_(lattice), keys_(task.key) {
        for (int lane = 0; lane < lanes; ++lane) {
            lane_number_[lane] = lane;
            pack_[lane] =
                make_counter(Purpose::metropolis_bits, 0, 0, 0, 0, 0, task.first_realization / 32 + lane % 4)
                    .pack_purpose;
            for (int k = 0; k < 32; ++k)
                for (int c = 0; c < Rule::own_thresholds; ++c)
                    digit_[k][c][lane] = 0u - (task.thresholds[4 * c + lane / 4] >> (31 - k) & 1u);
        }
    }

    void prepare(const Chunk&, int) {}

    void begin(const Chunk& chunk) {
        if (chunk.sweep() == sweep_) return;
        sweep_ = chunk.sweep();
        for (int lane = 0; lane < lanes; ++lane)
            fields_[lane] = make_counter(Purpose::metropolis_bits, 0, sweep_, task_.first_slot + lane / 4,
                                         task_.replica, 0, 0)
                                .fields;
        for (int reg = 0; reg < registers; ++reg)
            for (int parity = 0; parity < 2; ++parity) {
                pack_key_[reg][parity] = (lanes64(pack_, reg) >> (32 * parity)) ^ keys_(0, 1);
                for (int call = 0; call < full_calls; ++call) {
                    const Native64 fields = lanes64(fields_, reg) >> (32 * parity) | broadcast64(digit(call));
                    const Native64 p1 = multiply_low32(fields, broadcast64(philox_m1));
                    const Native64 c0 =
                        (p1 >> 32) ^ keys_(0, 0) ^ broadcast64(static_cast<std::uint32_t>(sweep_));
                    const Native64 p0 = multiply_low32(c0, broadcast64(philox_m0));
                    rounds_[reg][call][parity] = {p1 ^ keys_(1, 0), (p0 >> 32) ^ keys_(1, 1), p0};
                }
            }
    }

    /// The new spin of the h-th site of a row.
    Word update(Word own, const typename Rule::Site& of_site, const Row& row, int h, int, int reg, int) {
        const std::uint32_t site = lattice_.site(row, h);
        Word plane[4 * full_calls];
        planes(site, reg, plane);
        const ThresholdChoice<Word, Rule::selectors> choice =
            Rule::choice(own, of_site, plane[0],
                         [&](int c) { return Word{broadcast64(task_.always[c] * 0x100000001ull)}; });
        Word below{}, open = choice.open;
        compare_planes<Rule, 4 * full_calls>(
            plane, choice.selector, [&](int k, int c) { return load32(digit_[k][c] + reg * word_lanes32); },
            below, open);
        const Native32 first = Native32{} + static_cast<std::uint32_t>((row.own + h) * lanes);
        leftovers_.append(first + *reinterpret_cast<const Native32*>(lane_number_ + reg * word_lanes32),
                          Native32{} + site, choice.selector, open);
        if constexpr (Rule::has_always) below = below & choice.open;
        return xor_or(own, choice.flips, below);
    }

    void end_row() {
        if (leftovers_.count > leftovers_.full) finish();
    }
    void end_colour() { finish(); }

  private:
    static std::uint32_t digit(int call) {
        return make_counter(Purpose::metropolis_bits, 0, 0, 0, 0, call, 0).fields;
    }
    static Native64 lanes64(const std::uint32_t* from, int reg) {
        return *reinterpret_cast<const Native64*>(from + reg * word_lanes32);
    }
    static Word load32(const std::uint32_t* p) { return {*reinterpret_cast<const Native64*>(p)}; }

    /// The first planes of R of all lanes of a site.
    void planes(std::uint32_t site, int reg, Word (&plane)[4 * full_calls]) const {
        const std::uint64_t p0 = std::uint64_t{philox_m0} * site;
        const Native64 high = broadcast64(p0 >> 32), low = broadcast64(p0);
        PhiloxLanes c[2 * full_calls];
        for (int parity = 0; parity < 2; ++parity) {
            const Native64 p1 = multiply_low32(high ^ pack_key_[reg][parity], broadcast64(philox_m1));
            for (int call = 0; call < full_calls; ++call) {
                const Rounds& r = rounds_[reg][call][parity];
                c[2 * call + parity] = {(p1 >> 32) ^ r.c0, p1, low ^ r.c2, r.c3};
            }
        }
        run_rounds(2, philox_rounds - 1, c, keys_);
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, plane + 4 * call);
    }

    /// Decides all leftovers, call by call, and flips their spins. Sites of one colour do not see each other.
    void finish() {
        auto& left = leftovers_;
        for (int call = full_calls; call < 8 && left.count > 0; ++call) {
            const int count = left.count;
            *reinterpret_cast<Unaligned32*>(left.open + count) = Native32{};
            left.count = 0;
            for (int i = 0; i < count; i += word_lanes32) finish_register(i, call);
        }
        left.count = 0;
    }

    void finish_register(int i, int call) {
        auto& left = leftovers_;
        const auto entries = [&](const std::uint32_t* from) {
            return *reinterpret_cast<const Native32*>(from + i);
        };
        const Native32 position = entries(left.position), site = entries(left.site);
        Word selector[Rule::selectors];
        for (int s = 0; s < Rule::selectors; ++s) selector[s] = {(Native64)entries(left.selector[s])};
        const Word started{(Native64)entries(left.open)};
        const Native32 lane = position & (lanes - 1);
        const Native64 fields = (Native64)lookup(fields_, lane) | broadcast64(digit(call) * 0x100000001ull);
        const Native64 pack = (Native64)lookup(pack_, lane);
        const Native64 sweep = broadcast64(static_cast<std::uint32_t>(sweep_));
        PhiloxLanes c[2] = {{(Native64)site, sweep, fields, pack},
                            {(Native64)site >> 32, sweep, fields >> 32, pack >> 32}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word plane[4], below{}, open = started;
        last_round(c[0], c[1], keys_, plane);
        compare_planes<Rule, 4>(
            plane, selector,
            [&](int k, int c) { return Word{(Native64)lookup(digit_[4 * call + k][c], lane)}; }, below, open);
        flip(i, below & started);
        left.append(position, site, selector, open);
    }

    void flip(int i, Word below) const {
        alignas(64) std::uint32_t bits[word_lanes32];
        *reinterpret_cast<Native64*>(bits) = below.v;
        auto* spins = reinterpret_cast<AliasedWord*>(task_.spins);
        for (int entry = 0; entry < word_lanes32; ++entry)
            spins[leftovers_.position[i + entry]] ^= bits[entry];
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
