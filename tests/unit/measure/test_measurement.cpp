#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "evolution/move_sampler.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

World ordered_world(int L) {
    World world;
    world.L = L;
    world.replicas = 2;
    world.temperatures = {1.0};
    world.realizations = 70;
    return world;
}

/// One measurement of given spins into bin 2 of 3.
Accumulators measure_once(const World& world, const std::vector<std::int8_t>& bonds,
                          const std::vector<std::int8_t>& spins, int histogram_bins) {
    auto sampler = make_ising_sampler(
        {{"cpu", 2, 0}, shape_of(world), betas_of(world), world.seed, bonds, 1, model_of(world)});
    auto measurement = make_measurement(*sampler, 3, histogram_bins, world.magnetisation);
    sampler->ensemble().set_spins(words_of_spins(world, spins));
    measurement->measure(2);
    return measurement->accumulators();
}

double of(const Accumulators& sums, Sum which, std::size_t at) {
    const int i = static_cast<int>(which);
    return info(which).values.integer ? static_cast<double>(sums.integers[i].at(at)) : sums.reals[i].at(at);
}

}  // namespace

TEST_CASE("fourier table") {
    for (int L : {4, 6, 8, 10, 32, 64}) {
        const auto table = fourier_table(L);
        REQUIRE(static_cast<int>(table.size()) == 2 * L);
        for (int x = 0; x < L; ++x) {
            const long double angle = 2 * std::numbers::pi_v<long double> * x / L;
            CHECK(std::fabs(table[x] - static_cast<double>(std::cos(angle))) < 1e-15);
            CHECK(std::fabs(table[L + x] - static_cast<double>(std::sin(angle))) < 1e-15);
        }
    }
}

TEST_CASE("ordered lattices: Q = N, link = 3N, E = -3N, no mode at k_min, also where counters are full") {
    for (const std::string& level : simd_levels())
        for (int L : {4, 6, 16, 64}) {
            const ForceSimd force(level);
            const World world = ordered_world(L);
            const std::int64_t N = world.sites();
            const std::vector<std::int8_t> bonds(world.realizations * 3 * N, 1);
            for (int sign : {+1, -1}) {
                std::vector<std::int8_t> spins(world.realizations * 2 * N, 1);
                for (std::int64_t r = 0; r < world.realizations; ++r)  // the second replica up or down
                    for (std::int64_t site = 0; site < N; ++site)
                        spins[(2 * r + 1) * N + site] = static_cast<std::int8_t>(sign);
                const Accumulators sums = measure_once(world, bonds, spins, 50);
                for (std::int64_t r = 0; r < world.realizations; ++r) {
                    const std::size_t at = 2 * world.realizations + r;
                    REQUIRE(of(sums, Sum::energy, 4 * world.realizations + r) == -3 * N);
                    REQUIRE(of(sums, Sum::overlap, at) == sign * N);
                    REQUIRE(of(sums, Sum::overlap_abs, at) == N);
                    REQUIRE(of(sums, Sum::link, at) == 3 * N);
                    REQUIRE(of(sums, Sum::link2, at) == 9.0 * static_cast<double>(N * N));
                    REQUIRE(of(sums, Sum::overlap2_link, at) == 3.0 * static_cast<double>(N));
                    for (std::int64_t replica : {0, 1}) {
                        const std::int64_t lattice = (2 * 2 + replica) * world.realizations + r;
                        REQUIRE(sums.lowest_energy[lattice] == -3 * N);
                        REQUIRE(sums.lowest_count[lattice] == 1);
                    }
                    REQUIRE(sums.link_histogram[49 * world.realizations + r] == 1u);
                    REQUIRE(of(sums, Sum::overlap2, at) == 1.0);
                    REQUIRE(of(sums, Sum::overlap4, at) == 1.0);
                    REQUIRE(of(sums, Sum::kmin_x, at) < 1e-25);
                    REQUIRE(of(sums, Sum::kmin_y, at) < 1e-25);
                    REQUIRE(of(sums, Sum::kmin_z, at) < 1e-25);
                }
                CHECK(sums.count == std::vector<std::int64_t>{0, 0, 1});
                const int column = sign > 0 ? 49 : 0;
                for (int b = 0; b < 50; ++b)
                    for (std::int64_t r = 0; r < world.realizations; ++r)
                        REQUIRE(sums.histogram[b * world.realizations + r] == (b == column ? 1u : 0u));
                for (std::int64_t value : sums.integers[0]) REQUIRE((value == 0 || value == -3 * N));
            }
        }
}

