#pragma once

#include <string>
#include <vector>

#include "sweep/vector/vector_ensemble.hpp"

namespace psflip {

/// Holds a setup and the updates that are applied to it one after the other.
struct VectorCase {
    std::string name;
    VectorSetup setup;
    std::vector<VectorUpdate> updates;
};

/// Returns cases of all kinds of terms, boundaries and sizes, in one precision, with disorder. Rows fill
/// whole registers or parts of them, or a register has several states.
inline std::vector<VectorCase> vector_cases(Precision precision) {
    using enum VectorUpdate;
    const std::vector<VectorUpdate> linear{metropolis, cone, heat_bath, over_relaxation};
    ModelSection ferromagnet = heisenberg(), perovskite = ferromagnet, spiral = ferromagnet, open;
    perovskite.exchange = {-1.0, -0.6, -0.3};
    perovskite.dm_pattern = DmPattern::alternating;
    perovskite.dm = {0.1, -0.2, 0.05};
    perovskite.anisotropy = {0.07, 0.03};
    perovskite.field = 0.4;
    perovskite.moments = {1.0, 0.6};
    perovskite.concentration = 0.4;
    spiral.dimension = 2;
    spiral.dm_pattern = DmPattern::constant;
    spiral.dm = {0.5, 0.5, 0.5};
    spiral.dm_axis = {1.0, -2.0, 0.5};
    spiral.field = -0.3;
    open = perovskite;
    open.boundary = Boundary::open;
    ModelSection plane = heisenberg();
    plane.dimension = 2, plane.boundary = Boundary::open;
    std::vector<VectorCase> cases;
    const auto add = [&](const std::string& name, const ModelSection& model, int L, std::int64_t realizations,
                         int replicas, std::vector<double> betas, std::vector<VectorUpdate> updates) {
        VectorSetup setup{.model = model,
                          .L = L,
                          .realizations = realizations,
                          .first_realization = 5,
                          .replicas = replicas,
                          .betas = std::move(betas),
                          .seed = 7,
                          .precision = precision};
        draw_disorder(setup);
        check_setup(setup);
        cases.push_back({name, setup, std::move(updates)});
    };
    add("ferromagnet L 2", ferromagnet, 2, 3, 2, {0.3, 1.0}, linear);
    add("ferromagnet L 6", ferromagnet, 6, 3, 2, {2.0, 0.7, 0.1}, linear);
    add("ferromagnet L 32", ferromagnet, 32, 1, 1, {0.693}, {metropolis});
    add("open plane L 36", plane, 36, 1, 1, {1.5}, linear);
    add("spiral L 10", spiral, 10, 2, 1, {1.0, 0.5}, linear);
    add("perovskite L 4", perovskite, 4, 20, 1, {3.0, 1.0}, {metropolis, cone});
    add("open perovskite L 8", open, 8, 2, 2, {1.0}, {cone, metropolis});
    open.anisotropy = {0.0, 0.0};
    add("open without anisotropy L 4", open, 4, 3, 2, {1.0, 0.9}, linear);
    add("Gaussian glass L 6", gaussian_glass(3, 0.2), 6, 3, 2, {1.0, 0.6}, {metropolis, heat_bath});
    add("Gaussian glass in the plane L 8", gaussian_glass(2, 0.0), 8, 9, 1, {0.8}, {metropolis, heat_bath});
    VectorCase glass = cases.back();
    glass.name = "Heisenberg glass L 8", glass.updates = linear;
    glass.setup.model = heisenberg({.dimension = 2, .field = 0.1});
    cases.push_back(glass);
    return cases;
}

/// Returns cases with tiles: all kinds of terms that periodic lattices have, tiles of one and of several
/// groups of threads, one hit and several, in all orders of the tiles.
inline std::vector<VectorCase> tiled_cases(Precision precision) {
    using enum VectorUpdate;
    const std::vector<VectorUpdate> linear{metropolis, cone, heat_bath, over_relaxation};
    ModelSection plane = heisenberg(), spiral = heisenberg(), perovskite = heisenberg();
    plane.dimension = 2;
    spiral.dimension = 2;
    spiral.dm_pattern = DmPattern::constant;
    spiral.dm = {0.5, 0.5, 0.5};
    spiral.dm_axis = {1.0, -2.0, 0.5};
    spiral.field = -0.3;
    perovskite.exchange = {-1.0, -0.6, -0.3};
    perovskite.dm_pattern = DmPattern::alternating;
    perovskite.dm = {0.1, -0.2, 0.05};
    perovskite.anisotropy = {0.07, 0.03};
    perovskite.field = 0.4;
    perovskite.concentration = 0.4;
    std::vector<VectorCase> cases;
    const auto add = [&](const std::string& name, const ModelSection& model, int L, int tile, int hits,
                         std::vector<VectorUpdate> updates, std::int64_t realizations = 1) {
        for (const TileOrder order : {TileOrder::fixed, TileOrder::alternating, TileOrder::reversed}) {
            VectorSetup setup{.model = model,
                              .L = L,
                              .realizations = realizations,
                              .first_realization = 5,
                              .replicas = 2,
                              .betas = {1.5, 0.7},
                              .seed = 7,
                              .precision = precision,
                              .tile = tile,
                              .hits = hits,
                              .tile_order = order};
            draw_disorder(setup);
            check_setup(setup);
            cases.push_back(
                {name + ", tile " + std::to_string(tile) + ", " + psflip::name(order), setup, updates});
        }
    };
    add("plane L 16", plane, 16, 8, 3, linear, 3);
    add("plane L 48", plane, 48, 8, 1, linear);
    add("plane L 64", plane, 64, 16, 2, linear);
    add("plane L 64", plane, 64, 32, 2, {metropolis, heat_bath});
    add("plane L 128", plane, 128, 64, 1, {metropolis});
    add("spiral L 32", spiral, 32, 16, 2, linear);
    add("ferromagnet L 16", heisenberg(), 16, 8, 3, linear);
    add("perovskite L 16", perovskite, 16, 8, 2, {metropolis, cone}, 3);
    add("Gaussian glass L 16", gaussian_glass(3, 0.2), 16, 8, 2, {metropolis, heat_bath}, 3);
    add("Gaussian glass in the plane L 32", gaussian_glass(2, 0.0), 32, 16, 2, {metropolis, heat_bath}, 3);
    const std::size_t gaussian = cases.size() - 3;
    for (std::size_t i = gaussian; i < gaussian + 3; ++i) {
        VectorCase glass = cases[i];
        glass.name = "Heisenberg glass L 32", glass.updates = linear;
        glass.setup.model = heisenberg({.dimension = 2, .field = 0.1});
        cases.push_back(glass);
    }
    return cases;
}

/// Returns widths of cones for a setup; some are narrow.
inline std::vector<double> some_widths(const VectorSetup& setup) {
    std::vector<double> widths;
    for (std::int64_t i = 0; i < setup.states(); ++i)
        widths.push_back(2.0 / static_cast<double>(1 + 3 * setup.slot(i) + setup.realization(i)));
    return widths;
}

/// Return other temperatures for a setup, and another field of smaller absolute value.
inline std::vector<double> other_betas(const VectorSetup& setup) {
    std::vector<double> betas = setup.betas;
    for (double& beta : betas) beta *= 1.3;
    return betas;
}
inline double other_field(const VectorSetup& setup) {
    return -0.5 * setup.model.field;
}

/// Returns pairs of states: (0, n - 1), (2, n - 3), ... for n states.
inline std::vector<StatePair> some_pairs(const VectorSetup& setup) {
    std::vector<StatePair> pairs;
    const auto states = static_cast<std::uint32_t>(setup.states());
    for (std::uint32_t i = 0; i < states / 2; i += 2) pairs.push_back({i, states - 1 - i});
    return pairs;
}

/// Returns canonical spins after an exchange of some_pairs.
inline std::vector<double> with_swapped(std::vector<double> spins, const VectorSetup& setup) {
    const auto numbers = static_cast<std::ptrdiff_t>(setup.components() * setup.sites());
    for (const StatePair& pair : some_pairs(setup)) {
        const auto first = spins.begin() + pair.first * numbers;
        std::swap_ranges(first, first + numbers, spins.begin() + pair.second * numbers);
    }
    return spins;
}

/// Returns the own planes of a slab from spins (.., z, y, x) of whole lattices.
inline std::vector<double> own_spins_of(const VectorSetup& slab, const std::vector<double>& whole) {
    std::vector<double> own;
    const std::int64_t plane = std::int64_t{slab.L} * slab.L;
    for (std::int64_t lattice = 0; lattice < std::ssize(whole); lattice += slab.sites()) {
        const auto first = whole.begin() + lattice + slab.first_plane * plane;
        own.insert(own.end(), first, first + slab.own_sites());
    }
    return own;
}

}  // namespace psflip
