#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "model/exchange_rule.hpp"

using namespace psflip;

TEST_CASE("the exponential from additions and multiplications is exp") {
    double worst = 0.0;
    for (int i = 0; i <= 700000; ++i) {
        const double x = -0.001 * i;
        worst = std::max(worst, std::abs(ordered_exp(x) / std::exp(x) - 1.0));
    }
    std::mt19937_64 numbers(1);
    std::uniform_real_distribution<double> uniform(-24.0, 0.0);
    for (int i = 0; i < 300000; ++i) {
        const double x = uniform(numbers);
        worst = std::max(worst, std::abs(ordered_exp(x) / std::exp(x) - 1.0));
    }
    MESSAGE("largest relative error ", worst);
    CHECK(worst < 1e-14);
    CHECK(ordered_exp(0.0) == 1.0);
    CHECK(ordered_exp(-1e-300) == 1.0);
}

TEST_CASE("an exchange is accepted iff R < round(2^32 exp(-delta_beta (dEb - h dM)))") {
    std::mt19937_64 numbers(2);
    const double half = std::ldexp(1.0, -1);
    for (double delta_beta : {0.001, 0.02, 0.3})
        for (double h : {0.0, 0.1, 0.37, 2.0, -1.0})
            for (int i = 0; i < 20000; ++i) {
                const auto dEb = static_cast<std::int64_t>(numbers() % 400) - 200,
                           dM = static_cast<std::int64_t>(numbers() % 200) - 100;
                const double d = static_cast<double>(dEb) - h * static_cast<double>(dM);
                const double scaled = 4294967296.0 * std::exp(-delta_beta * d);
                if (d <= 0) {
                    CHECK(exchange_accepted(0xFFFFFFFFu, dEb, dM, delta_beta, h));
                    continue;
                }
                // Where rounding does not hang on the last digits of exp.
                if (std::abs(scaled + half - std::round(scaled + half)) < 1e-3) continue;
                const auto threshold = static_cast<std::int64_t>(std::round(scaled));
                for (std::int64_t R :
                     {threshold - 1, threshold, threshold + 1, static_cast<std::int64_t>(numbers() >> 32)})
                    if (R >= 0 && R < 4294967296)
                        REQUIRE(exchange_accepted(static_cast<std::uint32_t>(R), dEb, dM, delta_beta, h) ==
                                (R < threshold));
            }
    CHECK(exchange_accepted(0xFFFFFFFFu, 4, 0, 0.0, 0.0));
    CHECK_FALSE(exchange_accepted(0u, 1000000, 0, 1.0, 0.0));
}

TEST_CASE("bits of the exponential that are written down, for all backends") {
    CHECK(ordered_exp(-1.0) == 0x1.78b56362cef38p-2);
    CHECK(ordered_exp(-20.25) == 0x1.b93de1e27ca3bp-30);
}
