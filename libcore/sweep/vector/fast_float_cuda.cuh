#pragma once

// Approximate arithmetic of GPUs, for Precision::fast. For the device only.

#include "model/elementary.hpp"

namespace psflip {

/// Holds a float with the GPU's approximate divisions, square roots, exponentials, sines and cosines. The
/// compiler may contract its products and sums. Its bits depend on the compiler and the kind of GPU.
struct FastFloat {
    float v;
    FastFloat() = default;
    PSFLIP_HD explicit constexpr FastFloat(double x) : v(static_cast<float>(x)) {}
};

/// Returns a FastFloat of this value.
__device__ __forceinline__ FastFloat fast_float(float v) {
    FastFloat x;
    x.v = v;
    return x;
}
__device__ __forceinline__ FastFloat operator+(FastFloat a, FastFloat b) {
    return fast_float(a.v + b.v);
}
__device__ __forceinline__ FastFloat operator-(FastFloat a, FastFloat b) {
    return fast_float(a.v - b.v);
}
__device__ __forceinline__ FastFloat operator*(FastFloat a, FastFloat b) {
    return fast_float(a.v * b.v);
}
__device__ __forceinline__ FastFloat operator/(FastFloat a, FastFloat b) {
    return fast_float(__fdividef(a.v, b.v));
}
__device__ __forceinline__ bool operator<(FastFloat a, FastFloat b) {
    return a.v < b.v;
}
__device__ __forceinline__ bool operator>(FastFloat a, FastFloat b) {
    return a.v > b.v;
}

template <>
struct RealTraits<FastFloat> {
    using Scalar = FastFloat;
    using Bits = std::uint32_t;
    using Mask = bool;
    using Word = std::uint32_t;
    using Exact = RealTraits<float>;
    __device__ static FastFloat choose(bool mask, FastFloat a, FastFloat b) { return mask ? a : b; }
    __device__ static FastFloat square_root(FastFloat x) {
        FastFloat root;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root.v) : "f"(x.v));
        return root;
    }
    __device__ static FastFloat usual_root(FastFloat x) { return square_root(x); }
    __device__ static FastFloat usual_inverse(FastFloat x) { return FastFloat(1.0) / x; }
    __device__ static FastFloat usual_quotient(FastFloat a, FastFloat b) { return a / b; }
    __device__ static Bits bits(FastFloat x) { return Exact::bits(x.v); }
    __device__ static FastFloat real(Bits bits) { return fast_float(Exact::real(bits)); }
    __device__ static FastFloat signed_fraction(Word w) { return fast_float(Exact::signed_fraction(w)); }
    __device__ static FastFloat positive_fraction(Word w) { return fast_float(Exact::positive_fraction(w)); }
};

/// Returns exp(x) by the GPU's approximation.
__device__ __forceinline__ FastFloat exponential(FastFloat x) {
    return fast_float(__expf(x.v));
}
template <>
PSFLIP_HD SineCosine<FastFloat> random_angle<FastFloat>(std::uint32_t word) {
    SineCosine<FastFloat> of{};
#ifdef __CUDA_ARCH__
    __sincosf(RealTraits<float>::signed_fraction(word) * 3.14159265f, &of.sine.v, &of.cosine.v);
#endif
    return of;
}

}  // namespace psflip
