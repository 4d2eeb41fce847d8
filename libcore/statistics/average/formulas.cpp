#include "statistics/average/formulas.hpp"

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

struct FormRule {
    Form form;
    double (*function)(Means means, const LatticeAt& at);
    std::pair<double, double> (*gradient)(double first, double second, const LatticeAt& at) = nullptr;
};
constexpr FormRule form_rules[] = {
    {Form::mean, itself},
    {Form::times_sites, times_sites},
    {Form::binder, binder_function, binder_gradient},
    {Form::tensor_binder, tensor_binder_function, tensor_binder_gradient},
    {Form::xi, xi_function, xi_gradient},
    {Form::ratio, ratio_function, ratio_gradient},
    {Form::susceptibility, susceptibility_function, susceptibility_gradient},
    {Form::connected, connected_function},
    {Form::variance, variance_function},
    {Form::correlation, correlation_function},
    {Form::spread, spread_function},
    {Form::guerra, guerra_function},
    {Form::binder_slope, binder_slope_function},
    {Form::xi_slope, xi_slope_function},
};

}  // namespace

Definition definition_of(Average average) {
    const AverageInfo& row = info(average);
    Definition definition{{}, nullptr};
    for (const Observable observable : row.observables)
        if (observable != Observable::end) definition.of.push_back(observable);
    for (const FormRule& rule : form_rules)
        if (rule.form == row.form) definition.function = rule.function, definition.gradient = rule.gradient;
    if (definition.gradient != nullptr) definition.pair = shared_pair(definition.of[0], definition.of[1]);
    return definition;
}

}  // namespace psflip
