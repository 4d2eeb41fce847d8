#include "evolution/cone_tuning.hpp"

namespace psflip {

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

}  // namespace psflip
