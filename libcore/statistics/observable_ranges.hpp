#pragma once

#include <cmath>
#include <limits>

#include "config/limits.hpp"
#include "io/datasets.hpp"
#include "model/model.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Ranges that numbers in files may have follow. Files with other numbers are refused.
inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The range of numbers without natural bounds. Such numbers are finite or missing.
inline constexpr Range<double> finite = {-1e100, 1e100, true};

inline constexpr Range<double> positive = {0.0, infinity, true};
/// In sweeps, with a margin: walkers that never move have half of the run as their time (walk.hpp).
inline constexpr Range<double> walk_times_range = {0.0, 2.0 * limits::sweeps, true};

/// Returns the range of a thermal mean of one realization, with room for rounding. With one replica, overlaps
/// may be missing (NaN).
inline Range<double> range_of(Observable observable, int replicas, const Model& model) {
    const Allowed& allowed = observable->allowed;
    const bool missing =
        allowed.missing == Missing::always || (allowed.missing == Missing::with_one_replica && replicas == 1);
    if (allowed.scale == Scale::anything) return {finite.low, finite.high, missing};
    const double one = 1.0 + (model.components() > 1 ? 1e-4 : 1e-9);  // lengths of spins in float
    const double energy = model.max_energy();
    const double size = allowed.scale == Scale::energy           ? energy
                        : allowed.scale == Scale::energy_squared ? energy * energy
                                                                 : 1.0;
    return {allowed.low * size * one, allowed.high * size * one, missing};
}

}  // namespace psflip
