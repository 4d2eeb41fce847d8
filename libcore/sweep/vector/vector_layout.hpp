// Converts arrays of sites between files and the order of VectorLattices.
#pragma once

#include <cstddef>
#include <vector>

#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Calls pair(i, held) for all `numbers` elements of an array. i is the index in (.., component, site), and
/// held is the index in the order of VectorLattices, (.., colour, component, site of the colour).
template <class Pair>
void for_each_by_colour(const VectorSetup& setup, std::size_t numbers, std::size_t components, Pair pair) {
    const auto L = static_cast<std::size_t>(setup.L), sites = static_cast<std::size_t>(setup.sites());
    for (std::size_t i = 0; i < numbers; ++i) {
        const std::size_t x = i % L, row = i % sites / L, array = i / sites;
        const std::size_t colour = (x + row % L + row / L) & 1, place = row * (L / 2) + x / 2;
        const std::size_t held = (array / components * 2 + colour) * components + array % components;
        pair(i, held * (sites / 2) + place);
    }
}

/// Returns an array (.., component, site) as (.., colour, component, site of the colour).
template <class To, class From>
std::vector<To> by_colour(const VectorSetup& setup, const std::vector<From>& from,
                          std::size_t components = 1) {
    std::vector<To> to(from.size());
    for_each_by_colour(setup, from.size(), components,
                       [&](std::size_t i, std::size_t held) { to[held] = static_cast<To>(from[i]); });
    return to;
}

/// Returns spins (state, colour, component, site of the colour) as (state, component, site).
template <class Spins>
std::vector<double> by_site(const VectorSetup& setup, const Spins& held) {
    std::vector<double> spins(held.size());
    for_each_by_colour(setup, held.size(), static_cast<std::size_t>(setup.components()),
                       [&](std::size_t i, std::size_t at) { spins[i] = static_cast<double>(held[at]); });
    return spins;
}

/// Returns the species of all sites, (realization, site), also if all are a.
inline std::vector<std::uint8_t> species_of_all(const VectorSetup& setup) {
    if (!setup.species.empty()) return setup.species;
    return std::vector<std::uint8_t>(static_cast<std::size_t>(setup.realizations * setup.sites()));
}

}  // namespace psflip
