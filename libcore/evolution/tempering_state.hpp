#pragma once

#include <cstdint>
#include <vector>

#include "lattice/shape.hpp"

namespace psflip {

/// Where every walker (a configuration that wanders in temperature) is, and what the exchanges counted.
/// Arrays are row-major with the axes named; "realization" is the batch's, without padding.
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

/// The state before any exchange. With one temperature nothing ever changes.
TemperingState initial_tempering(const Shape& shape);

}  // namespace psflip
