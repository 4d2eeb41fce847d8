// Converts arrays of sites between files and the order of VectorLattices.
#pragma once

#include <cstddef>
#include <vector>

#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Calls pair(i, held) for all `numbers` elements of an array of `planes` planes, which are the planes in
/// memory from plane `first` on. i is the index in (.., component, site), and held is the index in the order
/// of VectorLattices, (.., colour, component, site of the colour). `first` is even.
template <class Pair>
void for_each_by_colour(const VectorSetup& setup, std::size_t numbers, std::size_t components, int first,
                        int planes, Pair pair) {
    const auto L = static_cast<std::size_t>(setup.L), sites = L * L * static_cast<std::size_t>(planes),
               held_sites = static_cast<std::size_t>(setup.held_sites());
    for (std::size_t i = 0; i < numbers; ++i) {
        const std::size_t x = i % L, row = i % sites / L + static_cast<std::size_t>(first) * L,
                          array = i / sites;
        const std::size_t colour = (x + row % L + row / L) & 1, place = row * (L / 2) + x / 2;
        const std::size_t held = (array / components * 2 + colour) * components + array % components;
        pair(i, held * (held_sites / 2) + place);
    }
}

/// Returns an array (.., site) of the planes in memory as (.., colour, site of the colour).
template <class To, class From>
std::vector<To> by_colour(const VectorSetup& setup, const std::vector<From>& from) {
    std::vector<To> to(from.size());
    for_each_by_colour(setup, from.size(), 1, 0, setup.held_planes(),
                       [&](std::size_t i, std::size_t held) { to[held] = static_cast<To>(from[i]); });
    return to;
}

/// Returns spins (state, component, own site) as (state, colour, component, site of the colour). Halo planes
/// get 0.
template <class To>
std::vector<To> spins_by_colour(const VectorSetup& setup, const std::vector<double>& spins) {
    const auto components = static_cast<std::size_t>(setup.components());
    std::vector<To> to(static_cast<std::size_t>(setup.states() * setup.held_sites()) * components);
    for_each_by_colour(setup, spins.size(), components, setup.halo_planes(), setup.own_planes(),
                       [&](std::size_t i, std::size_t held) { to[held] = static_cast<To>(spins[i]); });
    return to;
}

/// Returns spins (state, colour, component, site of the colour) as (state, component, own site).
template <class Spins>
std::vector<double> by_site(const VectorSetup& setup, const Spins& held) {
    const auto components = static_cast<std::size_t>(setup.components());
    std::vector<double> spins(static_cast<std::size_t>(setup.states() * setup.own_sites()) * components);
    for_each_by_colour(setup, spins.size(), components, setup.halo_planes(), setup.own_planes(),
                       [&](std::size_t i, std::size_t at) { spins[i] = static_cast<double>(held[at]); });
    return spins;
}

/// Returns the species of all sites in memory, (realization, site), also if all are a.
inline std::vector<std::uint8_t> species_of_all(const VectorSetup& setup) {
    if (!setup.species.empty()) return setup.species;
    return std::vector<std::uint8_t>(static_cast<std::size_t>(setup.realizations * setup.held_sites()));
}

}  // namespace psflip
