#include "statistics/average/formulas.hpp"

#include <stdexcept>
#include <string_view>

namespace psflip {
namespace {

double itself(Means means, const LatticeAt&) {
    return means[0];
}

double times_sites(Means means, const LatticeAt& at) {
    return at.sites() * means[0];
}

double binder_function(Means means, const LatticeAt& at) {
    return binder_of(means[0], means[1], at.components);
}

std::pair<double, double> binder_gradient_of(double q2, double q4, int components) {
    return {components * q4 / (q2 * q2 * q2), -0.5 * components / (q2 * q2)};
}

std::pair<double, double> binder_gradient(double q2, double q4, const LatticeAt& at) {
    return binder_gradient_of(q2, q4, at.components);
}

double xi_function(Means means, const LatticeAt& at) {
    return xi_over_L_of(means[0], means[1], at.L);
}

std::pair<double, double> xi_gradient(double q2, double kmin, const LatticeAt& at) {
    const double scale = 1.0 / (2.0 * at.L * std::sin(M_PI / at.L)), xi = xi_over_L_of(q2, kmin, at.L);
    const double by_q2 = scale * scale / (2.0 * xi * kmin);
    return {by_q2, -by_q2 * q2 / kmin};
}

double tensor_binder_function(Means means, const LatticeAt&) {
    return binder_of(means[0], means[1], 9);
}

std::pair<double, double> tensor_binder_gradient(double q2, double q4, const LatticeAt&) {
    return binder_gradient_of(q2, q4, 9);
}

double ratio_function(Means means, const LatticeAt&) {
    return means[0] / means[1];
}

std::pair<double, double> ratio_gradient(double first, double second, const LatticeAt&) {
    return {1.0 / second, -first / (second * second)};
}

double susceptibility_function(Means means, const LatticeAt& at) {
    return at.sites() / at.temperature * (means[0] - means[1] * means[1]);
}

std::pair<double, double> susceptibility_gradient(double, double m_abs, const LatticeAt& at) {
    const double scale = at.sites() / at.temperature;
    return {scale, -2.0 * scale * m_abs};
}

/// Of the means of two averages, and of their derivatives, by the gradient of a function of both.
double binder_slope_function(Means means, const LatticeAt& at) {
    const auto [by_q2, by_q4] = binder_gradient(means[0], means[1], at);
    return by_q2 * means[2] + by_q4 * means[3];
}

double xi_slope_function(Means means, const LatticeAt& at) {
    const auto [by_q2, by_kmin] = xi_gradient(means[0], means[1], at);
    return by_q2 * means[2] + by_kmin * means[3];
}

double spread_function(Means means, const LatticeAt&) {
    return means[1] / (means[0] * means[0]) - 1.0;
}

double guerra_function(Means means, const LatticeAt&) {
    const double square = means[0] * means[0];
    return (means[1] - square) / (means[2] - square);
}

double variance_function(Means means, const LatticeAt&) {
    return means[0] - means[1];
}

double connected_function(Means means, const LatticeAt& at) {
    return at.sites() / at.temperature * (means[0] - means[1]);
}

double correlation_function(Means means, const LatticeAt&) {
    return (means[0] - means[1]) / std::sqrt((means[2] - means[3]) * (means[4] - means[5]));
}

/// Of an average that is the mean of an observable of the same name.
Observable observable_named(std::string_view name) {
    for (int o = 0; o < n_observables; ++o)
        if (name == observable_table[o].name) return static_cast<Observable>(o);
    throw std::invalid_argument("no average");
}

}  // namespace

Definition definition_of(Average average) {
    using enum Observable;
    switch (average) {
        case Average::energy:
            return {{energy}, itself};
        case Average::specific_heat:
            return {{specific_heat}, itself};
        case Average::q_abs:
            return {{q_abs}, itself};
        case Average::q2:
            return {{q2}, itself};
        case Average::q4:
            return {{q4}, itself};
        case Average::binder:
            return {{q2, q4}, binder_function, binder_gradient, 0};
        case Average::chi_sg:
            return {{q2}, times_sites};
        case Average::xi_over_L:
            return {{q2, kmin}, xi_function, xi_gradient, 1};
        case Average::q_link:
            return {{q_link}, itself};
        case Average::chi_kmin:
            return {{kmin}, times_sites};
        case Average::q2_spread:
            return {{q2, q2_product}, spread_function};
        case Average::guerra:
            return {{q2, q2_product, q4}, guerra_function};
        case Average::q_link_variance:
            return {{q_link2, q_link_product}, variance_function};
        case Average::q2_link_correlation:
            return {{q2_q_link, q2_q_link_product, q_link2, q_link_product, q4, q2_product},
                    correlation_function};
        case Average::m_abs:
            return {{m_abs}, itself};
        case Average::m2:
            return {{m2}, itself};
        case Average::m4:
            return {{m4}, itself};
        case Average::binder_m:
            return {{m2, m4}, binder_function, binder_gradient, 2};
        case Average::chi_m:
            return {{m2, m_abs}, susceptibility_function, susceptibility_gradient, 4};
        case Average::xi_m_over_L:
            return {{m2, m_kmin}, xi_function, xi_gradient, 3};
        case Average::chi_m_total:
            return {{m2}, times_sites};
        case Average::chi_replicon:
            return {{replicon}, times_sites};
        case Average::chi_replicon_kmin:
            return {{replicon_kmin}, times_sites};
        case Average::xi_replicon_over_L:
            return {{replicon, replicon_kmin}, xi_function, xi_gradient, 5};
        case Average::r12:
            return {{replicon_kmin, replicon_diagonal}, ratio_function, ratio_gradient, 6};
        case Average::energy_bond:
            return {{energy_bond}, itself};
        case Average::q2_dbeta:
            return {{q2_dbeta}, itself};
        case Average::binder_dbeta:
            return {{q2, q4, q2_dbeta, q4_dbeta}, binder_slope_function};
        case Average::xi_over_L_dbeta:
            return {{q2, kmin, q2_dbeta, kmin_dbeta}, xi_slope_function};
        case Average::m2_dbeta:
            return {{m2_dbeta}, itself};
        case Average::binder_m_dbeta:
            return {{m2, m4, m2_dbeta, m4_dbeta}, binder_slope_function};
        case Average::xi_m_over_L_dbeta:
            return {{m2, m_kmin, m2_dbeta, m_kmin_dbeta}, xi_slope_function};
        case Average::binder_qt:
            return {{qt2, qt4}, tensor_binder_function, tensor_binder_gradient, 10};
        case Average::binder_ms:
            return {{ms2, ms4}, binder_function, binder_gradient, 7};
        case Average::chi_ms:
            return {{ms2, ms_abs}, susceptibility_function, susceptibility_gradient, 8};
        case Average::xi_ms_over_L:
            return {{ms2, ms_kmin}, xi_function, xi_gradient, 9};
        case Average::chi_m_connected:
            return {{m2, m_abs_product}, connected_function};
        default:
            return {{observable_named(average_name(average))}, itself};
    }
}

}  // namespace psflip
