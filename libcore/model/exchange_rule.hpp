#pragma once

// Decides exchanges of temperatures, with equal results on every backend.

#include <cstdint>

#include "model/elementary.hpp"

namespace psflip {

/// Returns exp(x) for -700 <= x <= 0, with a relative error below 1e-14 and equal bits on every backend. Do
/// not replace it by exponential() of model/elementary.hpp. The two functions differ in the last bits, and
/// stored results were made with this one.
PSFLIP_HD double ordered_exp(double x) {
    const int k = static_cast<int>(x * 1.4426950408889634 - 0.5);
    const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    const double power = RealTraits<double>::real(static_cast<std::uint64_t>(1023 + k) << 52);  // 2^k
    return power * polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                              1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6,
                              1.0 / 2, 1.0, 1.0);
}

/// Returns whether neighbouring temperatures exchange their lattices. The exchange costs d, the energy of the
/// hotter lattice minus the energy of the colder one. It is accepted if d <= 0. Otherwise it is accepted iff
/// R < round(2^32 exp(-delta_beta d)), which means R + 1/2 <= 2^32 exp(-delta_beta d). The argument
/// delta_beta = beta_cold - beta_hot is at least 0.
PSFLIP_HD bool exchange_accepted(std::uint32_t R, double d, double delta_beta) {
    if (d <= 0.0) return true;
    const double x = delta_beta * d;
    if (x > 23.0) return false;  // 2^32 exp(-23) < 1/2
    return R + 0.5 <= 4294967296.0 * ordered_exp(-x);
}

/// Returns whether neighbouring temperatures exchange their lattices in a field. The energy is E = Eb - h M,
/// with the bond energy Eb = -sum J s s and the magnetisation M = sum s. Both are integers. Their differences
/// dEb and dM are the values of the hotter lattice minus the values of the colder one. The exchange costs d =
/// dEb - h dM.
PSFLIP_HD bool exchange_accepted(std::uint32_t R, std::int64_t dEb, std::int64_t dM, double delta_beta,
                                 double h) {
    return exchange_accepted(R, static_cast<double>(dEb) - h * static_cast<double>(dM), delta_beta);
}

}  // namespace psflip
