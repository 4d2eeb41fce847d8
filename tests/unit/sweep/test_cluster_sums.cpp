#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sweep/clusters/cluster_sums.hpp"

using namespace psflip;

TEST_CASE("sums of squares hold all bits, in any order") {
    const std::vector<std::int64_t> numbers = {0,
                                               1,
                                               -3,
                                               65535,
                                               -65536,
                                               (std::int64_t{1} << 32) - 1,
                                               std::int64_t{1} << 32,
                                               -(std::int64_t{1} << 47) - 12345,
                                               (std::int64_t{1} << 47) - 1};
    unsigned __int128 wanted = 0;
    SquareSum forward, backward, first, second;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        wanted += static_cast<unsigned __int128>(static_cast<__int128>(numbers[i]) * numbers[i]);
        forward.add_square(numbers[i]);
        backward.add_square(numbers[numbers.size() - 1 - i]);
        (i % 2 == 0 ? first : second).add_square(numbers[i]);
    }
    first.add(second);
    CHECK(forward == backward);
    CHECK(forward == first);
    CHECK(forward.low == static_cast<std::uint64_t>(wanted & 0xFFFFFFFFu));
    CHECK(forward.high == static_cast<std::uint64_t>(wanted >> 32));
    CHECK(forward.value() == doctest::Approx(static_cast<double>(wanted)).epsilon(1e-15));
}

TEST_CASE("fixed cosines and sines: rounded, with exact symmetries, and sums over runs") {
    for (const int L : {2, 4, 6, 64, 190, 65536}) {
        CAPTURE(L);
        const std::vector<std::int32_t> table = fixed_fourier_table(L);
        const FixedFourier fourier{table.data(), L};
        for (int x = 0; x < L; ++x) {
            const double angle = 2 * std::numbers::pi * x / L;
            REQUIRE(std::abs(static_cast<double>(fourier.of(x, 0)) - 65536 * std::cos(angle)) < 0.5001);
            REQUIRE(std::abs(static_cast<double>(fourier.of(x, 1)) - 65536 * std::sin(angle)) < 0.5001);
            for (int part = 0; part < 2; ++part) {
                REQUIRE(fourier.of(x, part) == -fourier.of((x + L / 2) % L, part));
                REQUIRE(fourier.of_run(x, 1, part) == fourier.of(x, part));
                REQUIRE(fourier.of_run(0, x, part) + fourier.of_run(x, L - x, part) == 0);
            }
        }
    }
}
