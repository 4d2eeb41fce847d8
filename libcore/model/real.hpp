#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Provides the types and functions that generic arithmetic needs for a number type R, in addition to + - * /
/// and comparisons. R is a float, a double, or several of them in a SIMD register
/// (sweep/vector/real_simd.hpp). Every operation is exact or rounded once, so that all backends give equal
/// bits.
///   Scalar, Bits, Mask     the number, an unsigned integer of its width, the result of a comparison
///   Word                   32 random bits as an unsigned integer
///   choose(m, a, b)        a if m, else b
///   signed_fraction(w)     (k + 1/2) / 2^23, k = the upper 24 bits of w as a signed number
///                          (double: all 32 bits, 2^31)
///   positive_fraction(w)   (k + 1/2) / 2^23, k = the upper 23 bits of w (double: all 32 bits, 2^32)
///   angle_fraction(w)      signed_fraction(4 w), from the lower 30 bits
///   octant_angle(w)        angle_fraction(w) * pi/4
///   bit31(w), bit30(w)     whether the bit is set
///   turned(w, x)           -x if bit 31 of w is set, else x; x is not 0
/// Usual numbers are from 1e-30 to 1e30 (double: 1e-50 to 1e50):
///   usual_root(x)          the square root, for usual x
///   usual_inverse(x)       1 / x, for usual |x|
///   usual_quotient(a, b)   a / b, for usual |a|, |b| and |a / b|, and for a = 0, but not -0
template <class R>
struct RealTraits;

template <class R, class B>
struct ScalarTraits {
    using Scalar = R;
    using Bits = B;
    using Mask = bool;
    using Word = std::uint32_t;
    PSFLIP_HD static R choose(bool mask, R a, R b) { return mask ? a : b; }
    PSFLIP_HD static R square_root(R x) { return std::sqrt(x); }
    PSFLIP_HD static B bits(R x) { return std::bit_cast<B>(x); }
    PSFLIP_HD static R real(B bits) { return std::bit_cast<R>(bits); }
    PSFLIP_HD static bool bit31(Word w) { return (w & 0x80000000u) != 0; }
    PSFLIP_HD static bool bit30(Word w) { return (w & 0x40000000u) != 0; }
    PSFLIP_HD static R turned(Word w, R x) {
        return real(bits(x) ^ static_cast<B>(w & 0x80000000u) << (8 * (sizeof(R) - sizeof(Word))));
    }
    PSFLIP_HD static R usual_quotient(R a, R b) {
#ifdef __CUDA_ARCH__
        const R inverse = RealTraits<R>::usual_inverse(b), near = a * inverse;
        return std::fma(std::fma(-b, near, a), inverse, near);
#else
        return a / b;
#endif
    }

  protected:
    /// Returns (k + 1/2) factor. k + 1/2 must be exact. The device fuses both operations, with the same bits.
    PSFLIP_HD static R half_more_times(R k, R factor) {
#ifdef __CUDA_ARCH__
        return std::fma(k, factor, R(0.5) * factor);
#else
        return (k + R(0.5)) * factor;
#endif
    }
};

template <>
struct RealTraits<float> : ScalarTraits<float, std::uint32_t> {
    PSFLIP_HD static float signed_fraction(Word w) { return times_signed(0x1p-23f, w); }
    PSFLIP_HD static float positive_fraction(Word w) {
#ifdef __CUDA_ARCH__
        return __fmaf_rn(real((w >> 9) + 0x4B000000u), 0x1p-23f, 0x1p-24f - 1.0f);
#else
        return half_more_times(static_cast<float>(static_cast<std::int32_t>(w >> 9)), 0x1p-23f);
#endif
    }
    PSFLIP_HD static float angle_fraction(Word w) {
        return signed_fraction(w << 2);
    }
    PSFLIP_HD static float octant_angle(Word w) {
        return times_signed(0.78539816339744831f * 0x1p-23f, w << 2);
    }
    // On the device, the functions for usual numbers are the calculations of the compiler without its tests
    // for other numbers. Tests branch, so a thread could not calculate for several sites at once.
    PSFLIP_HD static float usual_root(float x) {
#ifdef __CUDA_ARCH__
        float inverse;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
        const float root = __fmul_rn(x, inverse);
        return __fmaf_rn(__fmaf_rn(-root, root, x), __fmul_rn(inverse, 0.5f), root);
#else
        return square_root(x);
#endif
    }
    PSFLIP_HD static float usual_inverse(float x) {
#ifdef __CUDA_ARCH__
        float rough;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(x));
        return __fmaf_rn(rough, __fmaf_rn(-x, rough, 1.0f), rough);
#else
        return 1.0f / x;
#endif
    }

  private:
    /// Returns the product of `factor` and k + 1/2 of signed_fraction.
    PSFLIP_HD static float times_signed(float factor, Word w) {
        return half_more_times(static_cast<float>(static_cast<std::int32_t>(w) >> 8), factor);
    }
};

template <>
struct RealTraits<double> : ScalarTraits<double, std::uint64_t> {
    PSFLIP_HD static double signed_fraction(Word w) { return times_signed(0x1p-31, w); }
    PSFLIP_HD static double positive_fraction(Word w) {
        return half_more_times(static_cast<double>(w), 0x1p-32);
    }
    PSFLIP_HD static double angle_fraction(Word w) { return signed_fraction(w << 2); }
    PSFLIP_HD static double octant_angle(Word w) {
        return times_signed(0.78539816339744831 * 0x1p-31, w << 2);
    }
    PSFLIP_HD static double usual_root(double x) {
#ifdef __CUDA_ARCH__
        double rough;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(rough) : "d"(x));
        rough = with_low_half(rough, __double2hiint(x) - 0x3500000);
        const double error = __fma_rn(x, -__dmul_rn(rough, rough), 1.0);
        const double inverse = __fma_rn(__fma_rn(error, 0.375, 0.5), __dmul_rn(rough, error), rough);
        const double root = __dmul_rn(x, inverse);
        return __fma_rn(__fma_rn(-root, root, x), __dmul_rn(inverse, 0.5), root);
#else
        return square_root(x);
#endif
    }
    PSFLIP_HD static double usual_inverse(double x) {
#ifdef __CUDA_ARCH__
        double inverse;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
        inverse = with_low_half(inverse, __double2hiint(x) + 0x300402);
        const double error = __fma_rn(-x, inverse, 1.0);
        inverse = __fma_rn(inverse, __fma_rn(error, error, error), inverse);
        return __fma_rn(inverse, __fma_rn(-x, inverse, 1.0), inverse);
#else
        return 1.0 / x;
#endif
    }

  private:
    /// Returns the product of `factor` and k + 1/2 of signed_fraction.
    PSFLIP_HD static double times_signed(double factor, Word w) {
        return half_more_times(static_cast<double>(static_cast<std::int32_t>(w)), factor);
    }
#ifdef __CUDA_ARCH__
    /// Approximations have 32 bits. The compiler puts other numbers into their lower halves.
    __device__ static double with_low_half(double x, int low) {
        return __hiloint2double(__double2hiint(x), low);
    }
#endif
};

/// Return the larger and the smaller number; b if they are equal.
template <class R>
PSFLIP_HD R larger(R a, R b) {
    return RealTraits<R>::choose(a > b, a, b);
}
template <class R>
PSFLIP_HD R smaller(R a, R b) {
    return RealTraits<R>::choose(a < b, a, b);
}

}  // namespace psflip
