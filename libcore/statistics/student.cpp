#include "statistics/student.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {

namespace {

/// Continued fraction of the incomplete beta function I_x(a, b), modified Lentz method; converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
    constexpr double tiny = 1e-300;
    auto nonzero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
    double c = 1.0;
    double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    double result = d;
    for (int m = 1; m <= 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        result *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        result *= c * d;
        if (std::abs(c * d - 1.0) < 1e-15) break;
    }
    return result;
}

double incomplete_beta(double x, double y, double a, double b) {  // y = 1 - x, given to full accuracy
    if (x <= 0.0) return 0.0;
    if (y <= 0.0) return 1.0;
    const double log_front =
        a * std::log(x) + b * std::log(y) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
    if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) * beta_fraction(x, a, b) / a;
    return 1.0 - std::exp(log_front) * beta_fraction(y, b, a) / b;
}

}  // namespace

double student_two_sided(double t, double dof) {
    if (std::isnan(t) || std::isnan(dof)) return std::nan("");
    if (std::isinf(t)) return 0.0;
    const double square = t * t;
    return incomplete_beta(dof / (dof + square), square / (dof + square), 0.5 * dof, 0.5);
}

double f_above(double f, double dof1, double dof2) {
    if (std::isnan(f)) return f;
    const double x = dof2 / (dof2 + dof1 * f);
    return incomplete_beta(x, dof1 * f / (dof2 + dof1 * f), 0.5 * dof2, 0.5 * dof1);
}

double gaussian_sigma(double t, double dof) {
    const double p = student_two_sided(t, dof);
    if (std::isnan(p)) return p;
    const double log_p = std::log(std::max(p, 1e-300));
    // log erfc is concave, so Newton's method from the right of the root goes down to it.
    double z = std::sqrt(-2.0 * log_p);
    for (int i = 0; i < 100; ++i) {
        const double tail = std::erfc(z / std::sqrt(2.0));
        const double slope = -std::sqrt(2.0 / M_PI) * std::exp(-0.5 * z * z) / tail;
        const double step = (std::log(tail) - log_p) / slope;
        z = std::max(z - step, 0.0);
        if (std::abs(step) < 1e-12 * (1.0 + z)) break;
    }
    return std::copysign(std::min(z, largest_sigma), t);
}

}  // namespace psflip
