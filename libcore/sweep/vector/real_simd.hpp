#pragma once

// Registers of real numbers. Only sources that are compiled once per instruction set include this file, as
// word/word_simd.hpp.

#include <cstring>

#include "model/real.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

template <class T>
struct NativeLanes;
template <>
struct NativeLanes<float> {
    typedef float Real __attribute__((vector_size(word_bytes), may_alias));
    typedef float Unaligned __attribute__((vector_size(word_bytes), aligned(4), may_alias));
    typedef std::uint32_t Bits __attribute__((vector_size(word_bytes), may_alias));
    typedef std::int32_t Mask __attribute__((vector_size(word_bytes), may_alias));
    using Lane = std::uint32_t;
};
template <>
struct NativeLanes<double> {
    typedef double Real __attribute__((vector_size(word_bytes), may_alias));
    typedef double Unaligned __attribute__((vector_size(word_bytes), aligned(8), may_alias));
    typedef std::uint64_t Bits __attribute__((vector_size(word_bytes), may_alias));
    typedef std::int64_t Mask __attribute__((vector_size(word_bytes), may_alias));
    using Lane = std::uint64_t;
};

/// Holds a register of unsigned integers as wide as T.
template <class T>
struct BitLanes {
    typename NativeLanes<T>::Bits v;
    BitLanes() = default;
    explicit BitLanes(typename NativeLanes<T>::Bits native) : v(native) {}
    explicit BitLanes(std::uint64_t x) : v(static_cast<typename NativeLanes<T>::Lane>(x) - decltype(v){}) {}

    friend BitLanes operator+(BitLanes a, BitLanes b) { return BitLanes(a.v + b.v); }
    friend BitLanes operator-(BitLanes a, BitLanes b) { return BitLanes(a.v - b.v); }
    friend BitLanes operator&(BitLanes a, BitLanes b) { return BitLanes(a.v & b.v); }
    friend BitLanes operator<<(BitLanes a, int n) { return BitLanes(a.v << n); }
    friend BitLanes operator>>(BitLanes a, int n) { return BitLanes(a.v >> n); }
};

/// Holds a register of masks: all ones if a comparison holds.
template <class T>
struct MaskLanes {
    typename NativeLanes<T>::Mask v;
    MaskLanes() : v{} {}
    MaskLanes(typename NativeLanes<T>::Mask native) : v(native) {}
};

/// Holds a register of numbers T.
template <class T>
struct RealLanes {
    using Native = typename NativeLanes<T>::Real;
    static constexpr int count = word_bytes / static_cast<int>(sizeof(T));
    Native v;

    RealLanes() = default;
    explicit RealLanes(Native native) : v(native) {}
    explicit RealLanes(double x) : v(static_cast<T>(x) - Native{}) {}
    /// Loads from memory that is aligned as a T.
    static RealLanes load(const T* p) {
        return RealLanes(Native(*reinterpret_cast<const typename NativeLanes<T>::Unaligned*>(p)));
    }
    void store(T* p) const { *reinterpret_cast<typename NativeLanes<T>::Unaligned*>(p) = v; }

    friend RealLanes operator+(RealLanes a, RealLanes b) { return RealLanes(a.v + b.v); }
    friend RealLanes operator-(RealLanes a, RealLanes b) { return RealLanes(a.v - b.v); }
    friend RealLanes operator*(RealLanes a, RealLanes b) { return RealLanes(a.v * b.v); }
    friend RealLanes operator/(RealLanes a, RealLanes b) { return RealLanes(a.v / b.v); }
    friend MaskLanes<T> operator<(RealLanes a, RealLanes b) { return {a.v < b.v}; }
    friend MaskLanes<T> operator>(RealLanes a, RealLanes b) { return {a.v > b.v}; }
};

inline RealLanes<float> root_lanes(RealLanes<float> x) {
#if defined(__AVX512F__)
    return RealLanes<float>((NativeLanes<float>::Real)_mm512_sqrt_ps((__m512)x.v));
#elif defined(__AVX2__)
    return RealLanes<float>((NativeLanes<float>::Real)_mm256_sqrt_ps((__m256)x.v));
#else
    for (int i = 0; i < RealLanes<float>::count; ++i) x.v[i] = __builtin_sqrtf(x.v[i]);
    return x;
#endif
}
inline RealLanes<double> root_lanes(RealLanes<double> x) {
#if defined(__AVX512F__)
    return RealLanes<double>((NativeLanes<double>::Real)_mm512_sqrt_pd((__m512d)x.v));
#elif defined(__AVX2__)
    return RealLanes<double>((NativeLanes<double>::Real)_mm256_sqrt_pd((__m256d)x.v));
#else
    for (int i = 0; i < RealLanes<double>::count; ++i) x.v[i] = __builtin_sqrt(x.v[i]);
    return x;
#endif
}

