#include <doctest/doctest.h>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// Returns the logarithm of the sum over states of a site of a periodic lattice, up to K^7. u = coth K - 1/K
/// is what a bond carries of a vector. A closed polygon of n bonds gives 3 u^n (the sum over components). The
/// square lattice has 1 polygon of four bonds and 2 of six for each site, and the cubic lattice 3 and 22.
double log_sum(double K, int dimension) {
    const double u = langevin(K), squares = dimension == 3 ? 3 : 1, hexagons = dimension == 3 ? 22 : 2;
    return dimension * std::log(std::sinh(K) / K) + squares * 3 * std::pow(u, 4) +
           hexagons * 3 * std::pow(u, 6);
}

/// Returns the energy per site in units of |J|.
double series(double K, int dimension) {
    const double e = 1e-4;
    return -(log_sum(K + e, dimension) - log_sum(K - e, dimension)) / (2 * e);
}

/// Compares energies with the series, for ferromagnets and antiferromagnets.
void check_series(VectorSetup setup, VectorUpdate update, int measurements, double max_error) {
    const double sites = static_cast<double>(setup.sites());
    for (double J : {1.0, -1.0}) {
        setup.model.exchange = {J, J, J};
        const auto found =
            averages(setup, {.updates = {update}, .thermalize = 50, .measurements = measurements},
                     {[=](const VectorSums& sums) { return sums.energy() / sites; }})[0];
        for (std::size_t slot = 0; slot < setup.betas.size(); ++slot) {
            const double K = setup.betas[slot], wanted = series(K, setup.dimension()),
                         left_out = 1.5 * std::pow(K, 7);
            INFO("J " << J << ", " << std::string(name(update)) << ", tile " << setup.tile << ", K " << K
                      << ": " << found[slot].value << " +- " << found[slot].error << ", series " << wanted);
            CHECK(std::abs(found[slot].value - wanted) < far * found[slot].error + left_out);
            CHECK(found[slot].error < max_error);
        }
    }
}

}  // namespace

TEST_CASE("energies of the cubic lattice follow the series of high temperatures") {
    // Polygons of six bonds make 0.0012 at K = 0.3, of four 0.011; what comes behind them less than 0.0003.
    for (VectorUpdate update : {heat_bath, metropolis})
        check_series({.model = heisenberg(), .L = 8, .realizations = 64, .betas = {0.3, 0.2, 0.1}, .seed = 5},
                     update, 3000, 0.0002);
}

TEST_CASE("energies with tiles and hits follow the series of high temperatures") {
    for (const auto& [dimension, order] : {std::pair{2, TileOrder::reversed}, {3, TileOrder::fixed}})
        for (VectorUpdate update : {heat_bath, metropolis})
            check_series({.model = heisenberg({.dimension = dimension}),
                          .L = dimension == 3 ? 16 : 32,
                          .realizations = dimension == 3 ? 16 : 64,
                          .betas = {0.3, 0.2},
                          .seed = 5,
                          .tile = 8,
                          .hits = 3,
                          .tile_order = order},
                         update, 250, 0.0004);
}
