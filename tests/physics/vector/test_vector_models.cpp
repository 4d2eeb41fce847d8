#include <doctest/doctest.h>

#include <random>

#include "vector_averages.hpp"

using namespace psflip;
using namespace psflip::physics;

namespace {

/// Mean energy per site of independent periodic L^3 lattices with the energy -sum [a (S^x S^x + S^z S^z) + b
/// S^y S^y] over bonds, by Metropolis with the standard library's numbers.
Mean xxz_energy(int L, double a, double b, double beta, int lattices) {
    std::vector<double> energies;
    const int sites = L * L * L;
    for (int lattice = 0; lattice < lattices; ++lattice) {
        std::mt19937_64 engine(static_cast<std::uint64_t>(lattice));
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        const auto direction = [&] {
            std::array<double, 3> s{normal(engine), normal(engine), normal(engine)};
            const double length = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
            for (double& x : s) x /= length;
            return s;
        };
        std::vector<std::array<double, 3>> spins(static_cast<std::size_t>(sites));
        for (auto& s : spins) s = direction();
        const auto field = [&](int site) {
            std::array<double, 3> f{};
            for (int stride = 1; stride < sites; stride *= L)
                for (int step : {1, L - 1}) {
                    const int at = site / stride % L, to = site + ((at + step) % L - at) * stride;
                    for (int k = 0; k < 3; ++k)
                        f[k] += (k == 1 ? b : a) * spins[static_cast<std::size_t>(to)][k];
                }
            return f;
        };
        const auto dot = [](const auto& s, const auto& f) { return s[0] * f[0] + s[1] * f[1] + s[2] * f[2]; };
        double sum = 0;
        constexpr int thermalize = 300, measurements = 700;
        for (int sweep = 0; sweep < thermalize + measurements; ++sweep)
            for (int site = 0; site < sites; ++site) {
                const auto f = field(site), proposed = direction();
                auto& s = spins[static_cast<std::size_t>(site)];
                if (uniform(engine) < std::exp(beta * (dot(proposed, f) - dot(s, f)))) s = proposed;
                if (sweep >= thermalize) sum -= 0.5 * dot(s, f);
            }
        energies.push_back(sum / (double{measurements} * sites));
    }
    return mean_of(energies);
}

ModelSection twisted(double J, double D, DmPattern pattern) {
    ModelSection model = heisenberg({.exchange = {J, J, J}, .dm_pattern = pattern});
    model.dm = {D, D, D};
    return model;
}

}  // namespace

TEST_CASE("alternating Dzyaloshinskii-Moriya vectors make an XXZ model") {
    const double J = 0.8, D = 0.6, beta = 0.8;  // sqrt(J^2 + D^2) = 1
    const Mean wanted = xxz_energy(4, 1.0, J, beta, 64);
    for (Precision precision : {Precision::single, Precision::twofold}) {
        const VectorSetup setup{.model = twisted(J, D, DmPattern::alternating),
                                .L = 4,
                                .realizations = 256,
                                .betas = {beta},
                                .precision = precision};
        const Mean found = averages(setup, {.updates = {heat_bath, over_relaxation}, .measurements = 1000},
                                    {[](const VectorSums& sums) { return sums.energy() / 64; }})[0][0];
        INFO(found.value << " +- " << found.error << ", XXZ " << wanted.value << " +- " << wanted.error);
        CHECK(distance(found, wanted) < far);
        CHECK(found.error < 0.002);
        CHECK(wanted.error < 0.01);
    }
}

TEST_CASE("constant Dzyaloshinskii-Moriya vectors make the same model with open boundaries") {
    std::vector<Mean> energies;
    for (DmPattern pattern : {DmPattern::alternating, DmPattern::constant}) {
        ModelSection model = twisted(0.8, 0.6, pattern);
        model.boundary = Boundary::open;
        const VectorSetup setup{.model = model, .L = 4, .realizations = 256, .betas = {1.0}};
        energies.push_back(averages(setup, {.updates = {heat_bath, over_relaxation}, .measurements = 1000},
                                    {[](const VectorSums& sums) { return sums.energy() / 64; }})[0][0]);
    }
    CHECK(distance(energies[0], energies[1]) < far);
    CHECK(energies[0].error < 0.002);
}

