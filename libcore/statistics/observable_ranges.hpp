#pragma once

#include <limits>

#include "io/datasets.hpp"
#include "statistics/observables.hpp"

namespace psflip {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of what has no natural bounds but is finite, or not there.
inline constexpr Range<double> finite = {-1e100, 1e100, true};

/// Of the thermal means of one realization, with room for rounding.
inline Range<double> range_of(Observable observable) {
    constexpr double one = 1.0 + 1e-9;
    switch (observable) {
        case Observable::energy:
            return {-3.0 * one, 3.0 * one, true};
        case Observable::energy2:
        case Observable::energy_product:
            return {-9.0 * one, 9.0 * one, true};
        case Observable::specific_heat:
            return finite;
        case Observable::q:
        case Observable::q_link:
            return {-one, one, true};
        default:
            return {0.0, one, true};
    }
}

}  // namespace psflip
