#pragma once

#include <cstdint>
#include <vector>

#include "measure/measurement.hpp"

namespace psflip::reference {

/// Sums of correlations in space and time (Sum::correlation4 or correlation2, two_time_overlap,
/// two_time_link), spin by spin. Canonical spins; couplings int8 (realization, direction, z, y, x).
struct NaiveCorrelations {
    Shape shape;
    Measured measured;
    std::vector<std::int8_t> couplings;
    std::vector<std::vector<std::uint64_t>> earlier{};

    /// Return the sums of one measurement: (component, temperature, realization), in the order of
    /// Accumulators.
    std::vector<std::int64_t> distances(const std::vector<std::uint64_t>& spins) const;
    std::vector<std::int64_t> two_times(const std::vector<std::uint64_t>& spins, bool links) const;
};

}  // namespace psflip::reference
