#pragma once

#include <algorithm>
#include <cstdint>

#include "random/philox_simd.hpp"
#include "sweep/threshold_choice.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Draws a random number R for every spin, in bit planes, most significant first. All lane codings share this
// code. One Philox call gives four planes of 32 lanes. Each spin has only one threshold T, whose planes the
// selectors of the rule choose. Planes of R are compared with planes of T:
//
//   2 calls -> 8 planes of R --+-> R < T: flips --> spin
//   selectors -> T ------------+-> still equal: every 256th lane --> queue of undecided lanes
//   queue: a register of entries at a time: the next call's 4 planes -> flips --> spins; repeat

/// Queues groups of 32 lanes. In the open lanes of a group, the numbers equal their thresholds in all planes
/// so far. Each member is an array over the entries, so neighbouring entries fill a register.
template <int Selectors>
struct UndecidedLanes {
    static constexpr int full = 512;  ///< above this number of entries: decide them
    static constexpr int capacity = full + 128 * 16 + 16;
    alignas(64) std::uint32_t group[capacity];  ///< number among all groups of 32 lanes of the spins
    alignas(64) std::uint32_t site[capacity], selector[Selectors][capacity], open[capacity];
    int count = 0;

    /// Appends the groups of a register that have open lanes. The arguments may be entries at or behind
    /// `count`, because append writes at most one register.
    void append(Native32 groups, Native32 sites, const Word (&selectors)[Selectors], Word open_) {
#if defined(__AVX512F__)
        const __m512i bits = (__m512i)open_.v;
        const int at = count;
        const __mmask16 lanes = _mm512_test_epi32_mask(bits, bits);
        const auto put = [&](std::uint32_t* to, __m512i from) {
            _mm512_storeu_si512(to + at, _mm512_maskz_compress_epi32(lanes, from));
        };
        put(group, (__m512i)groups);
        put(site, (__m512i)sites);
        for (int i = 0; i < Selectors; ++i) put(selector[i], (__m512i)selectors[i].v);
        put(open, bits);
        count = at + __builtin_popcount(lanes);
#else
        if (!any(open_)) return;
        const Native32 o = (Native32)open_.v;
        for (int lane = 0; lane < word_lanes32; ++lane) {
            group[count] = groups[lane];
            site[count] = sites[lane];
            for (int i = 0; i < Selectors; ++i) selector[i][count] = ((Native32)selectors[i].v)[lane];
            open[count] = o[lane];
            count += o[lane] != 0;
        }
#endif
    }
};

/// Returns table[i] for each of the numbers i, which must be below 16.
inline Native32 lookup(const std::uint32_t* table, Native32 numbers) {
#if defined(__AVX512F__)
    return (Native32)_mm512_permutexvar_epi32((__m512i)numbers, _mm512_load_si512(table));
#elif defined(__AVX2__)
    return (Native32)_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), (__m256i)numbers, 4);
#else
    return Native32{table[numbers[0]], table[numbers[1]], table[numbers[2]], table[numbers[3]]};
#endif
}

/// Holds a register of entries of the queue: words 0, 2 (without the digit) and 3 of their Philox counters.
struct UndecidedEntries {
    Native32 site, number;  ///< number: index that Source::late_plane looks up
    Native64 fields, pack;
};

/// Base class of the sources of random numbers in planes. A Source must have
///
///   entries(group, site)            the counters of entries of the queue
///   late_plane(k, c, entries)       plane k of threshold c of these entries
template <class Source, class RuleOfSites>
class PlaneSource {
  public:
    using Rule = RuleOfSites;

    /// Decides the queued lanes if the queue could overflow.
    void make_room() {
        if (undecided_.count > undecided_.full) finish();
    }
    /// Decides all undecided lanes, call by call, and flips their spins. Sites of one colour do not see each
    /// other, so the order does not matter.
    void finish() {
        for (int call = full_calls; call < 8 && undecided_.count > 0; ++call) {
            const int count = undecided_.count;
            store_unaligned(undecided_.open + count, Word{});
            undecided_.count = 0;
            for (int i = 0; i < count; i += word_lanes32)
                finish_register(i, std::min(count - i, word_lanes32), call);
        }
        undecided_.count = 0;
    }

  protected:
    static constexpr int full_calls = 2;  ///< calls that are made for whole words

    /// Holds the part of the first two Philox rounds that is equal for all sites of a sweep.
    struct Rounds {
        Native64 c0, c2, c3;
    };

    /// always: AcceptanceTable::always; read by the class rule.
    PlaneSource(std::uint64_t key, void* spins, const std::uint32_t* always)
        : keys_(key), spins_(static_cast<AliasedWord*>(spins)), always_(always) {}

