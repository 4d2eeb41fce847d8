#pragma once

#include "sweep/independent/independent_cuda.cuh"

namespace psflip {

/// Holds the rounds of Philox that the sites of a slot share, for each digit, in shared memory.
struct SlotRounds {
    static constexpr std::uint32_t digits = 8;

    uint4 rounds[digits];  ///< DigitRounds; the fourth word is free

    /// Sets a digit, and its fourth word to `other`.
    __device__ __forceinline__ void set(const SweepArgs& a, std::uint64_t sweep, std::uint32_t replica,
                                        std::uint32_t slot, std::uint32_t digit, std::uint32_t other) {
        const DigitRounds r = DigitRounds::of(a, sweep, replica, slot, digit);
        rounds[digit] = {r.second0, r.second2, r.third2, other};
    }
    /// Draws a digit of the words of a site. Returns the fourth word of the digit.
    template <int Words>
    __device__ __forceinline__ std::uint32_t draw(const PhiloxKeys& keys, const SiteRounds<Words>& site,
                                                  std::uint32_t digit, RandomBlock (&r)[Words]) const {
        const uint4 shared = rounds[digit];
        draw_planes(site, {shared.x, shared.y, shared.z}, keys, r);
        return shared.w;
    }
};

/// Holds data of a slot for share 1 with the plain rule, in shared memory. A thread reads it in a few loads
/// of 16 bytes. The fourth word of its rounds is the kind.
struct SlotTable : SlotRounds {
    static constexpr std::uint32_t entries = digits;  ///< parts that set_thresholds sets

    /// Says which of the first two digits of the thresholds are 0. cold: all, except for the second digit of
    /// c4 (T < 1.44). warm: the first digit of c8 and both digits of c12 (T < 2.16).
    enum Kind : std::uint32_t { hot, warm, cold };

    ThresholdBits c4[digits], c8[digits], c12[digits];

    template <class Args>
    __device__ __forceinline__ void set_thresholds(const SweepArgs& a, const Args&, std::uint32_t slot,
                                                   std::uint32_t digit) {
        const Thresholds& c = a.thresholds[slot];
        c4[digit] = threshold_bits(c.c4 << 4 * digit);
        c8[digit] = threshold_bits(c.c8 << 4 * digit);
        c12[digit] = threshold_bits(c.c12 << 4 * digit);
    }
    __device__ __forceinline__ void set_rounds(const SweepArgs& a, std::uint64_t sweep, std::uint32_t replica,
                                               std::uint32_t slot, std::uint32_t digit) {
        const Thresholds& c = a.thresholds[slot];
        set(a, sweep, replica, slot, digit,
            c.c8 >> 28 != 0 || c.c12 >> 24 != 0  ? hot
            : c.c4 >> 28 != 0 || c.c8 >> 24 != 0 ? warm
                                                 : cold);
    }
};

/// Fill the tables of `count` lattices from number `first` on (replica * temperatures + slot). set_rounds
/// must be called for each sweep. All threads of the block must call these functions; a barrier must follow.
template <class Table, class Args>
__device__ __forceinline__ void set_thresholds(const SweepArgs& a, const Args& args, Table* tables,
                                               std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < Table::entries * count; i += blockDim.x) {
        const std::uint32_t k = i / Table::entries, slot = (first + k) % a.temperatures;
        tables[k].set_thresholds(a, args, slot, i % Table::entries);
    }
}
template <class Table>
__device__ __forceinline__ void set_rounds(const SweepArgs& a, Table* tables, std::uint64_t sweep,
                                           std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < SlotRounds::digits * count; i += blockDim.x) {
        const std::uint32_t k = i / SlotRounds::digits, replica = (first + k) / a.temperatures;
        tables[k].set_rounds(a, sweep, replica, first + k - replica * a.temperatures, i % SlotRounds::digits);
    }
}

/// Compares the first two digits for a site in one slot.
__device__ __forceinline__ void compare_two_digits(const SlotTable& table, const SiteRounds<site_words>& site,
                                                   const PhiloxKeys& keys,
                                                   LaneComparison (&lanes)[site_words]) {
    RandomBlock r[site_words];
    const auto each = [&](auto compare) {
#pragma unroll
        for (int w = 0; w < site_words; ++w) compare(lanes[w], r[w]);
    };
    const std::uint32_t second = table.draw(keys, site, 1, r);
    if (second == SlotTable::cold) {
        const ThresholdBits c4 = table.c4[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<1>(b, c4, {}, {}); });
    } else if (second == SlotTable::warm) {
        const ThresholdBits c4 = table.c4[1], c8 = table.c8[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<2>(b, c4, c8, {}); });
    } else {
        const ThresholdBits c4 = table.c4[1], c8 = table.c8[1], c12 = table.c12[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
    }
    const std::uint32_t first = table.draw(keys, site, 0, r);
    if (first == SlotTable::cold) {
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare_zero(b); });
    } else if (first == SlotTable::warm) {
        const ThresholdBits c4 = table.c4[0];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<1>(b, c4, {}, {}); });
    } else {
        const ThresholdBits c4 = table.c4[0], c8 = table.c8[0], c12 = table.c12[0];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
    }
}

}  // namespace psflip
