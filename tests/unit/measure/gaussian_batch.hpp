#pragma once

#include <memory>
#include <vector>

#include "evolution/vector_tempering.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// What a batch of Ising spins with Gaussian couplings is after some exchanges and measurements.
struct GaussianFound {
    std::vector<std::uint64_t> spins;
    TemperingState tempering;
    Accumulators sums;
    bool operator==(const GaussianFound&) const = default;
};

/// In space without a field, or in the plane in one; two columns of realizations.
inline VectorSetup gaussian_setup(int dimension, Precision precision) {
    VectorSetup setup{.model = GaussianGlass{dimension, dimension == 2 ? 0.3 : 0.0},
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
    const GaussianGlass& of = std::get<GaussianGlass>(setup.model);
    return {.dimension = of.dimension, .field = of.field, .gaussian = true};
}

inline GaussianFound gaussian_run(const BackendChoice& choice, const VectorSetup& setup,
                                  VectorUpdate update) {
    const Shape shape{.L = setup.L,
                      .replicas = setup.replicas,
                      .temperatures = setup.slots(),
                      .realizations = setup.realizations,
                      .first_realization = setup.first_realization,
                      .share = 1,
                      .dimension = setup.dimension()};
    VectorTempering tempering(
        std::make_unique<VectorBatch>(choice, shape, setup, gaussian_model(setup), VectorProgram{update}), 3);
    tempering.ensemble().set_spins(random_vector_words(shape, setup));
    const auto measurement = make_measurement(tempering, 2, 10, true);
    for (int i = 0; i < 8; ++i) {
        tempering.advance(6 * i, 6 * i + 6);
        measurement->measure(i / 4);
    }
    return {tempering.ensemble().spins(), tempering.state(), measurement->accumulators()};
}

}  // namespace psflip
