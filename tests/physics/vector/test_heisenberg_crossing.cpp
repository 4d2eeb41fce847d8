#include <doctest/doctest.h>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// Above, at and below the critical coupling of the cubic ferromagnet, K_c = 0.6929(1) (Peczak, Ferrenberg,
/// Landau, as quoted by Holm, Janke, hep-lat/9211053).
const std::vector<double> couplings{0.73, 0.6930, 0.66};

/// Binder's ratio 1 - <m^4> / (3 <m^2>^2) at these.
std::vector<Mean> binder_ratios(int L) {
    constexpr int parts = 8;
    std::vector<std::vector<double>> ratios(couplings.size());
    for (int part = 0; part < parts; ++part) {
        VectorSetup setup{.model = heisenberg(), .L = L, .realizations = L == 8 ? 24 : 8, .betas = couplings};
        setup.seed = static_cast<std::uint64_t>(part);
        const double sites = static_cast<double>(setup.sites());
        const Observable square = [sites](const VectorSums& sums) {
            const auto m = sums.total();
            return (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / (sites * sites);
        };
        const Observable fourth = [&](const VectorSums& sums) { return square(sums) * square(sums); };
        Schedule schedule{.updates = {heat_bath}, .thermalize = 400, .measurements = 1000};
        schedule.updates.resize(4, over_relaxation);
        const auto found = averages(setup, schedule, {square, fourth});
        for (std::size_t slot = 0; slot < couplings.size(); ++slot)
            ratios[slot].push_back(1 - found[1][slot].value / (3 * std::pow(found[0][slot].value, 2)));
    }
    std::vector<Mean> means;
    for (const auto& of : ratios) means.push_back(mean_of(of));
    return means;
}

}  // namespace

TEST_SUITE_BEGIN("long");

TEST_CASE("Binder's ratio of the ferromagnet crosses at the published critical coupling") {
    const auto small = binder_ratios(8), large = binder_ratios(16);
    for (std::size_t slot = 0; slot < couplings.size(); ++slot)
        MESSAGE("K " << couplings[slot] << ": L = 8 " << small[slot].value << " +- " << small[slot].error
                     << ", L = 16 " << large[slot].value << " +- " << large[slot].error);
    CHECK(large[0].value - small[0].value > 0.01);
    CHECK(std::abs(large[1].value - small[1].value) < 0.003);  // scaling corrections: 0.0015
    CHECK(large[1].error < 0.001);
    CHECK(small[2].value - large[2].value > 0.02);
}

TEST_SUITE_END();
