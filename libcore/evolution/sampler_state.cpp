#include "evolution/sampler_state.hpp"

#include <stdexcept>

#include "evolution/cone_tuning.hpp"
#include "evolution/tempering_state.hpp"

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
    for (const StateGroup& group : groups)
        if (group.kind == kind) return group;
    throw std::logic_error("SamplerState: no group " + kind);
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

}  // namespace psflip
