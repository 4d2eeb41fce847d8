#include <doctest/doctest.h>

#include <cmath>

#include "../messages.hpp"
#include "bench/sites_benchmark.hpp"
#include "one_thread.hpp"

using namespace psflip;
using psflip::test::one_thread;

namespace {

const BackendChoice sites_choice{.backend = "cpu", .threads = 1};

}  // namespace

TEST_CASE("averages of a large lattice equal the averages of its series") {
    const LargeLatticeSetup setup{.L = 64, .beta = 0.42, .tile = 2, .hits = 3};
    std::vector<LatticeSums> series;
    const BenchRow row = measure_sites(sites_choice, setup, {.thermalize = 7, .measured = 640}, &series);
    const auto lattice = make_large_lattice(sites_choice, setup);
    lattice->advance(7);
    REQUIRE(series == lattice->advance_with_sums(640));
    double e = 0, e2 = 0, m2 = 0, m4 = 0;
    for (const LatticeSums& sums : series) {
        const double energy = static_cast<double>(sums.bonds) / 4096,
                     m = static_cast<double>(sums.magnetisation) / 4096;
        e += energy / 640;
        e2 += energy * energy / 640;
        m2 += m * m / 640;
        m4 += m * m * m * m / 640;
    }
    CHECK(row.number("e") == doctest::Approx(e).epsilon(1e-12));
    CHECK(row.number("C") == doctest::Approx(0.42 * 0.42 * 4096 * (e2 - e * e)).epsilon(1e-8));
    CHECK(row.number("m2") == doctest::Approx(m2).epsilon(1e-12));
    CHECK(row.number("m4") == doctest::Approx(m4).epsilon(1e-12));

    // errors from blocks of 20 steps: of a mean, the jackknife is the scatter of block means
    double squares = 0;
    for (std::size_t block = 0; block < 32; ++block) {
        double mean = 0;
        for (std::size_t i = 0; i < 20; ++i)
            mean += static_cast<double>(series[20 * block + i].bonds) / 4096 / 20;
        squares += (mean - e) * (mean - e);
    }
    CHECK(row.number("e_error") == doctest::Approx(std::sqrt(squares / 32 / 31)).epsilon(1e-9));
    CHECK(row.number("tau_e") > 1.5);  // half a step
    CHECK(row.number("tau_e_error") < row.number("tau_e"));
}

TEST_CASE("timings of a large lattice say what was timed, and too few steps are refused") {
    const BenchRow row = time_sites(sites_choice, {.L = 64}, {.repeats = 1, .seconds = 1e-4});
    CHECK(row.text("model") == "ferromagnet");
    CHECK(row.number("L") == 64);
    CHECK(row.number("ps_per_flip") > 0);
    CHECK(test::message_of<InputError>([] { measure_sites(sites_choice, {.L = 64}, {.measured = 63}); }) ==
          "63 steps in 32 blocks are too few; use at least 2 blocks of 2 steps");
}
