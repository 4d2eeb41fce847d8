#include <doctest/doctest.h>

#include <cmath>

#include "statistics/average/disorder_average.hpp"
#include "statistics/student.hpp"
#include "statistics/thermal/thermal_means.hpp"
#include "unit/statistics/made_run.hpp"

using namespace psflip;

namespace {

/// A ferromagnet of 4 x 4 sites at one temperature, two replicas, one realization, four blocks of one
/// measurement each, from M and the energy of the bonds of every replica and block.
RunSums square_run(const std::vector<std::vector<double>>& M, const std::vector<std::vector<double>>& E) {
    RunSums run = zero_run({.kind = ModelKind::ferromagnet, .dimension = 2}, 2, 1, 4, 4, 10);
    run.L = 4;
    for (int b = 0; b < 4; ++b)
        for (int a = 0; a < 2; ++a) {
            const double m = M[a][b] / 16.0, energy = E[a][b], kmin = 0.4 * (a + 1);  // of both axes
            const auto set = [&](Sum sum, double value) { run.blocks[sum][b * 2 + a] = value; };
            set(Sum::energy, energy);
            set(Sum::energy2, energy * energy);
            set(Sum::magnetisation, M[a][b]);
            set(Sum::magnetisation_abs, std::abs(M[a][b]));
            set(Sum::magnetisation2, m * m);
            set(Sum::magnetisation4, m * m * m * m);
            set(Sum::magnetisation_kmin_x, kmin);
            set(Sum::magnetisation2_energy, m * m * energy);
            set(Sum::magnetisation4_energy, m * m * m * m * energy);
            set(Sum::magnetisation_kmin_energy, kmin * energy);
        }
    return run;
}

DisorderSample two_realizations(const Measured& measured) {
    DisorderSample sample;
    sample.L = 4;
    sample.temperature = {2.0};
    sample.realizations = 2;
    sample.measured = measured;
    for (auto& values : sample.values) values = {0.5, 0.5};
    const auto set = [&](Observable o, double a, double b) { sample.values[int(o)] = {a, b}; };
    set("m_abs", 0.5, 0.7);
    set("m2", 0.4, 0.6);
    set("m4", 0.3, 0.5);
    set("m_kmin", 0.09, 0.11);
    return sample;
}

}  // namespace

TEST_CASE("magnetisations of two replicas by hand") {
    const RunSums run =
        square_run({{16, 8, -8, 16}, {-16, -16, 8, 8}}, {{-32, -16, -16, -32}, {-32, -32, -16, -16}});
    const BlockReader reader(run, 16, 0.0);
    const ThermalMeans means = thermal_means(reader);
    const auto mean = [&](Observable o) { return means.mean[int(o)][0]; };
    const auto error = [&](Observable o) { return means.error[int(o)][0]; };
    CHECK(mean("energy") == doctest::Approx(-1.5));  // of 16 sites
    CHECK(mean("m") == doctest::Approx(0.5 * (2.0 - 1.0) / 4.0));
    // block values of m: 1, 0.5, -0.5, 1 and -1, -1, 0.5, 0.5; squares about the means: 1.5 and 2.25
    CHECK(error("m") == doctest::Approx(0.5 * std::sqrt((1.5 + 2.25) / 12.0) * student_factor(6)));
    CHECK(mean("m_abs") == doctest::Approx(0.75));
    CHECK(mean("m2") == doctest::Approx(0.625));
    CHECK(mean("m4") == doctest::Approx(0.5 * (1.0 + 0.0625)));
    CHECK(mean("m_kmin") == doctest::Approx(0.2 * 1.5));  // two axes
    CHECK(error("m_kmin") == doctest::Approx(0.0));
    // beta^2 N (<e^2> - <e>_a <e>_b) with e of 2, 1, 1, 2 and 2, 2, 1, 1
    CHECK(mean("specific_heat") == doctest::Approx(0.25 * 16.0 * (2.5 - 2.25)));
    // m^2 of 1, 1/4, 1/4, 1 with E of -32, -16, -16, -32: <m^2 E> - <m^2><E> = -3, C_4 = -1, C_2 = 0; of 1,
    // 1, 1/4, 1/4 with E of -32, -32, -16, -16 the same but C_2 = -3. So 3 - (2 * 0 + 1) = 2 and 3 - (2 * -3
    // + 1) = 8. m^4: -3.75, C_4 = -1.25, C_2 = 0 and -3.75, so 2.5 and 10. A constant has no slope.
    CHECK(mean("m2_dbeta") == doctest::Approx(5.0));
    CHECK(mean("m4_dbeta") == doctest::Approx(6.25));
    CHECK(mean("m_kmin_dbeta") == doctest::Approx(0.0));
    // block means of m^2 E - m^2 <E> - <m^2> E + ...: 12 - ..., all equal in size; their mean over replicas
    CHECK(error("m2_dbeta") == doctest::Approx(0.0));
    CHECK(std::isnan(mean("q2")));
    CHECK(means.tau_order[0] > 0.0);
    const EquilibrationTest test = test_equilibration(run, 4, 4.0);
    CHECK(test.dof_order[0] > 0);
}

