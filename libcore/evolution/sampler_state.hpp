// Describes the state of samplers and moves as files hold it: named groups of arrays. Checkpoints store and
// compare the arrays without knowing their meaning.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/datasets.hpp"
#include "lattice/shape.hpp"
#include "sweep/houdayer.hpp"

namespace psflip {

/// Holds one array of a sampler's state, as files hold it.
struct StateArray {
    std::string name;  ///< name of the dataset in the group
    Extents extents;   ///< row-major
    std::variant<std::vector<std::uint8_t>, std::vector<std::int64_t>, std::vector<double>> values{};
    /// Values of a valid state are in [low, high + high_per_sweep * completed sweeps].
    double low = 0.0, high = 0.0, high_per_sweep = 0.0;
    bool per_realization = true;  ///< whether the first axis is the realization of the batch

    bool operator==(const StateArray& other) const { return name == other.name && values == other.values; }
};

/// Holds the state of one move or sampler. In a file it is the group "/kind"; its attribute `version` decides
/// what the arrays mean.
struct StateGroup {
    std::string kind;
    std::int64_t version = 1;
    std::vector<StateArray> arrays;
    bool operator==(const StateGroup&) const = default;
};

/// Holds everything that a sampler needs for an exact continuation besides spins and sweep. Checkpoints,
/// state files and audits store and compare the arrays without knowing what they mean.
struct SamplerState {
    std::vector<StateGroup> groups;

    /// Returns the group of a kind. The reference is valid as long as the state. Errors: std::logic_error if
    /// the state has no such group.
    const StateGroup& of(const std::string& kind) const;
    /// Returns the group of a kind, or nullptr.
    const StateGroup* find(const std::string& kind) const;
    bool operator==(const SamplerState&) const = default;
};

/// Returns the state of a sampler before its first sweep, for lattices of this shape: walker w at slot w, all
/// counts 0. A state that is read from a file has the same groups, arrays, extents and types, and the group
/// of Houdayer moves if the file has one. cone_width: the width with which the proposals of vector spins
/// begin.
SamplerState initial_sampler_state(const Shape& shape, double cone_width = 2.0);

/// Returns why no sampler can have this state, as a clause that names the array, or an empty text if one
/// can. The caller has already checked extents, types and ranges.
std::string problem_of(const SamplerState& state, const Shape& shape);

/// Holds the slots of all walkers and the counts of exchanges. A walker is a configuration that wanders in
/// temperature. Arrays are row-major; "realization" counts the batch without padding.
struct TemperingState {
    /// (realization, replica, slot): number of the walker at this slot. Walker w begins at slot w.
    std::vector<std::uint8_t> walker;
    /// (realization, replica, walker): 0 until the walker is at slot 0 for the first time; then 1 if it was
    /// at slot 0 more recently than at the hottest slot, otherwise 2.
    std::vector<std::uint8_t> last_end;
    std::vector<std::int64_t> accepted;     ///< (realization, replica, pair), pair t for the slots (t, t + 1)
    std::vector<std::int64_t> attempted;    ///< (pair), equal for every realization and replica
    std::vector<std::int64_t> round_trips;  ///< (realization, replica): trips cold -> hot -> cold of all
                                            ///< walkers
    bool operator==(const TemperingState&) const = default;
};

/// Returns the state before any exchange. With one temperature it never changes.
TemperingState initial_tempering(const Shape& shape);

/// Convert to and from the group "tempering" of a sampler's state. Errors: std::logic_error if the state has
/// no such group.
StateGroup group_of(TemperingState state, const Shape& shape);
TemperingState tempering_of(const SamplerState& state);

/// Convert the cones of vector spins (VectorBatch::cones) to and from the group "moves" of a sampler's state.
/// Errors: std::logic_error if the state has no such group.
struct ConeState;
StateGroup group_of(ConeState cones, const Shape& shape);
ConeState cones_of(const SamplerState& state);

/// Kind of the group of Houdayer moves. States may lack it.
inline constexpr const char* houdayer_kind = "houdayer";
/// Convert the counts of Houdayer moves to and from the group "houdayer" of a sampler's state. Without the
/// group, houdayer_counts_of returns counts of 0.
StateGroup group_of(const HoudayerCounts& counts, const Shape& shape);
HoudayerCounts houdayer_counts_of(const SamplerState& state, const Shape& shape);

}  // namespace psflip
