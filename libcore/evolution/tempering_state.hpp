#pragma once

#include <cstdint>
#include <vector>

#include "evolution/sampler_state.hpp"
#include "lattice/shape.hpp"

namespace psflip {

/// Where every walker is, and what the exchanges counted. A walker is a configuration that wanders in
/// temperature. Arrays are row-major; "realization" counts the batch without padding.
struct TemperingState {
    std::vector<std::uint8_t>
        walker;  ///< (realization, replica, slot): number of the walker at this slot; starts as slot
    std::vector<std::uint8_t> last_end;  ///< (realization, replica, walker): 0 not at slot 0 yet, 1 last at
                                         ///< slot 0, 2 at the hottest slot since it was at slot 0
    std::vector<std::int64_t>
        accepted;  ///< (realization, replica, pair): accepted exchanges of slots (pair, pair+1)
    std::vector<std::int64_t> attempted;  ///< (pair): attempts, the same for every realization and replica
    std::vector<std::int64_t>
        round_trips;  ///< (realization, replica): trips cold -> hot -> cold completed by any walker
    bool operator==(const TemperingState&) const = default;
};

/// Returns the state before any exchange. With one temperature nothing ever changes.
TemperingState initial_tempering(const Shape& shape);

/// Converts to and from the group "tempering" of a sampler's state.
StateGroup group_of(TemperingState state, const Shape& shape);
TemperingState tempering_of(const SamplerState& state);

}  // namespace psflip
