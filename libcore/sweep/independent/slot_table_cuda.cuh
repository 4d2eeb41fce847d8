#pragma once

#include "sweep/independent/independent_cuda.cuh"

namespace psflip {

/// Bytes of shared memory of a SlotTable.
inline constexpr int slot_table_bytes = 512;

/// Holds data of a slot for share 1, in shared memory. A thread reads it in a few loads of 16 bytes.
struct SlotTable {
    /// Says which of the first two digits of the thresholds are 0. cold: all, except for the second digit of
    /// c4 (T < 1.44). warm: the first digit of c8 and both digits of c12 (T < 2.16).
    enum Kind : std::uint32_t { hot, warm, cold };

    static constexpr std::uint32_t digits = 8;

    uint4 rounds[digits];  ///< DigitRounds and kind
    ThresholdBits c4[digits], c8[digits], c12[digits];

    __device__ __forceinline__ void set_thresholds(const Thresholds& c, std::uint32_t digit) {
        c4[digit] = threshold_bits(c.c4 << 4 * digit);
        c8[digit] = threshold_bits(c.c8 << 4 * digit);
        c12[digit] = threshold_bits(c.c12 << 4 * digit);
    }
    __device__ __forceinline__ void set_rounds(const SweepArgs& a, std::uint64_t sweep, std::uint32_t replica,
                                               std::uint32_t slot, std::uint32_t digit) {
        const Thresholds& c = a.thresholds[slot];
        const DigitRounds r = DigitRounds::of(a, sweep, replica, slot, digit);
        rounds[digit] = {r.second0, r.second2, r.third2,
                         c.c8 >> 28 != 0 || c.c12 >> 24 != 0  ? hot
                         : c.c4 >> 28 != 0 || c.c8 >> 24 != 0 ? warm
                                                              : cold};
    }
    /// Draws a digit of one word.
    __device__ __forceinline__ RandomBlock draw(const PhiloxKeys& keys, const SiteRounds<1>& site,
                                                std::uint32_t digit) const {
        const uint4 shared = rounds[digit];
        RandomBlock r[1];
        draw_planes(site, {shared.x, shared.y, shared.z}, keys, r);
        return r[0];
    }
};

static_assert(sizeof(SlotTable) == slot_table_bytes);

/// Fill the tables of `count` lattices from number `first` on (replica * temperatures + slot). set_rounds
/// must be called for each sweep. All threads of the block must call these functions; a barrier must follow.
__device__ __forceinline__ void set_thresholds(const SweepArgs& a, SlotTable* tables, std::uint32_t first,
                                               std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < SlotTable::digits * count; i += blockDim.x) {
        const std::uint32_t k = i / SlotTable::digits, slot = (first + k) % a.temperatures;
        tables[k].set_thresholds(a.thresholds[slot], i % SlotTable::digits);
    }
}
__device__ __forceinline__ void set_rounds(const SweepArgs& a, SlotTable* tables, std::uint64_t sweep,
                                           std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < SlotTable::digits * count; i += blockDim.x) {
        const std::uint32_t k = i / SlotTable::digits, replica = (first + k) / a.temperatures;
        tables[k].set_rounds(a, sweep, replica, first + k - replica * a.temperatures, i % SlotTable::digits);
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
    const uint4 second = table.rounds[1];
    draw_planes(site, {second.x, second.y, second.z}, keys, r);
    if (second.w == SlotTable::cold) {
        const ThresholdBits c4 = table.c4[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<1>(b, c4, {}, {}); });
    } else if (second.w == SlotTable::warm) {
        const ThresholdBits c4 = table.c4[1], c8 = table.c8[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<2>(b, c4, c8, {}); });
    } else {
        const ThresholdBits c4 = table.c4[1], c8 = table.c8[1], c12 = table.c12[1];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
    }
    const uint4 first = table.rounds[0];
    draw_planes(site, {first.x, first.y, first.z}, keys, r);
    if (first.w == SlotTable::cold) {
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare_zero(b); });
    } else if (first.w == SlotTable::warm) {
        const ThresholdBits c4 = table.c4[0];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<1>(b, c4, {}, {}); });
    } else {
        const ThresholdBits c4 = table.c4[0], c8 = table.c8[0], c12 = table.c12[0];
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
    }
}

}  // namespace psflip