TEST_CASE("the mode at k_min is that of its axis") {
    for (int L : {4, 6, 16})
        for (int axis = 0; axis < 3; ++axis) {
            World world = ordered_world(L);
            world.realizations = 1;
            const int N = world.sites();
            const std::vector<std::int8_t> bonds(3 * N, 1);
            std::vector<std::int8_t> spins(2 * N, 1);
            double re = 0.0, im = 0.0;
            for (int site = 0; site < N; ++site) {
                const int xyz[3] = {site % L, site / L % L, site / L / L};
                const int overlap = xyz[axis] < L / 2 ? 1 : -1;  // a domain wall across one axis
                spins[N + site] = static_cast<std::int8_t>(overlap);
                const double angle = 2 * std::numbers::pi * xyz[axis] / L;
                re += overlap * std::cos(angle) / N;
                im += overlap * std::sin(angle) / N;
            }
            const Accumulators sums = measure_once(world, bonds, spins, 4);
            const Sum modes[3] = {Sum::kmin_x, Sum::kmin_y, Sum::kmin_z};
            for (int a = 0; a < 3; ++a) {
                const double wanted = a == axis ? re * re + im * im : 0.0;
                CHECK(of(sums, modes[a], 2) == doctest::Approx(wanted).epsilon(1e-12));
            }
            CHECK(of(sums, Sum::overlap, 2) == 0);
            CHECK(of(sums, Sum::link, 2) == 3 * N - 4 * L * L);
            CHECK(sums.histogram == std::vector<std::uint32_t>{0, 0, 1, 0});
            CHECK(of(sums, Sum::link2, 2) == std::pow(3.0 * N - 4.0 * L * L, 2));
            CHECK(of(sums, Sum::overlap2_link, 2) == 0.0);
        }
}

TEST_CASE("which sums a model has") {
    using Names = std::vector<std::string>;
    const auto only = [](const Measured& a, const Measured& b) {  // what a has and b has not
        Names names;
        for (const SumInfo& sum : sum_table)
            if (sum.of(a) && !sum.of(b)) names.push_back(sum.name);
        return names;
    };
    const Measured glass = measured_of({}, false), both = measured_of({}, true),
                   ferromagnet = measured_of({.kind = ModelKind::ferromagnet}, false),
                   flat = measured_of({.kind = ModelKind::ferromagnet, .dimension = 2}, false),
                   relaxation{.equilibrium = false};
    const Names overlap_slopes = {"overlap2_energy", "overlap4_energy", "kmin_energy"},
                slopes = {"magnetisation2_energy", "magnetisation4_energy", "magnetisation_kmin_energy"};
    Names magnetisations = {"magnetisation",       "magnetisation_abs",    "magnetisation2",
                            "magnetisation4",      "magnetisation_kmin_x", "magnetisation_kmin_y",
                            "magnetisation_kmin_z"};
    CHECK(only(measured_of({.p_ferro = 0.7, .p_absent = 0.2}, false), glass).empty());
    CHECK(only(glass, measured_of({.p_ferro = 0.7, .p_absent = 0.2}, false)).empty());
    CHECK(only(glass, measured_of({.dimension = 2}, false)) == Names{"kmin_z"});
    CHECK(only(glass, measured_of({.field = 0.1}, false)) == overlap_slopes);
    CHECK(only(glass, relaxation) ==
          Names{"link2", "overlap2_link", "overlap2_energy", "overlap4_energy", "kmin_energy"});
    CHECK(only(relaxation, glass).empty());
    CHECK(only(both, ferromagnet) == only(glass, ferromagnet));
    CHECK(only(ferromagnet, flat) == Names{"magnetisation_kmin_z"});
    CHECK(only(flat, ferromagnet).empty());
    CHECK(only(ferromagnet, measured_of({.kind = ModelKind::ferromagnet, .field = -0.1}, false)) == slopes);
    Names with_slopes = magnetisations;
    with_slopes.insert(with_slopes.end(), slopes.begin(), slopes.end());
    CHECK(only(both, glass) == with_slopes);
    CHECK(only(ferromagnet, glass) == with_slopes);
    magnetisations.insert(magnetisations.end(),
                          {"energy_magnetisation", "replicon", "replicon_kmin", "replicon_diagonal"});
    CHECK(only(measured_of({.field = 0.1}, false), glass) == magnetisations);
    CHECK_THROWS(common(both, measured_of({.dimension = 2}, true)));
    CHECK(common(both, relaxation) == relaxation);
}

