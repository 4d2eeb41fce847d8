#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/reference.hpp"

/// Computes exact thermal averages of small lattices, and compares measured averages with them.
namespace psflip::exact {

/// Holds averages of E = Eb - h M, M = sum_i s_i, M^2, and q^2 = (sum_i s_i^a s_i^b / N)^2 of two replicas.
inline constexpr int n_observables = 4;
using Averages = std::array<double, n_observables>;

/// Returns the averages by enumeration of the 2^N states, N <= 16, with <q^2> = sum_ij <s_i s_j>^2 / N^2.
/// `bonds` are the couplings of one realization, in the order of reference::couplings.
Averages averages(const reference::World& world, const std::vector<std::int8_t>& bonds, double temperature);

/// Returns X = Hotelling's T^2, scaled. The rows (copy, value) are independent copies of normal variables. If
/// their means are `expected`, X is distributed like chi^2 with one degree of freedom per value. The
/// variables of a row may be correlated, but none may be constant.
double chi_squared(const std::vector<std::vector<double>>& rows, const std::vector<double>& expected);

/// Returns x such that P(chi^2 < x) = P(normal variable < z standard deviations), by the approximation of
/// Wilson and Hilferty.
double chi_squared_point(double degrees, double z);

}  // namespace psflip::exact
