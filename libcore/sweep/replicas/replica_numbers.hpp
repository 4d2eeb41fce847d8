#pragma once

#include <cstdint>

#include "random/philox.hpp"

namespace psflip {

// Draws the random numbers of lanes that are (replica, slot) pairs. Philox multiplies words 0 and 2 of its
// state in each round. Word 0 of the counter holds the site. Word 2 holds the digit, and the number of the
// 32-lane word within the site. So calls share the products of the first two rounds:
//
//   round   product 0                         product 1
//   1       site: ReplicaSite                 word, digit: ReplicaDigit
//   2       word, digit: ReplicaDigit         site: ReplicaSite
//   3..10   every word                        every word

/// Holds Philox's key in each round.
struct ReplicaKeys {
    std::uint64_t key;

    PSFLIP_HD std::uint32_t low(int round) const {
        return static_cast<std::uint32_t>(key) + static_cast<std::uint32_t>(round) * philox_w0;
    }
    PSFLIP_HD std::uint32_t high(int round) const {
        return static_cast<std::uint32_t>(key >> 32) + static_cast<std::uint32_t>(round) * philox_w1;
    }
};

/// Holds the terms of the first three rounds, for one digit of one 32-lane word, that all sites of a sweep
/// share.
struct ReplicaDigit {
    std::uint32_t second0, second2, third2;  ///< terms of the state's words 0 and 2 after the rounds

    ReplicaDigit() = default;
    PSFLIP_HD ReplicaDigit(const ReplicaKeys& keys, std::uint64_t sweep, std::uint32_t word,
                           std::uint32_t digit) {
        const Counter c = make_counter(Purpose::replica_bits, 0, sweep, word, 0, digit, 0);
        const std::uint64_t p1 = wide_product(philox_m1, c.fields);
        const std::uint64_t p0 =
            wide_product(philox_m0, static_cast<std::uint32_t>(p1 >> 32) ^ c.sweep_low ^ keys.low(0));
        second0 = static_cast<std::uint32_t>(p1) ^ keys.low(1);
        second2 = static_cast<std::uint32_t>(p0 >> 32) ^ keys.high(1);
        third2 = static_cast<std::uint32_t>(p0) ^ keys.high(2);
    }
};

/// Holds the terms of the first two rounds that all words and digits of a site share, in one realization.
struct ReplicaSite {
    std::uint32_t first3;     ///< word 3 after the first round
    std::uint64_t second_p1;  ///< product 1 of the second round

    PSFLIP_HD ReplicaSite(const ReplicaKeys& keys, std::uint32_t site, std::uint32_t realization) {
        const Counter c = make_counter(Purpose::replica_bits, site, 0, 0, 0, 0, realization);
        const std::uint64_t p0 = wide_product(philox_m0, c.site);
        first3 = static_cast<std::uint32_t>(p0);
        second_p1 =
            wide_product(philox_m1, static_cast<std::uint32_t>(p0 >> 32) ^ c.pack_purpose ^ keys.high(0));
    }
};

/// Returns four bit planes of the random numbers of a word's lanes. This takes 16 multiplications and 16
/// logic operations.
PSFLIP_HD RandomBlock replica_planes(const ReplicaSite& site, const ReplicaDigit& digit,
                                     const ReplicaKeys& keys) {
    const std::uint64_t q0 =
        wide_product(philox_m0, static_cast<std::uint32_t>(site.second_p1 >> 32) ^ digit.second0);
    const std::uint64_t q1 = wide_product(philox_m1, digit.second2 ^ site.first3);
    std::uint32_t c[4] = {
        static_cast<std::uint32_t>(q1 >> 32) ^ static_cast<std::uint32_t>(site.second_p1) ^ keys.low(2),
        static_cast<std::uint32_t>(q1), static_cast<std::uint32_t>(q0 >> 32) ^ digit.third2,
        static_cast<std::uint32_t>(q0)};
    PSFLIP_UNROLL
    for (int round = 3; round < philox_rounds; ++round) {
        const std::uint64_t p0 = wide_product(philox_m0, c[0]), p1 = wide_product(philox_m1, c[2]);
        c[0] = static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ keys.low(round);
        c[1] = static_cast<std::uint32_t>(p1);
        c[2] = static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ keys.high(round);
        c[3] = static_cast<std::uint32_t>(p0);
    }
    return {{c[0], c[1], c[2], c[3]}};
}

}  // namespace psflip
