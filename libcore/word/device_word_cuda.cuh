#pragma once

// Defines words of lanes and their logic in kernels.

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Returns the value and keeps it in a register, so that the compiler does not recompute it at each use. A
/// pointer must point to global memory.
__device__ __forceinline__ std::uint32_t kept(std::uint32_t value) {
    asm volatile("" : "+r"(value));
    return value;
}
template <class T>
__device__ __forceinline__ T* kept(T* pointer) {
    asm volatile("" : "+l"(pointer));
    __builtin_assume(__isGlobal(pointer));
    return pointer;
}

/// Holds 32 lanes on the device. With this type, the generic rules use the three-input operations below. The
/// compiler would regroup the logic of plain integers and need more operations.
struct DeviceWord {
    std::uint32_t bits;
};

/// Applies a function f of three bits to each bit of a, b and c. `Table` is f(0xf0, 0xcc, 0xaa), as in the
/// PTX instruction lop3.
template <int Table>
__device__ __forceinline__ DeviceWord lop3(DeviceWord a, DeviceWord b, DeviceWord c) {
    DeviceWord d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits), "n"(Table));
    return d;
}

__device__ __forceinline__ DeviceWord operator&(DeviceWord a, DeviceWord b) {
    return {a.bits & b.bits};
}
__device__ __forceinline__ DeviceWord operator|(DeviceWord a, DeviceWord b) {
    return {a.bits | b.bits};
}
__device__ __forceinline__ DeviceWord operator^(DeviceWord a, DeviceWord b) {
    return {a.bits ^ b.bits};
}
__device__ __forceinline__ DeviceWord operator~(DeviceWord a) {
    return {~a.bits};
}
__device__ __forceinline__ DeviceWord xor3(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0x96>(a, b, c);
}
__device__ __forceinline__ DeviceWord majority(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0xe8>(a, b, c);
}
__device__ __forceinline__ DeviceWord or3(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0xfe>(a, b, c);
}
__device__ __forceinline__ DeviceWord or_and(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0xf8>(a, b, c);
}
__device__ __forceinline__ DeviceWord xor_or(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0x1e>(a, b, c);
}
__device__ __forceinline__ DeviceWord or_xor(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0xf6>(a, b, c);
}
__device__ __forceinline__ DeviceWord xor_and(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0x78>(a, b, c);
}
static_assert((0xf0 | (0xcc & ~0xaa)) == 0xf4 && ((0xf0 ^ 0xcc) & (0xf0 ^ 0xaa)) == 0x18);
__device__ __forceinline__ DeviceWord or_and_not(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0xf4>(a, b, c);
}
__device__ __forceinline__ DeviceWord differs_from_both(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0x18>(a, b, c);
}
__device__ __forceinline__ DeviceWord xor_unless(DeviceWord a, DeviceWord b, DeviceWord mask) {
    return lop3<0x14>(a, b, mask);
}
static_assert((0xf0 & ~(0xcc & 0xaa)) == 0x70);
__device__ __forceinline__ DeviceWord unless_both(DeviceWord a, DeviceWord b, DeviceWord c) {
    return lop3<0x70>(a, b, c);
}
__device__ __forceinline__ DeviceWord choose(DeviceWord mask, DeviceWord a, DeviceWord b) {
    return lop3<0xac>(mask, a, b);
}
__device__ __forceinline__ DeviceWord replace(DeviceWord a, DeviceWord mask, DeviceWord b) {
    return choose(mask, a, b);
}
static_assert(((0xf0 & ~0xcc) | (~0xaa & 0xcc)) == 0x74);
__device__ __forceinline__ DeviceWord replace_by_not(DeviceWord a, DeviceWord mask, DeviceWord b) {
    return lop3<0x74>(a, mask, b);
}

/// The number of 32-bit words of a vector with 128 lanes (uint4), 64 lanes (uint2) or 32 lanes.
template <class Vector>
inline constexpr int words_of = sizeof(Vector) / 4;

/// Returns word w of a vector; w must be a constant after unrolling.
__device__ __forceinline__ std::uint32_t& word_ref(uint4& v, int w) {
    return w == 0 ? v.x : w == 1 ? v.y : w == 2 ? v.z : v.w;
}
__device__ __forceinline__ std::uint32_t& word_ref(uint2& v, int w) {
    return w == 0 ? v.x : v.y;
}
__device__ __forceinline__ std::uint32_t& word_ref(std::uint32_t& v, int) {
    return v;
}
__device__ __forceinline__ DeviceWord word_of(const uint4& v, int w) {
    return {w == 0 ? v.x : w == 1 ? v.y : w == 2 ? v.z : v.w};
}
__device__ __forceinline__ DeviceWord word_of(const uint2& v, int w) {
    return {w == 0 ? v.x : v.y};
}
__device__ __forceinline__ DeviceWord word_of(std::uint32_t v, int) {
    return {v};
}

}  // namespace psflip
