#pragma once

#include <memory>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Holds what a batch of Ising spins with Gaussian couplings leaves after some exchanges and measurements.
struct GaussianFound {
    Spins spins;
    SamplerState state;
    Accumulators sums;
    bool operator==(const GaussianFound&) const = default;
};

/// Returns a setup in three dimensions without field, or in two dimensions with a field. It has two columns
/// of realizations.
inline VectorSetup gaussian_setup(int dimension, Precision precision) {
    VectorSetup setup{.model = gaussian_glass(dimension, dimension == 2 ? 0.3 : 0.0),
                      .L = 4,
                      .realizations = 130,
                      .first_realization = 32,
                      .replicas = 4,
                      .betas = {1.5, 1.0, 0.7, 0.5, 0.3},
                      .seed = 11,
                      .precision = precision};
    draw_disorder(setup);
    return setup;
}

inline Model gaussian_model(const VectorSetup& setup) {
    return {.dimension = setup.dimension(), .field = setup.model.field, .gaussian = true};
}

/// Returns a batch that refers to `setup`.
inline BatchSetup gaussian_batch(const BackendChoice& choice, const VectorSetup& setup, VectorUpdate update) {
    const Shape shape{.L = setup.L,
                      .replicas = setup.replicas,
                      .temperatures = setup.slots(),
                      .realizations = setup.realizations,
                      .first_realization = setup.first_realization,
                      .share = 1,
                      .dimension = setup.dimension()};
    return {.choice = choice,
            .shape = shape,
            .betas = setup.betas,
            .seed = setup.seed,
            .sweeps_per_swap = 3,
            .model = gaussian_model(setup),
            .vectors = &setup,
            .program = {update}};
}

inline GaussianFound gaussian_run(const BackendChoice& choice, const VectorSetup& setup,
                                  VectorUpdate update) {
    const auto sampler = make_sampler(gaussian_batch(choice, setup, update));
    sampler->ensemble().set_held_spins(random_held_spins(sampler->ensemble().shape(), setup));
    const auto measurement = make_measurement(*sampler, 2, 10, true);
    for (int i = 0; i < 8; ++i) {
        sampler->advance(6 * i, 6 * i + 6);
        measurement->measure(i / 4);
    }
    return {sampler->ensemble().held_spins(), sampler->state(), measurement->accumulators()};
}

}  // namespace psflip
