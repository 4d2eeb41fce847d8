#include <doctest/doctest.h>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// Metropolis of both kinds, heat bath, and over-relaxation after each of these.
std::vector<Schedule> all_schedules() {
    std::vector<Schedule> all;
    for (VectorUpdate update : {metropolis, cone, heat_bath})
        for (bool more : {false, true}) {
            Schedule schedule{.updates = {update}, .width = 0.7};
            if (more) schedule.updates.push_back(over_relaxation);
            all.push_back(schedule);
        }
    return all;
}

void check_means(const VectorSetup& setup, const Schedule& schedule,
                 const std::vector<Observable>& observables,
                 const std::function<double(std::size_t observable, double beta)>& exact) {
    INFO(std::string(name(schedule.updates[0]))
         << (schedule.updates.size() > 1 ? " with over-relaxation" : "") << ", "
         << std::string(name(setup.precision)));
    const auto means = averages(setup, schedule, observables);
    for (std::size_t o = 0; o < observables.size(); ++o)
        for (int slot = 0; slot < setup.slots(); ++slot) {
            const double beta = setup.betas[static_cast<std::size_t>(slot)];
            const Mean& found = means[o][static_cast<std::size_t>(slot)];
            INFO("observable " << o << ", beta " << beta << ": " << found.value << " +- " << found.error);
            CHECK(distance(found, {exact(o, beta), 0.0}) < far);
            CHECK(found.error < 0.01);
        }
}

}  // namespace

TEST_CASE("free ions of two species in a field follow Langevin") {
    ModelSection model =
        heisenberg({.field = 1.5, .exchange = {0, 0, 0}, .moments = {1.0, 0.6}, .concentration = 0.5});
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const Schedule& schedule : all_schedules()) {
            if (schedule.updates.size() > 1) continue;  // turns about the field only
            VectorSetup setup{.model = model,
                              .L = 4,
                              .realizations = 64,
                              .betas = {4.0, 1.0, 0.01},
                              .precision = precision};
            for (std::int64_t site = 0; site < 64 * 64; ++site) setup.species.push_back((site >> 1) & 1);
            const auto per_ion = [](int species) {
                return [species](const VectorSums& sums) {
                    return (sums.magnetisation[0][species][2] + sums.magnetisation[1][species][2]) / 32;
                };
            };
            check_means(setup, schedule, {per_ion(0), per_ion(1)}, [&](std::size_t species, double beta) {
                return langevin(beta * model.field * model.moments[species]);
            });
        }
}

TEST_CASE("open chains have coth K - 1/K for each bond") {
    constexpr int L = 8;
    VectorSetup setup{
        .model = heisenberg({.dimension = 2}), .L = L, .realizations = 64, .betas = {3.0, 1.0, 0.2}};
    std::vector<double> J;
    for (int x = 0; x < L; ++x) J.push_back(x == L - 1 ? 0.0 : 0.4 * x - 1.0);
    for (int r = 0; r < 64; ++r)
        for (int d = 0; d < 2; ++d)
            for (int site = 0; site < L * L; ++site)
                setup.couplings.push_back(d == 0 ? J[static_cast<std::size_t>(site % L)] : 0.0);
    for (const Schedule& schedule : all_schedules())
        check_means(setup, schedule, {[](const VectorSums& sums) { return sums.energy() / (L * L); }},
                    [&](std::size_t, double beta) {
                        double sum = 0;
                        for (double j : J)
                            if (j != 0.0) sum -= j * langevin(beta * j);
                        return sum / L;
                    });
}

TEST_CASE("single-ion anisotropy follows its integral") {
    for (double K : {2.0, -2.0})
        for (const Schedule& schedule : all_schedules()) {
            if (schedule.updates[0] == heat_bath || schedule.updates.size() > 1) continue;
            const VectorSetup setup{.model = heisenberg({.exchange = {0, 0, 0}, .anisotropy = {K, K}}),
                                    .L = 4,
                                    .realizations = 64,
                                    .betas = {2.0, 0.5}};
            check_means(setup, schedule,
                        {[&](const VectorSums& sums) { return -sums.anisotropy / (64 * K); }},
                        [&](std::size_t, double beta) {
                            return integral([&](double t) { return t * t * std::exp(beta * K * t * t); }) /
                                   integral([&](double t) { return std::exp(beta * K * t * t); });
                        });
        }
}

TEST_CASE("a dimer with exchange and Dzyaloshinskii-Moriya vector follows its integral") {
    // Only bonds of both species count: two dimers on a plaquette.
    const double J = -0.8, D = 1.1;
    // A turn of one spin about n gives sqrt(J^2 + D^2) across n and J along it; the other spin is integrated.
    const auto log_sum = [](double beta, double j, double d) {
        return std::log(integral([&](double u) {
            const double b = beta * std::sqrt((j * j + d * d) * (1 - u * u) + j * j * u * u);
            return std::sinh(b) / b;
        }));
    };
    for (DmPattern pattern : {DmPattern::constant, DmPattern::alternating})
        for (const Schedule& schedule : all_schedules()) {
            ModelSection model = heisenberg(
                {.dimension = 2, .boundary = Boundary::open, .exchange = {0, J, 0}, .dm_pattern = pattern});
            model.dm = {0, D, 0};
            if (pattern == DmPattern::constant) model.dm_axis = {1, 2, -2};
            VectorSetup setup{.model = model, .L = 2, .realizations = 512, .betas = {3.0, 1.0}};
            for (int r = 0; r < 512; ++r) setup.species.insert(setup.species.end(), {0, 1, 0, 1});
            check_means(setup, schedule,
                        {[](const VectorSums& sums) { return sums.exchange / 2; },
                         [](const VectorSums& sums) { return sums.dm / 2; }},
                        [&](std::size_t term, double beta) {
                            const double e = 1e-4, s = term == 0 ? J : D;
                            const double up = term == 0 ? log_sum(beta, J + e, D) : log_sum(beta, J, D + e);
                            const double down = term == 0 ? log_sum(beta, J - e, D) : log_sum(beta, J, D - e);
                            return -s * (up - down) / (2 * e * beta);
                        });
        }
}

TEST_CASE("four spins on a plaquette follow the sum over angular momenta") {
    // Z = sum_l (2l + 1) lambda_l^4, lambda_l = 1/2 int exp(K t) P_l(t) dt.
    const auto log_sum = [](double K) {
        double sum = 0;
        for (int l = 0; l < 30; ++l)
            sum +=
                (2 * l + 1) *
                std::pow(0.5 * integral([&](double t) { return std::exp(K * t) * std::legendre(l, t); }), 4);
        return std::log(sum);
    };
    for (double J : {1.0, -1.0})
        for (const Schedule& schedule : all_schedules()) {
            const VectorSetup setup{
                .model = heisenberg({.dimension = 2, .boundary = Boundary::open, .exchange = {J, J, J}}),
                .L = 2,
                .realizations = 512,
                .betas = {2.5, 1.0}};
            check_means(setup, schedule, {[](const VectorSums& sums) { return sums.energy(); }},
                        [&](std::size_t, double beta) {
                            const double e = 1e-4, K = beta * J;
                            return -J * (log_sum(K + e) - log_sum(K - e)) / (2 * e);
                        });
        }
}
