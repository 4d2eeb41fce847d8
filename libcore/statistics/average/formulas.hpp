#pragma once

// Defines the functions of disorder averages that average_table refers to.

#include <cmath>
#include <span>
#include <utility>

#include "base/numbers.hpp"

namespace psflip {

/// Describes a lattice at one temperature.
struct LatticeAt {
    int L, dimension, components;
    double temperature;
    double sites() const { return std::pow(L, dimension); }
};

/// Holds the disorder averages of the observables of a row of average_table, in the order of the row.
using Means = std::span<const double>;

/// Holds a function of disorder averages. Functions of two averages may have a gradient. It gives their
/// errors from shared random numbers, and the thermal errors of a single realization.
struct Form {
    double (*function)(Means means, const LatticeAt& at);
    std::pair<double, double> (*gradient)(double first, double second, const LatticeAt& at) = nullptr;
};

/// Returns the Binder ratio of an order parameter with n components: 0 for a normal distribution, 1 for a
/// fixed length.
inline double binder_of(double q2, double q4, int components = 1) {
    const double n = components;
    return 0.5 * (n + 2.0 - n * (q4 / (q2 * q2)));
}
inline std::pair<double, double> binder_gradient(double q2, double q4, int components) {
    return {components * q4 / (q2 * q2 * q2), -0.5 * components / (q2 * q2)};
}

/// Below this fraction of <q^2>, <|q(k)|^2> is a rounding error: the mode of a uniform lattice has about
/// 1e-32, a single spin that differs has 1e-19 in the largest lattice.
inline constexpr double rounding_of_modes = 1e-30;

/// Returns the second-moment correlation length xi/L; NaN if q2 < kmin or if kmin is a rounding error. kmin
/// is <|q(k)|^2> at the smallest k.
inline double xi_over_L_of(double q2, double kmin, int L) {
    const double ratio = q2 / kmin - 1.0;
    return kmin > rounding_of_modes * std::abs(q2) && ratio >= 0.0
               ? std::sqrt(ratio) / (2.0 * L * std::sin(M_PI / L))
               : nan_value;
}
inline std::pair<double, double> xi_gradient(double q2, double kmin, const LatticeAt& at) {
    const double scale = 1.0 / (2.0 * at.L * std::sin(M_PI / at.L)), xi = xi_over_L_of(q2, kmin, at.L);
    const double by_q2 = scale * scale / (2.0 * xi * kmin);
    return {by_q2, -by_q2 * q2 / kmin};
}

/// Returns a - b as a divisor: NaN if it is only a rounding error, as in uniform lattices.
inline double divisor_of(double a, double b) {
    return std::abs(a - b) > 1e-14 * std::abs(a) ? a - b : nan_value;
}

namespace form {
inline constexpr Form mean{[](Means m, const LatticeAt&) { return m[0]; }};
inline constexpr Form times_sites{[](Means m, const LatticeAt& at) { return at.sites() * m[0]; }};
inline constexpr Form binder{
    [](Means m, const LatticeAt& at) { return binder_of(m[0], m[1], at.components); },
    [](double q2, double q4, const LatticeAt& at) { return binder_gradient(q2, q4, at.components); }};
/// The overlap tensor has nine components.
inline constexpr Form tensor_binder{
    [](Means m, const LatticeAt&) { return binder_of(m[0], m[1], 9); },
    [](double q2, double q4, const LatticeAt&) { return binder_gradient(q2, q4, 9); }};
inline constexpr Form xi{[](Means m, const LatticeAt& at) { return xi_over_L_of(m[0], m[1], at.L); },
                         xi_gradient};
inline constexpr Form ratio{[](Means m, const LatticeAt&) { return m[0] / m[1]; },
                            [](double first, double second, const LatticeAt&) {
                                return std::pair(1.0 / second, -first / (second * second));
                            }};
inline constexpr Form susceptibility{
    [](Means m, const LatticeAt& at) { return at.sites() / at.temperature * (m[0] - m[1] * m[1]); },
    [](double, double m_abs, const LatticeAt& at) {
        const double scale = at.sites() / at.temperature;
        return std::pair(scale, -2.0 * scale * m_abs);
    }};
inline constexpr Form connected{
    [](Means m, const LatticeAt& at) { return at.sites() / at.temperature * (m[0] - m[1]); }};
inline constexpr Form difference{[](Means m, const LatticeAt&) { return m[0] - m[1]; }};
inline constexpr Form correlation{[](Means m, const LatticeAt&) {
    return (m[0] - m[1]) / std::sqrt(divisor_of(m[2], m[3]) * divisor_of(m[4], m[5]));
}};
inline constexpr Form spread{[](Means m, const LatticeAt&) { return m[1] / (m[0] * m[0]) - 1.0; }};
inline constexpr Form guerra{[](Means m, const LatticeAt&) {
    const double square = m[0] * m[0];
    return (m[1] - square) / divisor_of(m[2], square);
}};
/// The derivatives of binder and xi with respect to beta. The arguments are two means and then their
/// derivatives.
inline constexpr Form binder_slope{[](Means m, const LatticeAt& at) {
    const auto [by_q2, by_q4] = binder_gradient(m[0], m[1], at.components);
    return by_q2 * m[2] + by_q4 * m[3];
}};
inline constexpr Form xi_slope{[](Means m, const LatticeAt& at) {
    const auto [by_q2, by_kmin] = xi_gradient(m[0], m[1], at);
    return by_q2 * m[2] + by_kmin * m[3];
}};
}  // namespace form

}  // namespace psflip