TEST_CASE("two dimensions, a field, absent bonds: numbers by hand") {
    World world = ordered_world(8);
    world.dimension = 2;
    world.magnetisation = true;
    const int L = world.L, N = world.sites();
    std::vector<std::int8_t> bonds(world.realizations * 2 * N, 1);
    for (std::int64_t r = 0; r < world.realizations; ++r) bonds[r * 2 * N + r] = 0;  // one is absent
    std::vector<std::int8_t> spins(world.realizations * 2 * N, 1);
    for (std::int64_t r = 0; r < world.realizations; ++r)
        for (int x = 0; x < L; ++x) spins[(2 * r + 1) * N + x] = -1;  // the row y = 0 of the second replica
    const Accumulators glass = measure_once(world, bonds, spins, 10);
    const int M = N - 2 * L;
    const double m2 = static_cast<double>(M * M) / (N * N), mode = 4.0 * L * L / (1.0 * N * N);
    const std::int64_t R = world.realizations;
    for (std::int64_t r = 0; r < R; ++r) {
        const std::int64_t at = 2 * R + r, first = 4 * R + r, second = 5 * R + r;
        REQUIRE(of(glass, Sum::overlap, at) == M);
        const bool cut = r >= N && r < N + L;  // the absent bond runs from the row y = 0 to the next
        REQUIRE(of(glass, Sum::link, at) == 2 * N - 1 - 4 * L + (cut ? 2 : 0));
        REQUIRE(of(glass, Sum::energy, first) == 1 - 2 * N);
        REQUIRE(of(glass, Sum::energy, second) == -of(glass, Sum::link, at));
        REQUIRE(of(glass, Sum::magnetisation, first) == N);
        REQUIRE(of(glass, Sum::magnetisation, second) == M);
        REQUIRE(of(glass, Sum::magnetisation_abs, second) == M);
        REQUIRE(of(glass, Sum::magnetisation2, second) == m2);
        REQUIRE(of(glass, Sum::magnetisation4, second) == m2 * m2);
        REQUIRE(of(glass, Sum::magnetisation_kmin_x, second) < 1e-25);
        REQUIRE(of(glass, Sum::magnetisation_kmin_y, second) == doctest::Approx(mode).epsilon(1e-12));
    }
    world.ferromagnet = true;
    world.field = 0.3;
    const Accumulators field = measure_once(world, bonds, spins, 10);
    CHECK(field.histogram.empty());
    CHECK(field.lowest_energy.empty());
    for (std::int64_t r = 0; r < R; ++r)
        REQUIRE(of(field, Sum::energy_magnetisation, 5 * R + r) == M * of(glass, Sum::energy, 5 * R + r));
}

TEST_CASE("accumulators without magnetisation go on without") {
    World world = ordered_world(4);
    world.magnetisation = true;
    const std::vector<std::int8_t> bonds(world.realizations * 3 * world.sites(), 1);
    auto sampler =
        make_ising_sampler({{"cpu", 1, 0}, shape_of(world), betas_of(world), world.seed, bonds, 1});
    auto measurement = make_measurement(*sampler, 1, 4, true);
    Accumulators without = empty_accumulators(shape_of(world), {}, 1, 4);
    without.integers[int(Sum::energy)][0] = 5;
    measurement->set_accumulators(without);
    CHECK(measurement->accumulators() == without);
    measurement->measure(0);
    CHECK(measurement->accumulators().integers[int(Sum::magnetisation)].empty());
    CHECK(measurement->accumulators().count[0] == 1);
}

TEST_CASE("accumulators can be taken out and put back") {
    for (const Case& which : small_cases()) {
        auto sampler = make_ising_sampler({{"cpu", 1, 0},
                                           shape_of(which.world),
                                           betas_of(which.world),
                                           which.world.seed,
                                           couplings(which.world),
                                           1});
        const Accumulators& sums = expected(which).sums;
        auto measurement = make_measurement(*sampler, sums.bins, sums.histogram_bins);
        CHECK(measurement->accumulators() ==
              empty_accumulators(shape_of(which.world), {}, sums.bins, sums.histogram_bins));
        measurement->set_accumulators(sums);
        CHECK(measurement->accumulators() == sums);
        sampler->set_tempering(expected(which).tempering);
        CHECK(sampler->tempering() == expected(which).tempering);
    }
}