TEST_CASE("links per present bond") {
    RunSums run = zero_run({}, 2, 2, 1, 2, 5);
    run.bonds = {24.0, 12.0};
    run.blocks[Sum::link] = {12.0, 12.0};
    run.blocks[Sum::link2] = {288.0, 72.0};
    run.blocks[Sum::overlap2_link] = {24.0, 24.0};
    const BlockReader reader(run, run.blocks);
    CHECK(reader.sums(Sum::link, 0, 0)[0] == doctest::Approx(0.5));
    CHECK(reader.sums(Sum::link, 0, 1)[0] == doctest::Approx(1.0));
    CHECK(reader.sums(Sum::link2, 0, 0)[0] == doctest::Approx(0.5));
    CHECK(reader.sums(Sum::link2, 0, 1)[0] == doctest::Approx(0.5));
    CHECK(reader.sums(Sum::overlap2_link, 0, 1)[0] == doctest::Approx(2.0));
    CHECK(bin_means(run, run.blocks, Sum::link) == std::vector<double>{0.25, 0.5});
}

TEST_CASE("averages of the magnetisation in two and three dimensions") {
    for (const int d : {2, 3}) {
        const DisorderSample sample =
            two_realizations(measured_of({.kind = ModelKind::ferromagnet, .dimension = d}, false));
        const auto of = [&](Average a) { return disorder_average(sample, a)[0]; };
        const double N = std::pow(4, d);
        CHECK(of("m_abs").value == doctest::Approx(0.6));
        CHECK(of("m_abs").error == doctest::Approx(0.1));
        CHECK(of("m2").value == doctest::Approx(0.5));
        CHECK(of("binder_m").value == doctest::Approx(0.5 * (3.0 - 0.4 / 0.25)));
        // without one realization: (3 - 0.5 / 0.36) / 2 and (3 - 0.3 / 0.16) / 2
        CHECK(of("binder_m").error == doctest::Approx(0.25 * (0.3 / 0.16 - 0.5 / 0.36)));
        CHECK(of("chi_m").value == doctest::Approx(N / 2.0 * (0.5 - 0.36)));
        CHECK(of("chi_m").error == doctest::Approx(N / 2.0 * 0.5 * (0.15 - 0.11)));
        CHECK(of("chi_m_total").value == doctest::Approx(N * 0.5));
        CHECK(of("xi_m_over_L").value == doctest::Approx(2.0 / (8.0 * std::sin(M_PI / 4.0))));
    }
}

TEST_CASE("noise that realizations share, of the susceptibility") {
    DisorderSample sample = two_realizations(measured_of({.kind = ModelKind::ferromagnet}, false));
    const Estimate alone = disorder_average(sample, "chi_m")[0];
    CHECK(shared_error(sample, "chi_m").empty());
    sample.shared[Observable("m2")] = {0.04};
    sample.shared[Observable("m_abs")] = {0.02};
    sample.shared_pair[4] = {0.01};
    // S = a a S11 + 2 a b S12 + b b S22, a = N / T, b = -2 m_abs N / T
    const double a = 32.0, b = -2.0 * 0.6 * a, S = a * a * 0.04 + 2.0 * a * b * 0.01 + b * b * 0.02;
    CHECK(shared_error(sample, "chi_m")[0] == doctest::Approx(0.5 * std::sqrt(S)));
    CHECK(disorder_average(sample, "chi_m")[0].error ==
          doctest::Approx(std::hypot(alone.error, 0.5 * std::sqrt(S))));
    CHECK(shared_error(sample, "chi_m_total")[0] == doctest::Approx(64.0 * 0.5 * 0.2));
}
