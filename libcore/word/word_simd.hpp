#pragma once

// Defines SIMD registers as words of lanes. Only sources that are compiled once per instruction set include
// this header, with PSFLIP_SIMD_LEVEL as the name of the level. Everything is in the namespace of the level,
// so that no code of one level can be linked into another.

#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "word/logic.hpp"
#include "word/simd_level.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

#if defined(__AVX512F__)
inline constexpr int word_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int word_bytes = 32;
#else
inline constexpr int word_bytes = 16;
#endif

typedef std::uint64_t Native64 __attribute__((vector_size(word_bytes), may_alias));
typedef std::uint32_t Native32 __attribute__((vector_size(word_bytes), may_alias));
typedef std::uint64_t Half64 __attribute__((vector_size(word_bytes), aligned(8), may_alias));

/// Holds one register: `word_slots` temperatures x 128 realizations.
struct Word {
    Native64 v;

    friend Word operator&(Word a, Word b) { return {a.v & b.v}; }
    friend Word operator|(Word a, Word b) { return {a.v | b.v}; }
    friend Word operator^(Word a, Word b) { return {a.v ^ b.v}; }
    friend Word operator~(Word a) { return {~a.v}; }
};

#ifdef __AVX512F__
/// Returns bit 4 a + 2 b + c of the table for each bit.
template <int Table>
inline Word ternary(Word a, Word b, Word c) {
    return {(Native64)_mm512_ternarylogic_epi64((__m512i)a.v, (__m512i)b.v, (__m512i)c.v, Table)};
}
inline Word xor3(Word a, Word b, Word c) {
    return ternary<0x96>(a, b, c);
}
inline Word majority(Word a, Word b, Word c) {
    return ternary<0xE8>(a, b, c);
}
inline Word or3(Word a, Word b, Word c) {
    return ternary<0xFE>(a, b, c);
}
inline Word or_and(Word a, Word b, Word c) {
    return ternary<0xF8>(a, b, c);
}
inline Word xor_or(Word a, Word b, Word c) {
    return ternary<0x1E>(a, b, c);
}
inline Word xnor3(Word a, Word b, Word c) {
    return ternary<0x69>(a, b, c);
}
inline Word or_xor(Word a, Word b, Word c) {
    return ternary<0xF6>(a, b, c);
}
inline Word xor_and(Word a, Word b, Word c) {
    return ternary<0x78>(a, b, c);
}
inline Word xor_unless(Word a, Word b, Word mask) {
    return ternary<0x14>(a, b, mask);
}
inline Word unless_both(Word a, Word b, Word c) {
    return ternary<0x70>(a, b, c);
}
inline Word replace_by_not(Word a, Word mask, Word b) {
    return ternary<0x74>(a, mask, b);
}
inline Word choose(Word mask, Word a, Word b) {
    return ternary<0xAC>(mask, a, b);
}
#endif

/// Returns a if the mask is 0, b if it is 1.
inline Word replace(Word a, Word mask, Word b) {
#ifdef __AVX512F__
    return ternary<0xB8>(a, mask, b);
#else
    return a ^ (mask & (a ^ b));
#endif
}

/// Makes one step of the comparison R < T of two numbers. r and t are their next bits, from the least
/// significant bit up. `below` is the result of the previous step, 0 at first.
inline Word borrow(Word below, Word t, Word r) {
#ifdef __AVX512F__
    return ternary<0xD4>(below, t, r);
#else
    return (t & ~r) | (below & ~(t ^ r));
#endif
}

/// Returns `open` if t and r agree, else 0.
inline Word and_equal(Word open, Word t, Word r) {
#ifdef __AVX512F__
    return ternary<0x90>(open, t, r);
#else
    return open & ~(t ^ r);
#endif
}

inline constexpr int word_slots = word_bytes / 16;             ///< temperatures per register
inline constexpr int registers = slots_per_word / word_slots;  ///< per 512-bit memory word
inline constexpr int word_lanes32 = word_bytes / 4;
inline constexpr int word_lanes64 = word_bytes / 8;

inline Word load(const std::uint64_t* p) {
    return {*reinterpret_cast<const Native64*>(p)};
}
inline void store(std::uint64_t* p, Word w) {
    *reinterpret_cast<Native64*>(p) = w.v;
}
inline Word load32(const std::uint32_t* p) {
    return {*reinterpret_cast<const Native64*>(p)};
}
inline void store32(std::uint32_t* p, Word w) {
    *reinterpret_cast<Native64*>(p) = w.v;
}
inline Native32 load_numbers(const std::uint32_t* p) {
    return *reinterpret_cast<const Native32*>(p);
}
/// Loads from any address, aligned or not.
inline Word load_unaligned(const void* p) {
    Word w;
    std::memcpy(&w, p, sizeof w);
    return w;
}
inline void store_unaligned(void* p, Word w) {
    std::memcpy(p, &w, sizeof w);
}

/// Fills every slot of the register with the 128 bits at p (the couplings of a site).
inline Word broadcast128(const std::uint64_t* p) {
#if defined(__AVX512F__)
    return {(Native64)_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
#elif defined(__AVX2__)
    return {(Native64)_mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
#else
    return load(p);
#endif
}

/// Returns all ones in each 32-bit element with a < b (unsigned), and 0 in all other elements.
inline Word less(Native32 a, Native32 b) {
#if defined(__AVX512F__)
    return {(Native64)_mm512_movm_epi32(_mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b))};
#else
    return {(Native64)(a < b)};
#endif
}

inline bool any(Word w) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)w.v, (__m512i)w.v) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)w.v, (__m256i)w.v);
#else
    return (w.v[0] | w.v[1]) != 0;
#endif
}

/// Multiplies the low 32 bits of each 64-bit element of a and b. Products have 64 bits.
inline Native64 multiply_low32(Native64 a, Native64 b) {
#if defined(__AVX512F__)
    return (Native64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (Native64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (Native64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

inline Native64 broadcast64(std::uint64_t x) {
    return Native64{} + x;
}
inline Native64 broadcast32(std::uint32_t x) {
    return (Native64)(Native32{} + x);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
