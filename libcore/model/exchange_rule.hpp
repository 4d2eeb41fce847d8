#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// exp(x) for -700 <= x <= 0 from additions and multiplications alone, in one order: the same bits on every
/// backend, where a*b + c is not contracted (-ffp-contract=off, --fmad=false). Relative error below 1e-14.
/// With k = round(x / ln 2), exp(x) = 2^k exp(r), r = x - k ln 2 (in two parts, the first times k is exact),
/// |r| <= 0.35: Taylor's polynomial of degree 13.
PSFLIP_HD double ordered_exp(double x) {
    const int k = static_cast<int>(x * 1.4426950408889634 - 0.5);
    const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    constexpr double inverse_factorial[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                            1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                            1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
    double sum = inverse_factorial[0];
    PSFLIP_UNROLL
    for (int i = 1; i < 12; ++i) sum = sum * r + inverse_factorial[i];
    sum = (sum * r + 1.0) * r + 1.0;
    double power = 0.5;
    for (int bits = -k; bits > 0; bits >>= 1) {
        if ((bits & 1) != 0) sum = sum * power;
        power = power * power;
    }
    return sum;
}

/// Whether neighbouring temperatures exchange their lattices where that costs d, the energy of the hotter one
/// less that of the colder one: where d <= 0, else iff R < round(2^32 exp(-delta_beta d)), delta_beta =
/// beta_cold - beta_hot >= 0, which is R + 1/2 <= 2^32 exp.
PSFLIP_HD bool exchange_accepted(std::uint32_t R, double d, double delta_beta) {
    if (d <= 0.0) return true;
    const double x = delta_beta * d;
    if (x > 23.0) return false;  // 2^32 exp(-23) < 1/2
    return R + 0.5 <= 4294967296.0 * ordered_exp(-x);
}

/// Whether neighbouring temperatures exchange their lattices in a field. Energies are two integers, E = Eb -
/// h M with that of the bonds Eb = -sum J s s and the magnetisation M = sum s. With the hotter lattice's less
/// the colder one's, dEb and dM, the exchange costs d = dEb - h dM.
PSFLIP_HD bool exchange_accepted(std::uint32_t R, std::int64_t dEb, std::int64_t dM, double delta_beta,
                                 double h) {
    return exchange_accepted(R, static_cast<double>(dEb) - h * static_cast<double>(dM), delta_beta);
}

}  // namespace psflip
