#pragma once

#include "sweep/cuda/class_update_cuda.cuh"

namespace psflip {

// Compares random numbers with thresholds of the class rule, if every spin has its own number R (share 1).
// Each Philox call gives a digit: four bit planes of R, most significant first. R is compared with the
// threshold T of the class and spin of the lane:
//
//   bonds, spins -> classes that flip always --> spin
//               `-> class v (bits) -> four planes of threshold T  --+-> R < T: flips --> spin
//   digit 0, 1, ... of R ------------------------------------------'`-> equal: the next digit

/// Holds the comparison of the numbers of 32 lanes.
template <int Degree, bool Field, bool Absent>
struct ClassLanes {
    static constexpr int class_bits = Absent ? 4 : 3;
    static constexpr int upper_choices = (Absent ? 2 : 1) * (Field ? 2 : 1);

    DeviceWord bit[3];                ///< bits of v, or of u without absent bonds
    DeviceWord upper[upper_choices];  ///< one-hot, by bit 3 of v (Absent) and by the spin (Field)
    DeviceWord less, equal;           ///< result of the digits compared so far

    __device__ __forceinline__ void start(DeviceWord own, const DeviceWord (&e)[Degree],
                                          const BondCount<DeviceWord>& absences, DeviceWord open) {
        const BondCount<DeviceWord> u = count_absent(e);
        DeviceWord top{0};
        if constexpr (Absent) {
            const DeviceWord carry = absences.twos & u.ones;
            bit[0] = absences.ones;
            bit[1] = absences.twos ^ u.ones;
            bit[2] = xor3(absences.fours, u.twos, carry);
            top = u.fours ^ majority(absences.fours, u.twos, carry);
        } else {
            bit[0] = u.ones, bit[1] = u.twos, bit[2] = u.fours;
        }
        if constexpr (Field && Absent) {
            upper[0] = ~(top | own), upper[1] = top & ~own, upper[2] = own & ~top, upper[3] = top & own;
        } else {
            const DeviceWord last = Field ? own : top;
            upper[0] = ~last;
            if constexpr (upper_choices == 2) upper[1] = last;
        }
        less = {0}, equal = open;
    }

    /// Returns the lanes of class V and, in a field, of spin S (0: -1, 1: +1).
    template <int V, int S>
    __device__ __forceinline__ DeviceWord are() const {
        const DeviceWord low = lop3<1 << V % 8>(bit[2], bit[1], bit[0]);
        if constexpr (upper_choices == 1)
            return low;
        else
            return low & upper[(Absent ? V / 8 : 0) + S * (upper_choices / 2)];
    }
};

/// Adds the four bits of a digit of one threshold to the planes, in the lanes of class V and spin S, word by
/// word. A lane has only one class, so no sum has a carry, and the multiply-add pipe can make the sums.
template <int V, int S, class Lanes>
__device__ __forceinline__ void add_threshold(const Lanes (&lanes)[4], std::uint32_t digit_of_threshold,
                                              std::uint32_t (&plane)[4][4]) {
    if (digit_of_threshold == 0) return;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        const std::uint32_t mask = lanes[w].template are<V, S>().bits;
#pragma unroll
        for (int k = 0; k < 4; ++k) plane[w][k] += mask * (digit_of_threshold >> (3 - k) & 1);
    }
}

/// Adds the planes of the thresholds of classes V, V + 1, ... and spin S.
template <int V, int S, class Update, class Lanes>
__device__ __forceinline__ void add_thresholds(const ClassArgs& table, std::uint32_t slot, int digit,
                                               const Lanes (&lanes)[4], std::uint32_t (&plane)[4][4]) {
    if constexpr (V < Update::classes) {
        if (V >= table.count[S]) return;
        add_threshold<V, S>(lanes, table.thresholds[slot][S][V] << 4 * digit >> 28, plane);
        add_thresholds<V + 1, S, Update>(table, slot, digit, lanes, plane);
    }
}

/// Compares a digit of the random numbers of the four words of a site.
template <class Update, class Lanes>
__device__ __forceinline__ void compare_digit(const ClassArgs& table, std::uint32_t slot, int digit,
                                              const RandomBlock (&r)[4], Lanes (&lanes)[4]) {
    std::uint32_t plane[4][4] = {};
    add_thresholds<0, 0, Update>(table, slot, digit, lanes, plane);
    if constexpr (Update::spins == 2) add_thresholds<0, 1, Update>(table, slot, digit, lanes, plane);
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        DeviceWord less{0}, open = lanes[w].equal;
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            less = lop3<0x8e>({r[w].word[k]}, {plane[w][k]}, less);  // ~r & t | ~(r ^ t) & less
            open = lop3<0x90>(open, {r[w].word[k]}, {plane[w][k]});  // open & ~(r ^ t)
        }
        lanes[w].less = or_and(lanes[w].less, lanes[w].equal, less);
        lanes[w].equal = open;
    }
}

/// Returns the updated spins of a site in one lattice, with the thresholds of `slot`. draw(digit, w) returns
/// the planes of a digit of word w.
template <int Degree, bool Field, bool Absent, class Draw>
__device__ __forceinline__ uint4 updated_independent(
    const ClassArgs& table, const typename ClassUpdate<Degree, Field, Absent>::Shared& shared,
    const NearSpins<Degree>& spins, const typename ClassUpdate<Degree, Field, Absent>::Site& site,
    const Draw& draw, std::uint32_t slot) {
    using Update = ClassUpdate<Degree, Field, Absent>;
    const typename Update::Offset refusing = Update::refusing(table, shared);
    ClassLanes<Degree, Field, Absent> lanes[4];
    uint4 result;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        const DeviceWord own = word_of(spins.own, w), unaided = Update::updated(spins, site, w, refusing);
        DeviceWord e[Degree];
#pragma unroll
        for (int k = 0; k < Degree; ++k) {
            e[k] = xor3(own, word_of(spins.near[k], w), word_of(site.bond[k], w));
            if constexpr (Absent) e[k] = e[k] & ~word_of(site.absent[k], w);
        }
        lanes[w].start(own, e, site.absences[Absent ? w : 0], ~(own ^ unaided));
        word_ref(result, w) = unaided.bits;
    }
    const auto undecided = [&] {
        return (lanes[0].equal.bits | lanes[1].equal.bits | lanes[2].equal.bits | lanes[3].equal.bits) != 0;
    };
#pragma unroll 1
    for (int digit = 0; digit < 8; ++digit) {
        RandomBlock r[4];
#pragma unroll
        for (std::uint32_t w = 0; w < 4; ++w) r[w] = draw(digit, w);
        compare_digit<Update>(table, slot, digit, r, lanes);
        if constexpr (Update::by_half) {
            const std::uint32_t first_plane = digit == 0 ? table.by_half : 0;
#pragma unroll
            for (int w = 0; w < 4; ++w)
                word_ref(result, w) ^= isolated<Degree>(site.absences[w]).bits & r[w].word[0] & first_plane;
        }
        if (!undecided()) break;
    }
#pragma unroll
    for (int w = 0; w < 4; ++w) word_ref(result, w) ^= lanes[w].less.bits;
    return result;
}

}  // namespace psflip
