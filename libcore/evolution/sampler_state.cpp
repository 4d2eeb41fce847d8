#include "evolution/sampler_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

/// The walkers of every realization and replica are a permutation of the slots.
bool are_permutations(const std::vector<std::uint8_t>& walkers, std::size_t slots) {
    for (std::size_t begin = 0; begin < walkers.size(); begin += slots) {
        std::uint64_t seen = 0;
        for (std::size_t t = 0; t < slots; ++t) seen |= std::uint64_t{1} << walkers[begin + t];
        if (seen != ~std::uint64_t{0} >> (64 - slots)) return false;
    }
    return true;
}

}  // namespace

const StateGroup& SamplerState::of(const std::string& kind) const {
    if (const StateGroup* const group = find(kind)) return *group;
    throw std::logic_error("SamplerState: no group " + kind);
}

const StateGroup* SamplerState::find(const std::string& kind) const {
    const auto group = std::ranges::find(groups, kind, &StateGroup::kind);
    return group == groups.end() ? nullptr : &*group;
}

SamplerState initial_sampler_state(const Shape& shape, double cone_width) {
    SamplerState state;
    if (shape.has_vectors()) state.groups.push_back(group_of(initial_cones(shape, cone_width), shape));
    state.groups.push_back(group_of(initial_tempering(shape), shape));
    return state;
}

std::string problem_of(const SamplerState& state, const Shape& shape) {
    if (are_permutations(tempering_of(state).walker, static_cast<std::size_t>(shape.temperatures))) return {};
    return "/tempering/walker has a walker at two temperatures";
}

TemperingState initial_tempering(const Shape& shape) {
    const std::int64_t lattices = shape.realizations * shape.replicas, T = shape.temperatures;
    TemperingState state;
    state.walker.resize(lattices * T);
    for (std::int64_t i = 0; i < lattices * T; ++i) state.walker[i] = static_cast<std::uint8_t>(i % T);
    state.last_end.assign(lattices * T, 0);
    state.accepted.assign(lattices * (T - 1), 0);
    state.attempted.assign(T - 1, 0);
    state.round_trips.assign(lattices, 0);
    return state;
}

StateGroup group_of(TemperingState state, const Shape& shape) {
    const std::int64_t R = shape.realizations, replicas = shape.replicas, T = shape.temperatures;
    const auto slots = static_cast<double>(T);
    return {
        .kind = "tempering",
        .arrays = {
            {.name = "walker",
             .extents = {R, replicas, T},
             .values = std::move(state.walker),
             .high = slots - 1},
            {.name = "last_end", .extents = {R, replicas, T}, .values = std::move(state.last_end), .high = 2},
            {.name = "accepted",
             .extents = {R, replicas, T - 1},
             .values = std::move(state.accepted),
             .high_per_sweep = 1},
            {.name = "attempted",
             .extents = {T - 1},
             .values = std::move(state.attempted),
             .high_per_sweep = 1,
             .per_realization = false},
            {.name = "round_trips",
             .extents = {R, replicas},
             .values = std::move(state.round_trips),
             .high_per_sweep = slots},
        }};
}

TemperingState tempering_of(const SamplerState& state) {
    const std::vector<StateArray>& arrays = state.of("tempering").arrays;
    const auto bytes = [&](int i) { return std::get<std::vector<std::uint8_t>>(arrays.at(i).values); };
    const auto counts = [&](int i) { return std::get<std::vector<std::int64_t>>(arrays.at(i).values); };
    return {bytes(0), bytes(1), counts(2), counts(3), counts(4)};
}

StateGroup group_of(ConeState cones, const Shape& shape) {
    const Extents slots = {shape.realizations, shape.replicas, shape.temperatures};
    return {.kind = "moves",
            .arrays = {{.name = "width",
                        .extents = slots,
                        .values = std::move(cones.widths),
                        .low = min_width,
                        .high = 2.0},
                       {.name = "renewed",
                        .extents = slots,
                        .values = std::move(cones.renewed),
                        .high_per_sweep = static_cast<double>(shape.sites())}}};
}

ConeState cones_of(const SamplerState& state) {
    const std::vector<StateArray>& arrays = state.of("moves").arrays;
    return {std::get<std::vector<double>>(arrays.at(0).values),
            std::get<std::vector<std::int64_t>>(arrays.at(1).values)};
}

StateGroup group_of(const HoudayerCounts& counts, const Shape& shape) {
    const std::int64_t R = shape.realizations, T = shape.temperatures;
    const auto pairs = static_cast<double>(std::int64_t{shape.replicas / 2});
    return {.kind = houdayer_kind,
            .arrays = {
                {.name = "moves",
                 .extents = {T},
                 .values = counts.moves,
                 .high_per_sweep = pairs,
                 .per_realization = false},
                {.name = "clusters", .extents = {R, T}, .values = counts.clusters, .high_per_sweep = pairs},
                {.name = "sites",
                 .extents = {R, T},
                 .values = counts.sites,
                 .high_per_sweep = pairs * static_cast<double>(shape.sites())}}};
}

HoudayerCounts houdayer_counts_of(const SamplerState& state, const Shape& shape) {
    HoudayerCounts counts(shape.realizations, shape.temperatures);
    if (const StateGroup* const group = state.find(houdayer_kind)) {
        const auto array = [&](int i) {
            return std::get<std::vector<std::int64_t>>(group->arrays.at(i).values);
        };
        counts.moves = array(0), counts.clusters = array(1), counts.sites = array(2);
    }
    return counts;
}

}  // namespace psflip
