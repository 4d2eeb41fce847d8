#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "statistics/average/campaign.hpp"
#include "statistics/reduce/results_csv.hpp"
#include "statistics/student.hpp"
#include "statistics/thermal/thermal_means.hpp"

using namespace psflip;

namespace {

/// A ferromagnet of 4 x 4 sites at one temperature, two replicas, one realization, four blocks of one
/// measurement each, from M and the energy of the bonds of every replica and block.
RunSums square_run(const std::vector<std::vector<double>>& M, const std::vector<std::vector<double>>& E) {
    RunSums run;
    run.model = {.kind = ModelKind::ferromagnet, .dimension = 2};
    run.measured = measured_of(run.model, false);
    run.L = 4;
    run.replicas = 2;
    run.temperatures = 1;
    run.realizations = 1;
    run.temperature = {2.0};
    run.run_last = 40;
    run.blocks.edges = {0};
    run.blocks.count.assign(4, 1);
    for (int b = 0; b < 4; ++b) {
        run.blocks.edges.push_back(10 * (b + 1));
        for (int a = 0; a < 2; ++a) {
            const double m = M[a][b] / 16.0;
            run.blocks[Sum::energy].push_back(E[a][b]);
            run.blocks[Sum::energy2].push_back(E[a][b] * E[a][b]);
            run.blocks[Sum::magnetisation].push_back(M[a][b]);
            run.blocks[Sum::magnetisation_abs].push_back(std::abs(M[a][b]));
            run.blocks[Sum::magnetisation2].push_back(m * m);
            run.blocks[Sum::magnetisation4].push_back(m * m * m * m);
            run.blocks[Sum::magnetisation_kmin_x].push_back(0.4 * (a + 1));  // of both axes
            run.blocks[Sum::magnetisation2_energy].push_back(m * m * E[a][b]);
            run.blocks[Sum::magnetisation4_energy].push_back(m * m * m * m * E[a][b]);
            run.blocks[Sum::magnetisation_kmin_energy].push_back(0.4 * (a + 1) * E[a][b]);
        }
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

TEST_CASE("links per bond that is there") {
    RunSums run;
    run.L = 2;
    run.replicas = 2;
    run.temperatures = 1;
    run.realizations = 2;
    run.temperature = {1.0};
    run.bonds = {24.0, 12.0};
    run.blocks.edges = {0, 10};
    run.blocks.count = {2};
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

TEST_CASE("columns of results.csv and curves that cross, by model") {
    const std::string first = "L,T,beta,n_realizations,energy,energy_err,specific_heat,specific_heat_err",
                      plain = ",swap_rate,round_trips,equilibrated_fraction";
    const std::string magnetic =
        ",m_abs,m_abs_err,m2,m2_err,m4,m4_err,binder_m,binder_m_err,chi_m,chi_m_err,xi_m_over_L,"
        "xi_m_over_L_err,chi_m_total,chi_m_total_err";
    const std::string glass =
        first +
        ",q_abs,q_abs_err,q2,q2_err,q4,q4_err,binder,binder_err,chi_sg,chi_sg_err,xi_over_L,xi_over_L_err,"
        "q_link,q_link_err" +
        plain +
        ",chi_kmin,chi_kmin_err,q2_spread,q2_spread_err,guerra,guerra_err,q_link_variance,q_link_variance_"
        "err,"
        "q2_link_correlation,q2_link_correlation_err";
    const std::string slopes =
        ",q2_dbeta,q2_dbeta_err,binder_dbeta,binder_dbeta_err,xi_over_L_dbeta,xi_over_L_dbeta_err";
    const std::string magnetic_slopes =
                          ",m2_dbeta,m2_dbeta_err,binder_m_dbeta,binder_m_dbeta_err,xi_m_over_L_dbeta,xi_m_"
                          "over_L_dbeta_err",
                      connected = ",chi_m_connected,chi_m_connected_err";
    CHECK(csv_header(measured_of({}, false)).starts_with(glass + slopes));
    CHECK(csv_header(measured_of({}, true))
              .starts_with(glass + magnetic + slopes + magnetic_slopes + connected));
    const Measured ferromagnet = measured_of({.kind = ModelKind::ferromagnet}, false);
    CHECK(csv_header(ferromagnet).starts_with(first + magnetic + plain + magnetic_slopes + connected));
    SizeResults size;
    size.sample = two_realizations(ferromagnet);
    size.equilibrated = {1, 1};
    size.round_trips = RunningAverage(1);
    const std::string row = csv_rows(size, disorder_averages(size.sample)), header = csv_header(ferromagnet);
    CHECK(std::count(row.begin(), row.end(), ',') == std::count(header.begin(), header.end(), ','));
}