/// Return `signed_fraction` and `positive_fraction` of random words in 32-bit lanes.
inline RealLanes<float> signed_lanes(BitLanes<float> w) {
    using Native = NativeLanes<float>;
    const auto k = __builtin_convertvector((Native::Mask)w.v >> 8, Native::Real);
    return (RealLanes<float>(Native::Real(k)) + RealLanes<float>(0.5)) * RealLanes<float>(0x1p-23);
}
inline RealLanes<float> positive_lanes(BitLanes<float> w) {
    using Native = NativeLanes<float>;
    const auto k = __builtin_convertvector((Native::Mask)(w.v >> 9), Native::Real);
    return (RealLanes<float>(Native::Real(k)) + RealLanes<float>(0.5)) * RealLanes<float>(0x1p-23);
}
inline BitLanes<float> doubled_twice(BitLanes<float> w) {
    return w << 2;
}
/// Return `signed_fraction` and `positive_fraction` of random words in the lower halves of 64-bit lanes,
/// whose upper halves are 0. 2^52 + w is a double with w as its last bits, so no conversion is needed.
inline RealLanes<double> unsigned_lanes(BitLanes<double> w) {
    const auto bits = w.v | (std::uint64_t{0x4330000000000000u} - NativeLanes<double>::Bits{});
    return RealLanes<double>((NativeLanes<double>::Real)bits) - RealLanes<double>(0x1p52);
}
inline RealLanes<double> positive_lanes(BitLanes<double> w) {
    return (unsigned_lanes(w) + RealLanes<double>(0.5)) * RealLanes<double>(0x1p-32);
}
inline RealLanes<double> signed_lanes(BitLanes<double> w) {
    const BitLanes<double> risen(w.v ^ (std::uint64_t{0x80000000u} - NativeLanes<double>::Bits{}));
    const RealLanes<double> k = unsigned_lanes(risen) - RealLanes<double>(0x1p31);
    return (k + RealLanes<double>(0.5)) * RealLanes<double>(0x1p-31);
}
inline BitLanes<double> doubled_twice(BitLanes<double> w) {
    return (w << 2) & BitLanes<double>(std::uint64_t{0xFFFFFFFFu});
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL

namespace psflip {

template <class T>
struct RealTraits<PSFLIP_SIMD_LEVEL::RealLanes<T>> {
    using R = PSFLIP_SIMD_LEVEL::RealLanes<T>;
    using Scalar = T;
    using Bits = PSFLIP_SIMD_LEVEL::BitLanes<T>;
    using Mask = PSFLIP_SIMD_LEVEL::MaskLanes<T>;
    using Word = Bits;
    static R choose(Mask mask, R a, R b) { return R(typename R::Native(mask.v ? a.v : b.v)); }
    static R square_root(R x) { return PSFLIP_SIMD_LEVEL::root_lanes(x); }
    static Bits bits(R x) { return Bits((decltype(Bits::v))x.v); }
    static R real(Bits bits) { return R((typename R::Native)bits.v); }
    static R signed_fraction(Word w) { return PSFLIP_SIMD_LEVEL::signed_lanes(w); }
    static R positive_fraction(Word w) { return PSFLIP_SIMD_LEVEL::positive_lanes(w); }
    static R angle_fraction(Word w) { return signed_fraction(PSFLIP_SIMD_LEVEL::doubled_twice(w)); }
    static R octant_angle(Word w) { return angle_fraction(w) * R(0.78539816339744831); }
    static R turned(Word w, R x) { return choose(bit31(w), R(0.0) - x, x); }
    static R usual_root(R x) { return square_root(x); }
    static R usual_inverse(R x) { return R(1.0) / x; }
    static R usual_quotient(R a, R b) { return a / b; }
    static Mask bit31(Word w) { return bit(w, 0x80000000u); }
    static Mask bit30(Word w) { return bit(w, 0x40000000u); }

  private:
    static Mask bit(Word w, std::uint64_t bit) { return {(w & Bits(bit)).v != 0}; }
};

}  // namespace psflip
