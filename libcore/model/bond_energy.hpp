#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

// Computes bond energies Eb = -(bonds) + 2 (unsatisfied bonds) and numbers of bonds, in units of 1 or 2 (see
// Shape::energy_unit). With units of 2, energies and numbers of bonds are even.

/// Returns the sum of `sites` spins if `up` of them are +1 and the others -1. Both arguments are below 2^31.
PSFLIP_HD std::int32_t signed_sum(std::uint32_t up, std::int32_t sites) {
    return static_cast<std::int32_t>(2 * up - static_cast<std::uint32_t>(sites));
}

/// Returns Eb in the unit. `unsatisfied` is the number of unsatisfied bonds (below 2^32), and `bonds` the
/// number of bonds in the unit.
PSFLIP_HD std::int32_t bond_energy(std::uint32_t unsatisfied, std::int32_t bonds, int unit) {
    return static_cast<std::int32_t>((unit == 1 ? 2u : 1u) * unsatisfied - static_cast<std::uint32_t>(bonds));
}

/// Returns the difference to - from of two energies in `unit`, in units of 1.
PSFLIP_HD std::int64_t energy_rise(std::int32_t from, std::int32_t to, int unit) {
    return unit * (std::int64_t{to} - from);
}

/// Returns a quarter of energy_rise, which must be a multiple of 4. The quarter fits into 32 bits.
PSFLIP_HD std::int32_t energy_steps(std::int32_t from, std::int32_t to, int unit) {
    return ((to >> 1) - (from >> 1)) >> (unit == 1 ? 1 : 0);
}

}  // namespace psflip
