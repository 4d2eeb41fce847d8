#pragma once

#include <cmath>
#include <limits>

#include "config/limits.hpp"
#include "io/datasets.hpp"
#include "model/model.hpp"
#include "statistics/observables.hpp"

namespace psflip {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of what has no natural bounds but is finite, or not there.
inline constexpr Range<double> finite = {-1e100, 1e100, true};

inline constexpr Range<double> positive = {0.0, infinity, true};
/// Sweeps: a walk that never moved in the longest run gives less, see walk.hpp.
inline constexpr Range<double> walk_times_range = {0.0, 2.0 * limits::sweeps, true};

/// Of one estimate of chi_R / N: products of modes of which none is above 1, with the factors 1, -2 and 1.
inline constexpr Range<double> replicon_range = {-3.0, 4.0};

/// Of the thermal means of one realization, with room for rounding. There are no overlaps of one replica.
inline Range<double> range_of(Observable observable, int replicas, const Model& model) {
    const double one = 1.0 + (model.components() > 1 ? 1e-4 : 1e-9);  // lengths of spins in float
    const bool single = replicas == 1;
    const double energy = model.largest_energy();
    switch (observable) {
        case Observable::energy:
        case Observable::energy_exchange:
        case Observable::energy_dm:
        case Observable::energy_anisotropy:
        case Observable::energy_field:
            return {-energy * one, energy * one};
        case Observable::energy2:
        case Observable::energy_product:
            return {-energy * energy * one, energy * energy * one};
        case Observable::specific_heat:
            return {finite.low, finite.high};
        case Observable::q2_dbeta:
        case Observable::q4_dbeta:
        case Observable::kmin_dbeta:
            return {finite.low, finite.high, single};
        case Observable::m2_dbeta:
        case Observable::m4_dbeta:
        case Observable::m_kmin_dbeta:
            return {finite.low, finite.high};
        case Observable::q:
        case Observable::q_link:
            return {-one, one, single};
        case Observable::energy_bond:
        case Observable::m:
            return {-one, one};
        case Observable::ms_abs:
        case Observable::ms2:
        case Observable::ms4:
        case Observable::ms_kmin:
        case Observable::m_abs:
        case Observable::m2:
        case Observable::m4:
        case Observable::m_kmin:
            return {0.0, one};
        case Observable::replicon:
        case Observable::replicon_kmin:
        case Observable::replicon_diagonal:
            return {replicon_range.low * one, replicon_range.high * one, single};
        case Observable::q_link2:
            return {0.0, one, true};
        case Observable::m_abs_product:
        case Observable::q2_product:  // minus a variance where there are fewer than four replicas
        case Observable::q_link_product:
        case Observable::q2_q_link:
        case Observable::q2_q_link_product:
            return {-one, one, true};
        default:
            if (part_of(observable) >= 0) return {-one, one};
            // Susceptibilities of one replica are withheld where the run is too short.
            if (direction_of(observable) >= 0)
                return {finite.low, finite.high, single && observable >= Observable::chi_x};
            return {0.0, one, single};
    }
}

}  // namespace psflip
