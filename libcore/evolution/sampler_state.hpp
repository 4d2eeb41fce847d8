#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"

namespace psflip {

/// One array of a sampler's state, as files hold it.
struct StateArray {
    std::string name;  ///< dataset in the group
    Extents extents;   ///< row-major
    std::variant<std::vector<std::uint8_t>, std::vector<std::int64_t>, std::vector<double>> values{};
    /// Values are in [low, high + high_per_sweep * completed sweeps].
    double low = 0.0, high = 0.0, high_per_sweep = 0.0;
    bool per_realization = true;  ///< whether the first axis is the realization of the batch

    bool operator==(const StateArray& other) const { return name == other.name && values == other.values; }
};

/// The state of one move or sampler: a group of a file, "/kind", whose attribute `version` says what the
/// arrays mean.
struct StateGroup {
    std::string kind;
    std::int64_t version = 1;
    std::vector<StateArray> arrays;
    bool operator==(const StateGroup&) const = default;
};

/// All that a sampler needs for an exact continuation besides spins and sweep. Checkpoints, state files and
/// audits store and compare the arrays without knowing what they mean.
struct SamplerState {
    std::vector<StateGroup> groups;

    /// Returns the group of a kind. Errors: std::logic_error if there is none.
    const StateGroup& of(const std::string& kind) const;
    bool operator==(const SamplerState&) const = default;
};

/// Returns the state of a sampler that has not swept yet, for lattices of this shape: walkers where they
/// begin, counts 0. A state that is read from a file has the same groups, arrays, extents and types.
/// cone_width: the width with which the proposals of vector spins begin.
SamplerState initial_sampler_state(const Shape& shape, double cone_width = 2.0);

/// Returns why no sampler can have such a state, as a part of a sentence that names the array; empty if one
/// can. Extents, types and ranges have been checked already.
std::string problem_of(const SamplerState& state, const Shape& shape);

/// The places of all walkers, and the counts of exchanges. A walker is a configuration that wanders in
/// temperature. Arrays are row-major; "realization" counts the batch without padding.
struct TemperingState {
    /// (realization, replica, slot): number of the walker at this slot; starts as the slot.
    std::vector<std::uint8_t> walker;
    /// (realization, replica, walker): 0 if it was not at slot 0 yet, 1 if it was last at slot 0, 2 if it was
    /// at the hottest slot since then.
    std::vector<std::uint8_t> last_end;
    std::vector<std::int64_t> accepted;     ///< (realization, replica, pair) of slots (pair, pair + 1)
    std::vector<std::int64_t> attempted;    ///< (pair), the same for every realization and replica
    std::vector<std::int64_t> round_trips;  ///< (realization, replica): cold -> hot -> cold, of all walkers
    bool operator==(const TemperingState&) const = default;
};

/// Returns the state before any exchange. With one temperature nothing ever changes.
TemperingState initial_tempering(const Shape& shape);

/// Convert to and from the group "tempering" of a sampler's state.
StateGroup group_of(TemperingState state, const Shape& shape);
TemperingState tempering_of(const SamplerState& state);

/// Convert the cones of vector spins (VectorBatch::cones) to and from the group "moves" of a sampler's state.
struct ConeState;
StateGroup group_of(ConeState cones, const Shape& shape);
ConeState cones_of(const SamplerState& state);

}  // namespace psflip