TEST_CASE(
    "the antiferromagnet has the ferromagnet's energy, and its magnetisation as staggered magnetisation") {
    std::vector<std::vector<std::vector<Mean>>> found;
    for (double J : {1.0, -1.0}) {
        const VectorSetup setup{
            .model = heisenberg({.exchange = {J, J, J}}), .L = 6, .realizations = 64, .betas = {0.8}};
        const auto squared = [J](const VectorSums& sums) {
            const auto m = sums.total(J < 0);
            return (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / (216.0 * 216.0);
        };
        found.push_back(averages(setup, {.updates = {heat_bath, over_relaxation}, .measurements = 500},
                                 {[](const VectorSums& sums) { return sums.energy() / 216; }, squared}));
    }
    for (int o = 0; o < 2; ++o) {
        CHECK(distance(found[0][o][0], found[1][o][0]) < far);
        CHECK(found[0][o][0].error < 0.01);
    }
}

TEST_CASE("all updates have the same equilibrium, in float and in double") {
    VectorSetup setup{.model = heisenberg(), .L = 4, .realizations = 256, .betas = {1.2, 0.693}};
    const Observable energy = [](const VectorSums& sums) { return sums.energy() / 64; };
    const auto wanted = averages(setup, {.updates = {heat_bath}, .measurements = 800}, {energy})[0];
    const auto check = [&](const Schedule& schedule) {
        const auto found = averages(setup, schedule, {energy})[0];
        for (std::size_t slot = 0; slot < 2; ++slot) {
            INFO(std::string(name(schedule.updates[0]))
                 << ": " << found[slot].value << " +- " << found[slot].error);
            CHECK(distance(found[slot], wanted[slot]) < far);
            CHECK(found[slot].error < 0.003);
        }
    };
    for (Precision precision : {Precision::single, Precision::twofold}) {
        setup.precision = precision, setup.seed = 1;  // numbers that `wanted` does not use
        for (VectorUpdate update : {metropolis, cone, heat_bath}) {
            check({.updates = {update}, .measurements = 800, .width = 0.5});
            check({.updates = {update, over_relaxation}, .measurements = 800, .width = 0.5});
        }
    }
}

TEST_CASE("Gaussian couplings of Ising spins obey e = -(beta z / 2) (1 - q_link)") {
    for (VectorUpdate update : {metropolis, heat_bath}) {
        VectorSetup setup{.model = gaussian_glass(),
                          .L = 4,
                          .realizations = 400,
                          .replicas = 2,
                          .betas = {0.8, 0.5},
                          .seed = 3};
        draw_disorder(setup);
        const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 2}, setup);
        ensemble->set_spins(random_spins(setup));
        const std::int64_t pairs = setup.realizations * setup.slots();
        std::vector<double> difference(static_cast<std::size_t>(pairs));  // (slot, realization)
        double energies = 0;
        constexpr int measurements = 100;
        const auto link = [&](const double* a, const double* b) {
            double sum = 0;
            for (int site = 0; site < 64; ++site)
                for (int stride : {1, 4, 16}) {
                    const int at = site / stride % 4, to = site + ((at + 1) % 4 - at) * stride;
                    sum += a[site] * a[to] * b[site] * b[to];
                }
            return sum / 192;
        };
        ensemble->sweep(update, 0, 2000);
        for (int i = 0; i < measurements; ++i) {
            ensemble->sweep(update, 2000 + 10 * i, 10);
            const auto spins = ensemble->spins();
            const auto sums = ensemble->sums();
            for (std::int64_t p = 0; p < pairs; ++p) {
                const auto k = static_cast<std::size_t>(p), other = static_cast<std::size_t>(p + pairs);
                const double energy = (sums[k].energy() + sums[other].energy()) / 128;
                const double beta = setup.betas[k / 400];
                difference[k] += energy + 3 * beta * (1 - link(&spins[64 * k], &spins[64 * other]));
                energies += energy / (measurements * static_cast<double>(pairs));
            }
        }
        for (std::size_t slot = 0; slot < 2; ++slot) {
            std::vector<double> of(difference.begin() + 400 * slot, difference.begin() + 400 * (slot + 1));
            for (double& x : of) x /= measurements;
            const Mean mean = mean_of(of);
            INFO(std::string(name(update))
                 << ", beta " << setup.betas[slot] << ": " << mean.value << " +- " << mean.error);
            CHECK(distance(mean, {}) < far);
            CHECK(mean.error < 0.02);
        }
        CHECK(energies < -1.0);
    }
}
