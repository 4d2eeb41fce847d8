#pragma once

#include <cstdint>
#include <string>

#include "equal_runs.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "reference/cases.hpp"

/// Returns the end of sweeps and exchanges from a random start, without measurements.
inline RunEnd run_world(const std::string& backend, const psflip::reference::World& world, std::int64_t first,
                        std::int64_t sweeps) {
    const psflip::Shape shape = shape_of(world);
    const auto sampler = psflip::make_ising_sampler({{.backend = backend, .threads = 0, .device = 0},
                                                     shape,
                                                     betas_of(world),
                                                     world.seed,
                                                     couplings(world),
                                                     2,
                                                     model_of(world)});
    sampler->ensemble().set_spins(psflip::random_spins(shape, sampler->ensemble().key()));
    sampler->advance(first, first + sweeps);
    return end_of(*sampler);
}

/// Checks that CPU and GPU leave equal spins and energies after run_world.
inline void check_run(const psflip::reference::World& world, std::int64_t first, std::int64_t sweeps) {
    INFO("L " << world.L << ", dimension " << world.dimension << ", h " << world.field << ", absent "
              << world.p_absent << (world.heat_bath ? ", heat bath" : "") << ", share " << world.share);
    check_equal(run_world("cpu", world, first, sweeps), run_world("cuda", world, first, sweeps));
}

/// Returns a world whose 200 realizations fill one column and part of another.
inline psflip::reference::World two_columns(int dimension, int L, int share) {
    psflip::reference::World world;
    world.dimension = dimension;
    world.L = L;
    world.share = share;
    world.first_realization = 384;
    world.realizations = 200;
    world.replicas = 2;
    world.temperatures = {0.5, 0.8, 1.1, 1.7, 2.6, 3.3, 5.0};
    return world;
}
