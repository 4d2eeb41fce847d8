#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "measure/stored_sums.hpp"

using namespace psflip;

TEST_CASE("numbers keep 32 significant bits, to the nearest") {
    CHECK(with_stored_bits(0.0) == 0.0);
    CHECK(with_stored_bits(0.75) == 0.75);
    CHECK(with_stored_bits(4294967295.0) == 4294967295.0);  // 32 ones
    CHECK(with_stored_bits(8589934591.0) == 8589934592.0);  // 33 ones: carried into the exponent
    CHECK(with_stored_bits(-8589934591.0) == -8589934592.0);
    CHECK(with_stored_bits(std::numeric_limits<double>::infinity()) ==
          std::numeric_limits<double>::infinity());
    CHECK(std::isnan(with_stored_bits(std::numeric_limits<double>::quiet_NaN())));
    std::mt19937_64 generator(3);
    std::lognormal_distribution<double> values(0.0, 20.0);
    for (int i = 0; i < 10000; ++i) {
        const double value = values(generator), kept = with_stored_bits(value);
        int exponent = 0;
        REQUIRE(std::abs(kept - value) <= std::ldexp(value, -32));
        REQUIRE(with_stored_bits(kept) == kept);
        REQUIRE(std::fmod(std::ldexp(std::frexp(kept, &exponent), 32), 1.0) == 0.0);
    }
}

TEST_CASE("axes are added up in their order; other sums stand alone") {
    CHECK(stored_name(Sum::kmin_x) == "/blocks/kmin");
    CHECK(stored_name(Sum::magnetisation_kmin_x) == "/blocks/magnetisation_kmin");
    CHECK(stored_name(Sum::energy) == "/blocks/energy");
    int stored = 0;
    for (const SumInfo& row : sum_table) stored += is_stored(row.sum);
    CHECK(stored == n_sums - 4);
    const Shape shape{4, 2, 1, 32, 0, 1, 3};
    Accumulators a = empty_accumulators(shape, {.magnetisation = true}, 1, 8);
    a.reals[static_cast<int>(Sum::kmin_x)][5] = 1.0;
    a.reals[static_cast<int>(Sum::kmin_y)][5] = 0x1p-40;  // below the digits that are kept
    a.reals[static_cast<int>(Sum::kmin_z)][5] = 0.5;
    a.reals[static_cast<int>(Sum::overlap4)][5] = 1.0 + 0x1p-40;
    CHECK(stored_reals(a, Sum::kmin_x)[5] == 1.5);
    CHECK(stored_reals(a, Sum::kmin_x)[4] == 0.0);
    CHECK(stored_reals(a, Sum::overlap4)[5] == 1.0 + 0x1p-40);
}
