#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics/equilibrium/paired_bins.hpp"
#include "statistics/student.hpp"

using namespace psflip;

TEST_CASE("differences of the last bin and those before, by hand") {
    PairedBins paired(2, 2);
    // (bin, temperature, realization): three bins, two temperatures, three realizations, of which two count
    const std::vector<double> bins = {1, 2, 9, 0, 0, 9,   //
                                      3, 6, 9, 1, 1, 9,   //
                                      4, 8, 9, 1, 3, 9};  //
    paired.add(bins, 3, std::vector<std::int64_t>{0, 1});
    const PairedDifference result = paired.result();
    CHECK(result.mean == std::vector<double>{1.5, 1.0, 4.5, 2.0});
    CHECK(result.error == std::vector<double>{0.5, 1.0, 1.5, 1.0});
    CHECK(result.z[0] == doctest::Approx(gaussian_sigma(3.0, 1)));
}

TEST_CASE("files may have more bins than are compared") {
    PairedBins paired(1, 1);
    paired.add(std::vector<double>{7, 1, 2}, 1, std::vector<std::int64_t>{0});
    paired.add(std::vector<double>{1, 4}, 1, std::vector<std::int64_t>{0});
    CHECK(paired.result().mean == std::vector<double>{2.0});
}

TEST_CASE("noise that realizations share widens the error, a negative estimate does not narrow it") {
    for (const double excess : {16.0, -16.0}) {
        PairedBins paired(1, 1);
        paired.add(std::vector<double>{0, 0, 1, 3}, 2, std::vector<std::int64_t>{0, 1});
        // bins of 2 and 8 measurements: 16 (1/8 + 1/2) = 10, over 4
        paired.add_pack(0, excess, 24.0, std::vector<std::int64_t>{2, 8});
        paired.add_dof(6.0);
        const PairedDifference result = paired.result();
        CHECK(result.error[0] == doctest::Approx(std::sqrt(1.0 + (excess > 0.0 ? 2.5 : 0.0))));
        // noise 24 * 0.625 / 4 = 3.75: 3.5^2 / (1 / 1 + 3.75^2 / 6) = 3.66, but R - 1 = 1 is fewer
        CHECK(result.z[0] == doctest::Approx(gaussian_sigma(2.0 / result.error[0], 1.0)));
    }
}

TEST_CASE("an uncertain excess gives z the tails of few degrees of freedom") {
    PairedBins paired(1, 1);
    for (int r = 0; r < 50; ++r)
        paired.add(std::vector<double>{0, 0, 1, 3}, 2, std::vector<std::int64_t>{0, 1});
    paired.add_pack(0, 1000.0, 1200.0, std::vector<std::int64_t>{2, 2});
    paired.add_dof(6.0);
    const PairedDifference result = paired.result();
    const double own = 100.0 / 99.0 / 100.0, shared = 0.1, noise = 0.12;
    const double dof = std::pow(own + shared, 2) / (own * own / 99.0 + noise * noise / 6.0);
    CHECK(result.z[0] == doctest::Approx(gaussian_sigma(2.0 / std::sqrt(own + shared), dof)));
}

TEST_CASE("drifts below the spread of the disorder are seen, equilibrium gives a normal z") {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    constexpr int realizations = 200, repeats = 2000;
    double sum = 0.0, squares = 0.0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        PairedBins paired(1, 1);
        for (int r = 0; r < realizations; ++r) {
            const double disorder = 10.0 * normal(generator);
            const std::vector<double> bins = {disorder + normal(generator), disorder + normal(generator)};
            paired.add(bins, 1, std::vector<std::int64_t>{0});
        }
        const double z = paired.result().z[0];
        sum += z;
        squares += z * z;
    }
    CHECK(std::abs(sum / repeats) < 4.0 / std::sqrt(repeats));
    CHECK(squares / repeats == doctest::Approx(1.0).epsilon(4.0 * std::sqrt(2.0 / repeats)));
}

TEST_CASE("what cannot be compared") {
    PairedBins one(1, 1);
    one.add(std::vector<double>{1, 2}, 1, std::vector<std::int64_t>{0});
    CHECK(std::isnan(one.result().z[0]));
    PairedBins none(0, 1);
    none.add(std::vector<double>{1}, 1, std::vector<std::int64_t>{0});
    CHECK(none.result().z.empty());
    PairedBins frozen(1, 1);
    frozen.add(std::vector<double>{1, 1, 1, 1}, 2, std::vector<std::int64_t>{0, 1});
    CHECK(frozen.result().z == std::vector<double>{0.0});
    PairedBins overlaps(1, 1);  // of one replica
    overlaps.add(std::vector<double>{NAN, NAN, NAN, NAN}, 2, std::vector<std::int64_t>{0, 1});
    CHECK(std::isnan(overlaps.result().z[0]));
}

TEST_CASE("the largest drift of the last three bins") {
    PairedDifference differences[n_binned_observables];
    for (PairedDifference& difference : differences)
        difference.z = {0, 1, 2, -1, 9, 9};  // 3 bins, 2 temperatures
    differences[1].z[3] = -5.0;
    differences[2].z[0] = NAN;
    const Drift drift = max_drift(differences, 2);
    CHECK(drift.z == -5.0);
    CHECK(drift.observable == 1);
    CHECK(drift.comparison == 2);
    CHECK(drift.temperature == 1);
    CHECK(drift.within(5.0));
    CHECK_FALSE(drift.within(4.9));
    const PairedDifference nothing[n_binned_observables] = {};
    CHECK(std::isnan(max_drift(nothing, 2).z));
    CHECK(max_drift(nothing, 2).within(1.0));
}
