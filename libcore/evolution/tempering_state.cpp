#include "evolution/tempering_state.hpp"

namespace psflip {

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

}  // namespace psflip
