#include <doctest/doctest.h>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// Sublattices of even and odd x + y + z with spins a and b.
std::vector<double> two_sublattices(const VectorSetup& setup, const std::array<double, 3>& a,
                                    const std::array<double, 3>& b) {
    std::vector<double> spins;
    for (std::int64_t state = 0; state < setup.states(); ++state)
        for (int k = 0; k < 3; ++k)
            for (int z = 0; z < setup.L; ++z)
                for (int y = 0; y < setup.L; ++y)
                    for (int x = 0; x < setup.L; ++x) spins.push_back((x + y + z) % 2 == 0 ? a[k] : b[k]);
    return spins;
}

}  // namespace

TEST_CASE("at low temperature the specific heat tends to 1 for each spin, less the turn of all") {
    // 2 N directions, of which two turn all spins alike and cost nothing: E = E_0 + (N - 1) T.
    const VectorSetup setup{.model = heisenberg(), .L = 4, .realizations = 64, .betas = {1 / 0.01, 1 / 0.02}};
    const auto start = two_sublattices(setup, {0, 0, 1}, {0, 0, 1});
    for (VectorUpdate update : {heat_bath, cone}) {
        const auto energy =
            averages(setup, {.updates = {update}, .thermalize = 1000, .measurements = 2000, .width = 0.01},
                     {[](const VectorSums& sums) { return sums.energy() / 64; }}, &start)[0];
        const Mean heat{(energy[1].value - energy[0].value) / 0.01,
                        (energy[1].error + energy[0].error) / 0.01};
        INFO(std::string(name(update)) << ": " << heat.value << " +- " << heat.error);
        CHECK(std::abs(heat.value - 63.0 / 64) < far * heat.error + 0.01);  // further terms of T: 0.005
        CHECK(heat.error < 0.005);
    }
}

TEST_CASE("alternating Dzyaloshinskii-Moriya vectors turn the sublattices against each other at T = 0") {
    ModelSection model = heisenberg({.exchange = {1.0, 1.0, 1.0}, .dm_pattern = DmPattern::alternating});
    model.dm = {0.75, 0.75, 0.75};
    const VectorSetup setup{
        .model = model, .L = 4, .realizations = 8, .betas = {1e5}, .precision = Precision::twofold};
    const auto start = two_sublattices(setup, {0, 0, 1}, {0, 0, 1});
    const auto energy = averages(setup, {.updates = {heat_bath, over_relaxation}, .thermalize = 3000},
                                 {[](const VectorSums& sums) { return sums.energy() / 64; }}, &start)[0][0];
    CHECK(std::abs(energy.value + 3 * 1.25) < 2e-5);
}

TEST_CASE("the canted antiferromagnet has its angle at T = 0") {
    // A = (cos t, 0, sin t), B = (-cos t, 0, sin t): per site 3 (-|J| cos 2t + D sin 2t) - K cos^2 t - h sin
    // t.
    const double J = 1.0, K = 0.1;
    for (double D : {0.1, -0.2})
        for (double h : {0.3, 0.0}) {
            ModelSection model = heisenberg({.exchange = {-J, -J, -J}, .dm_pattern = DmPattern::alternating});
            model.dm = {D, D, D};
            model.anisotropy = {K, K};
            model.field = h;
            const VectorSetup setup{
                .model = model, .L = 4, .realizations = 8, .betas = {1e5}, .precision = Precision::twofold};
            const auto energy_at = [&](double t) {
                return 3 * (-J * std::cos(2 * t) + D * std::sin(2 * t)) - K * std::cos(t) * std::cos(t) -
                       h * std::sin(t);
            };
            double t = 0;
            for (double step = 0.1; step > 1e-9; step /= 2)
                while (energy_at(t + step) < energy_at(t) || energy_at(t - step) < energy_at(t))
                    t += energy_at(t + step) < energy_at(t) ? step : -step;
            CHECK(std::abs(t - (h - 6 * D) / (12 * J + 2 * K)) < 0.01);  // for small angles
            const auto start = two_sublattices(setup, {1, 0, 0}, {-1, 0, 0});
            const auto found =
                averages(setup, {.updates = {cone}, .thermalize = 20000, .measurements = 500, .width = 1e-5},
                         {[](const VectorSums& sums) { return sums.energy() / 64; },
                          [](const VectorSums& sums) { return sums.total()[2] / 64; },
                          [](const VectorSums& sums) { return sums.total(true)[0] / 64; }},
                         &start);
            INFO("D " << D << ", h " << h);
            CHECK(std::abs(found[0][0].value - energy_at(t)) < 2e-5);
            CHECK(std::abs(found[1][0].value - std::sin(t)) < 1e-4);
            CHECK(std::abs(found[2][0].value - std::cos(t)) < 1e-4);
        }
}

TEST_CASE("over-relaxation keeps the energy of a lattice") {
    // Rounding to floats takes up to 3e-9 of a spin's energy with each sweep, most of it near the transition.
    for (Precision precision : {Precision::single, Precision::twofold}) {
        const VectorSetup setup{
            .model = heisenberg(), .L = 8, .realizations = 8, .betas = {0.693}, .precision = precision};
        const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, setup);
        ensemble->set_spins(random_spins(setup));
        ensemble->sweep(heat_bath, 0, 200);
        const auto energy = [&] {
            double sum = 0;
            for (const VectorSums& sums : ensemble->sums()) sum += sums.energy() / (8 * 512);
            return sum;
        };
        const double before = energy();
        ensemble->sweep(over_relaxation, 0, 20000);
        INFO(std::string(name(precision)) << ": " << energy() - before);
        CHECK(std::abs(energy() - before) < (precision == Precision::single ? 2e-4 : 1e-9));
    }
}

TEST_CASE("the lengths of spins do not drift") {
    for (VectorUpdate update : {metropolis, cone, heat_bath, over_relaxation}) {
        const VectorSetup setup{.model = heisenberg(), .L = 8, .betas = {0.693}};
        const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, setup);
        ensemble->set_spins(random_spins(setup));
        ensemble->sweep(update, 0, 20000);
        const std::vector<double> s = ensemble->spins();
        double most = 0;
        for (std::size_t i = 0; i < 512; ++i)
            most = std::max(
                most,
                std::abs(std::sqrt(s[i] * s[i] + s[512 + i] * s[512 + i] + s[1024 + i] * s[1024 + i]) - 1));
        INFO(std::string(name(update)) << ": " << most);
        CHECK(most < 3e-7);
    }
}
