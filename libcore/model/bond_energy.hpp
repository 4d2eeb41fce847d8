#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

// Converts numbers of bonds to energies of bonds, Eb = -(bonds) + 2 (unsatisfied bonds). Energies and numbers
// are in units of 1 or 2 J (Shape::energy_unit). If the unit is 2, both are even.

/// Returns the sum of `sites` spins, `up` of which are +1 and the others -1. Both are below 2^31.
PSFLIP_HD std::int32_t signed_sum(std::uint32_t up, std::int32_t sites) {
    return static_cast<std::int32_t>(2 * up - static_cast<std::uint32_t>(sites));
}

/// Returns Eb in the unit from fewer than 2^32 unsatisfied bonds and the number of bonds in the unit.
PSFLIP_HD std::int32_t bond_energy(std::uint32_t unsatisfied, std::int32_t bonds, int unit) {
    return static_cast<std::int32_t>((unit == 1 ? 2u : 1u) * unsatisfied - static_cast<std::uint32_t>(bonds));
}

/// Returns the rise from one energy to the other, in units of J. `unit` is the unit of both.
PSFLIP_HD std::int64_t energy_rise(std::int32_t from, std::int32_t to, int unit) {
    return unit * (std::int64_t{to} - from);
}

/// Returns a quarter of a rise (in J) that is a multiple of 4. It fits into 32 bits.
PSFLIP_HD std::int32_t energy_steps(std::int32_t from, std::int32_t to, int unit) {
    return ((to >> 1) - (from >> 1)) >> (unit == 1 ? 1 : 0);
}

}  // namespace psflip
