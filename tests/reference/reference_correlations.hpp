#pragma once

#include <cstdint>
#include <vector>

#include "measure/measurement.hpp"

namespace psflip::reference {

/// Computes sums of correlations in space and time spin by spin (Sum::correlation4 or correlation2,
/// two_time_overlap, two_time_link). Spins are canonical. `couplings` are int8 (realization, direction, z, y,
/// x). `earlier` has the spins at the waiting times.
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
