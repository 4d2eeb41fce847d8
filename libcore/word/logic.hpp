#pragma once

#include "base/host_device.hpp"

namespace psflip {

/// Defines logic that acts on each bit of words of any type. Word types of instruction sets with three-input
/// logic overload these functions.
template <class Word>
PSFLIP_HD Word xor3(Word a, Word b, Word c) {
    return a ^ b ^ c;
}
template <class Word>
PSFLIP_HD Word xnor3(Word a, Word b, Word c) {
    return ~xor3(a, b, c);
}
template <class Word>
PSFLIP_HD Word majority(Word a, Word b, Word c) {
    return (a & b) | (c & (a | b));
}
template <class Word>
PSFLIP_HD Word or3(Word a, Word b, Word c) {
    return a | b | c;
}
template <class Word>
PSFLIP_HD Word or_and(Word a, Word b, Word c) {
    return a | (b & c);
}
template <class Word>
PSFLIP_HD Word xor_or(Word a, Word b, Word c) {
    return a ^ (b | c);
}
template <class Word>
PSFLIP_HD Word or_xor(Word a, Word b, Word c) {
    return a | (b ^ c);
}
template <class Word>
PSFLIP_HD Word xor_and(Word a, Word b, Word c) {
    return a ^ (b & c);
}
template <class Word>
PSFLIP_HD Word or_and_not(Word a, Word b, Word c) {
    return a | (b & ~c);
}
/// Returns a unless b and c are both 1.
template <class Word>
PSFLIP_HD Word unless_both(Word a, Word b, Word c) {
    return a & ~(b & c);
}
/// Returns 1 if a differs from both b and c.
template <class Word>
PSFLIP_HD Word differs_from_both(Word a, Word b, Word c) {
    return (a ^ b) & (a ^ c);
}
/// Returns a ^ b if the mask is 0, else 0.
template <class Word>
PSFLIP_HD Word xor_unless(Word a, Word b, Word mask) {
    return (a ^ b) & ~mask;
}
/// Returns a if the mask is 0, b if it is 1.
template <class Word>
PSFLIP_HD Word choose(Word mask, Word a, Word b) {
    return (a & ~mask) | (b & mask);
}
/// Returns a if the mask is 0, b if it is 1.
template <class Word>
PSFLIP_HD Word replace(Word a, Word mask, Word b) {
    return choose(mask, a, b);
}
/// Returns a if the mask is 0, ~b if it is 1.
template <class Word>
PSFLIP_HD Word replace_by_not(Word a, Word mask, Word b) {
    return (a & ~mask) | (~b & mask);
}

}  // namespace psflip