    static std::uint32_t digit(int call) { return make_counter(Purpose{}, 0, 0, 0, 0, call, 0).fields; }
    Rounds first_rounds(Native64 fields) const {
        const Native64 p1 = multiply_low32(fields, broadcast64(philox_m1));
        const Native64 c0 = (p1 >> 32) ^ keys_(0, 0) ^ broadcast64(static_cast<std::uint32_t>(sweep_));
        const Native64 p0 = multiply_low32(c0, broadcast64(philox_m0));
        return {p1 ^ keys_(1, 0), (p0 >> 32) ^ keys_(1, 1), p0};
    }
    /// Returns the state after two rounds. p0, p1: the products of rounds 1 and 2 that depend on the site.
    static PhiloxLanes second_round(const Rounds& r, Native64 p0, Native64 p1) {
        return {(p1 >> 32) ^ r.c0, p1, p0 ^ r.c2, r.c3};
    }
    /// Makes planes from the states c after two rounds. c[2 call + parity] belongs to the 32-lane groups of
    /// this parity.
    void make_planes(PhiloxLanes (&c)[2 * full_calls], Word* planes) const {
        run_rounds(2, philox_rounds - 1, c, keys_);
        last_rounds(c, planes);
    }
    void last_rounds(const PhiloxLanes (&c)[2 * full_calls], Word* planes) const {
        for (int call = 0; call < full_calls; ++call)
            last_round(c[2 * call], c[2 * call + 1], keys_, planes + 4 * call);
    }
    /// Returns a function of c: all ones if threshold c accepts every number.
    auto always() const {
        return [this](int c) { return Word{broadcast32(always_[c])}; };
    }
    /// Compares the first planes of the open lanes, queues undecided groups, and returns the lanes whose
    /// numbers are below their thresholds. plane_of(k, c): plane k of threshold c.
    template <class PlaneOf>
    Word lanes_below(const ThresholdChoice<Word, Rule::selectors>& choice, Word open,
                     const Word (&plane)[4 * full_calls], PlaneOf plane_of, Native32 groups, Native32 sites) {
        Word below{};
        compare<4 * full_calls>(plane, choice.selector, plane_of, below, open);
        return queued(choice, below, open, groups, sites);
    }
    Word queued(const ThresholdChoice<Word, Rule::selectors>& choice, Word below, Word open, Native32 groups,
                Native32 sites) {
        undecided_.append(groups, sites, choice.selector, open);
        if constexpr (Rule::has_always) below = below & choice.open;
        return below;
    }

    const PhiloxKeys keys_;
    std::int64_t sweep_ = -1;

  private:
    typedef std::uint32_t AliasedWord __attribute__((may_alias));
    const Source& source() const { return static_cast<const Source&>(*this); }

    /// Compares planes from the least significant one up. `open` keeps the lanes that were open and whose
    /// planes are all equal.
    template <int Planes, class PlaneOf>
    static void compare(const Word* plane, const Word (&selector)[Rule::selectors], PlaneOf plane_of,
                        Word& below, Word& open) {
#pragma GCC unroll 8
        for (int k = Planes - 1; k >= 0; --k) {
            const Word t = Rule::chosen(selector, [&](int c) { return plane_of(k, c); });
            below = borrow(below, t, plane[k]);
            open = and_equal(open, t, plane[k]);
        }
    }

    /// Compares the four planes of one more call for `count` entries from entry i on. Queues undecided groups
    /// again.
    void finish_register(int i, int count, int call) {
        const Native32 group = load_numbers(undecided_.group + i), site = load_numbers(undecided_.site + i);
        Word selector[Rule::selectors];
        for (int s = 0; s < Rule::selectors; ++s) selector[s] = load32(undecided_.selector[s] + i);
        const Word started = load32(undecided_.open + i);
        const UndecidedEntries entries = source().entries(group, site);
        const Native64 sweep = broadcast64(static_cast<std::uint32_t>(sweep_)),
                       sites = (Native64)entries.site, fields = entries.fields | broadcast32(digit(call));
        PhiloxLanes c[2] = {{sites, sweep, fields, entries.pack},
                            {sites >> 32, sweep, fields >> 32, entries.pack >> 32}};
        run_rounds(0, philox_rounds - 1, c, keys_);
        Word plane[4], below{}, open = started;
        last_round(c[0], c[1], keys_, plane);
        compare<4>(
            plane, selector, [&](int k, int c) { return source().late_plane(4 * call + k, c, entries); },
            below, open);
        flip(i, count, below & started);
        undecided_.append(group, site, selector, open);
    }

    /// Flips spins of `count` entries only, because the other groups of the register may belong to another
    /// thread.
    void flip(int i, int count, Word below) const {
        alignas(64) std::uint32_t bits[word_lanes32];
        store32(bits, below);
        for (int entry = 0; entry < count; ++entry) spins_[undecided_.group[i + entry]] ^= bits[entry];
    }

    AliasedWord* const spins_;
    const std::uint32_t* const always_;
    UndecidedLanes<Rule::selectors> undecided_;
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
