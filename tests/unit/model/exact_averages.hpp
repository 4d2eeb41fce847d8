#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/reference.hpp"

/// Thermal averages of small lattices by summing over all states, and how far measured ones may be from them.
namespace psflip::exact {

/// Energy E = Eb - h M, magnetisation M, M^2 and q^2 = (sum_i s_i^a s_i^b / N)^2 of two replicas.
inline constexpr int n_observables = 4;
using Averages = std::array<double, n_observables>;

/// By enumeration of the 2^N states, N <= 16; <q^2> = sum_ij <s_i s_j>^2 / N^2. Bonds as of
/// reference::couplings, one realization.
Averages averages(const reference::World& world, const std::vector<std::int8_t>& bonds, double temperature);

/// The number X, distributed like chi^2 of `values` degrees of freedom, of measured rows (copy, value) that
/// are independent copies of normal variables with means `expected`: Hotelling's T^2, scaled. The variables
/// may be correlated, but none may be constant.
double chi_squared(const std::vector<std::vector<double>>& rows, const std::vector<double>& expected);

/// The point of the chi^2 distribution below which a normal variable is with probability that of `z` standard
/// deviations (Wilson and Hilferty).
double chi_squared_point(double degrees, double z);

}  // namespace psflip::exact
