#pragma once

#include "model/real.hpp"

namespace psflip {

// Computes elementary functions with + - * /, square roots and bit shifts in a fixed order. IEEE 754 fixes
// how each operation rounds. So all backends that do not fuse a*b + c into one operation (-ffp-contract=off,
// --fmad=false) give equal bits. The polynomials are from Cephes (float), fdlibm and Taylor (double). R is a
// number as in RealTraits (model/real.hpp).

template <class R>
inline constexpr bool is_single = sizeof(typename RealTraits<R>::Scalar) == sizeof(float);

/// Returns ((c_0 x + c_1) x + ...) x + c_n.
template <class R, class... Rest>
PSFLIP_HD R polynomial(R x, double first, Rest... rest) {
    R sum(first);
    ((sum = sum * x + R(rest)), ...);
    return sum;
}

/// Returns 1.5 * 2^23 (float) or 1.5 * 2^52 (double), whose last bit is worth 1. Adding it rounds a number to
/// an integer, also if the number is negative.
template <class R>
PSFLIP_HD R integer_offset() {
    return R(is_single<R> ? 0x1.8p23 : 0x1.8p52);
}

/// Holds exp(x) = 2^k (1 + remainder), with x = k ln 2 + r and |r| < 0.35.
template <class R>
struct PowerOfTwo {
    typename RealTraits<R>::Bits exponent;  ///< k, shifted to the exponent of a number
    R remainder;                            ///< exp(r) - 1
};

/// Splits exp(x) for -87 <= x <= 88 in float, or -708 <= x <= 709 in double.
template <class R>
PSFLIP_HD PowerOfTwo<R> split_exponential(R x) {
    using Traits = RealTraits<R>;
    constexpr int mantissa = is_single<R> ? 23 : 52;
    const R shifted = x * R(1.4426950408889634) + integer_offset<R>(), k = shifted - integer_offset<R>();
    const auto exponent = Traits::bits(shifted) << mantissa;
    if constexpr (is_single<R>) {
        const R r = (x - k * R(0.693359375)) - k * R(-2.12194440e-4);
        const R rest = polynomial(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                                  1.6666665459e-1, 5.0000001201e-1);
        return {exponent, rest * (r * r) + r};
    } else {
        const R r = (x - k * R(6.93147180369123816490e-01)) - k * R(1.90821492927058770002e-10);
        const R rest =
            polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                       1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2);
        return {exponent, rest * (r * r) + r};
    }
}

/// Returns exp(x) within 2 ulp, for the range of split_exponential.
template <class R>
PSFLIP_HD R exponential(R x) {
    const PowerOfTwo<R> of = split_exponential(x);
    return RealTraits<R>::real(RealTraits<R>::bits(of.remainder + R(1.0)) + of.exponent);
}

/// Returns exp(x) - 1 within 3 ulp for x <= 0 in the range of split_exponential, also for small |x|.
template <class R>
PSFLIP_HD R exponential_less_one(R x) {
    const PowerOfTwo<R> of = split_exponential(x);
    const R power = RealTraits<R>::real(RealTraits<R>::bits(R(1.0)) + of.exponent);
    return of.remainder * power + (power - R(1.0));
}

/// Returns ln(x) within 2 ulp, for a positive normal number x.
template <class R>
PSFLIP_HD R logarithm(R x) {
    using Traits = RealTraits<R>;
    using Bits = typename Traits::Bits;
    constexpr int mantissa = is_single<R> ? 23 : 52;
    // x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
    const Bits one = Traits::bits(R(1.0)), root = Traits::bits(R(0.70710678118654752));
    const Bits moved = Traits::bits(x) + (one - root), offset = Traits::bits(integer_offset<R>());
    const R k =
        Traits::real((moved >> mantissa) + offset) - (integer_offset<R>() + R(is_single<R> ? 127.0 : 1023.0));
    const R f = Traits::real((moved & Bits((std::uint64_t{1} << mantissa) - 1)) + root) - R(1.0);
    const R s = Traits::usual_quotient(f, f + R(2.0)), z = s * s, half = R(0.5) * f * f;
    if constexpr (is_single<R>) {
        const R rest = z * polynomial(z, 0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693);
        return k * R(6.9313812256e-01) - ((half - (s * (half + rest) + k * R(9.0580006145e-06))) - f);
    } else {
        const R rest =
            z * polynomial(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                           2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                           6.666666666666735130e-01);
        return k * R(6.93147180369123816490e-01) -
               ((half - (s * (half + rest) + k * R(1.90821492927058770002e-10))) - f);
    }
}

/// Returns ln(1 - w) within 3 ulp for 0 <= w < 1, also for small w.
template <class R>
PSFLIP_HD R logarithm_of_one_less(R w) {
    const R y = R(1.0) - w, lost = (R(1.0) - y) - w;
    return logarithm(y) + RealTraits<R>::usual_quotient(lost, y);
}

template <class R>
struct SineCosine {
    R sine, cosine;
};

/// Returns sine and cosine of x within 2 ulp, for |x| <= pi/4.
template <class R>
PSFLIP_HD SineCosine<R> sine_cosine(R x) {
    const R z = x * x;
    R sine, cosine;
    if constexpr (is_single<R>) {
        sine = polynomial(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1);
        cosine = polynomial(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2);
    } else {
        sine =
            polynomial(z, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
                       -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1);
        cosine =
            polynomial(z, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
                       2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2);
    }
    return {sine * z * x + x, cosine * (z * z) - (z * R(0.5)) + R(1.0)};
}

/// Returns cosine and sine of a uniform angle from 32 random bits. Bits 0 to 29 choose an angle between -pi/4
/// and pi/4. Bit 31 changes the sign of its cosine. After that, bit 30 exchanges sine and cosine.
template <class R>
PSFLIP_HD SineCosine<R> random_angle(typename RealTraits<R>::Word word) {
    using Traits = RealTraits<R>;
    const SineCosine<R> of = sine_cosine(Traits::octant_angle(word));
    const R cosine = Traits::turned(word, of.cosine);
    const auto swapped = Traits::bit30(word);
    return {Traits::choose(swapped, cosine, of.sine), Traits::choose(swapped, of.sine, cosine)};
}

}  // namespace psflip
