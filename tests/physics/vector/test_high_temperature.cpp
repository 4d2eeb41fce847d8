#include <doctest/doctest.h>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// The logarithm of the sum over states of a site of the periodic cubic lattice, up to K^7. u = coth K - 1/K
/// is what a bond carries of a vector; a closed polygon of n bonds gives 3 u^n (the sum over components), and
/// there are 3 polygons of four bonds and 22 of six for each site.
double log_sum(double K) {
    const double u = langevin(K);
    return 3 * std::log(std::sinh(K) / K) + 3 * 3 * std::pow(u, 4) + 22 * 3 * std::pow(u, 6);
}

/// Energy per site in units of |J|.
double series(double K) {
    const double e = 1e-4;
    return -(log_sum(K + e) - log_sum(K - e)) / (2 * e);
}

}  // namespace

TEST_CASE("energies of the cubic lattice follow the series of high temperatures") {
    // Polygons of six bonds make 0.0012 at K = 0.3, of four 0.011; what comes behind them less than 0.0003.
    const std::vector<double> couplings{0.3, 0.2, 0.1};
    for (double J : {1.0, -1.0})
        for (VectorUpdate update : {heat_bath, metropolis}) {
            const VectorSetup setup{.model = heisenberg({.exchange = {J, J, J}}),
                                    .L = 8,
                                    .realizations = 64,
                                    .betas = couplings,
                                    .seed = 5};
            const auto found = averages(setup, {.updates = {update}, .thermalize = 50, .measurements = 3000},
                                        {[](const VectorSums& sums) { return sums.energy() / 512; }})[0];
            for (std::size_t slot = 0; slot < couplings.size(); ++slot) {
                const double K = couplings[slot], left_out = 1.5 * std::pow(K, 7);
                INFO("J " << J << ", " << std::string(name(update)) << ", K " << K << ": "
                          << found[slot].value << " +- " << found[slot].error << ", series " << series(K));
                CHECK(std::abs(found[slot].value - series(K)) < far * found[slot].error + left_out);
                CHECK(found[slot].error < 0.0002);
            }
        }
}
