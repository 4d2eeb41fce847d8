#pragma once

#include "word/logic.hpp"

namespace psflip {

/// Counts the pairs of replicas whose overlaps differ between two sites, `near` and `far`. In each lane, the
/// count is the sum of weight(b) times the bit of out[b]. A site has one or three fields. One field is the
/// overlap of one pair of replicas. Three fields are the overlaps of replicas 1, 2 and 3 with replica 0. If k
/// of the four spins differ between the sites, k (4 - k) of the six pairs differ. This number is 0 for k = 0
/// and k = 4, 3 for odd k, and 4 for k = 2.
template <int Fields>
struct ReplicaPairsRule;

template <>
struct ReplicaPairsRule<1> {
    static constexpr int bits = 1;
    PSFLIP_HD static constexpr int weight(int) { return 1; }
    template <class Word>
    PSFLIP_HD static void differ(const Word (&near)[1], const Word (&far)[1], Word (&out)[bits]) {
        out[0] = near[0] ^ far[0];
    }
};

template <>
struct ReplicaPairsRule<3> {
    static constexpr int bits = 2;
    PSFLIP_HD static constexpr int weight(int bit) { return bit == 0 ? 4 : -1; }
    template <class Word>
    PSFLIP_HD static void differ(const Word (&near)[3], const Word (&far)[3], Word (&out)[bits]) {
        const Word u = near[0] ^ far[0], v = near[1] ^ far[1], w = near[2] ^ far[2];
        out[0] = or3(u, v, w);
        out[1] = xor3(u, v, w);
    }
};

}  // namespace psflip
