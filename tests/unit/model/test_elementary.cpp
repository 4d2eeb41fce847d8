#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/elementary.hpp"

using namespace psflip;

namespace {

/// The distance of `found` from `exact` in units of the last place of `exact`.
template <class R>
double ulps(R found, long double exact) {
    const R near = std::abs(static_cast<R>(exact));
    const R step = std::nextafter(near, std::numeric_limits<R>::infinity()) - near;
    return static_cast<double>(std::abs((static_cast<long double>(found) - exact) / step));
}

/// The largest distance over a grid of arguments between `from` and `to`.
template <class R, class Found, class Exact>
double worst(double from, double to, Found found, Exact exact) {
    double most = 0.0;
    constexpr int steps = 200000;
    for (int i = 0; i <= steps; ++i) {
        const auto x = static_cast<R>(from + (to - from) * (i + 0.123) / (steps + 1));
        most = std::max(most, ulps<R>(found(x), exact(static_cast<long double>(x))));
    }
    return most;
}

}  // namespace

TEST_CASE_TEMPLATE("elementary functions are within a few units of the last place", R, float, double) {
    const double lowest = is_single<R> ? -87.0 : -708.0;
    for (double from : {lowest, -1.0, -1e-3}) {
        CAPTURE(from);
        CHECK(worst<R>(
                  from, 0.0, [](R x) { return exponential(x); }, [](long double x) { return std::exp(x); }) <
              2.0);
        CHECK(worst<R>(
                  from, 0.0, [](R x) { return exponential_less_one(x); },
                  [](long double x) { return std::expm1(x); }) < 3.0);
    }
    for (double to : {1e-6, 0.5, 1.5, 4e4}) {
        CAPTURE(to);
        CHECK(worst<R>(
                  to / 1e3, to, [](R x) { return logarithm(x); }, [](long double x) { return std::log(x); }) <
              2.0);
    }
    for (double to : {1e-6, 1e-2, 0.9999}) {
        CAPTURE(to);
        CHECK(worst<R>(
                  0.0, to, [](R w) { return logarithm_of_one_less(w); },
                  [](long double w) { return std::log1p(-w); }) < 3.0);
    }
    constexpr double quarter = 0.785398163397448;
    CHECK(worst<R>(
              -quarter, quarter, [](R x) { return sine_cosine(x).sine; },
              [](long double x) { return std::sin(x); }) < 2.0);
    CHECK(worst<R>(
              -quarter, quarter, [](R x) { return sine_cosine(x).cosine; },
              [](long double x) { return std::cos(x); }) < 2.0);
    CHECK(exponential(R(0)) == 1);
}

TEST_CASE_TEMPLATE("numbers of random words lie within their bounds, symmetric about the middle", R, float,
                   double) {
    using Traits = RealTraits<R>;
    const int bits = is_single<R> ? 23 : 31;
    CHECK(Traits::signed_fraction(0x80000000u) == -1 + std::ldexp(R(0.5), -bits));
    CHECK(Traits::signed_fraction(0x7fffffffu) == 1 - std::ldexp(R(0.5), -bits));
    CHECK(Traits::signed_fraction(0) == std::ldexp(R(0.5), -bits));
    CHECK(Traits::positive_fraction(0) == std::ldexp(R(0.5), is_single<R> ? -23 : -32));
    CHECK(Traits::positive_fraction(0xffffffffu) == 1 - std::ldexp(R(0.5), is_single<R> ? -23 : -32));
    CHECK(Traits::angle_fraction(0xC0000000u) == Traits::signed_fraction(0));
    CHECK(Traits::angle_fraction(0x20000000u) == Traits::signed_fraction(0x80000000u));
}

TEST_CASE_TEMPLATE("random angles lie evenly on the circle", R, float, double) {
    constexpr int sectors = 64;
    int hits[sectors] = {};
    R off_circle = 0;
    constexpr std::uint32_t words = 1u << 20;
    for (std::uint32_t i = 0; i < words; ++i) {
        const SineCosine<R> of = random_angle<R>(i * (0xffffffffu / words + 1) + 0x777u);
        off_circle = std::max(off_circle, std::abs(of.sine * of.sine + of.cosine * of.cosine - 1));
        const double turn = std::atan2(of.sine, of.cosine) / 6.283185307179586 + 1.0;
        ++hits[static_cast<int>(turn * sectors) % sectors];
    }
    CHECK(off_circle < (is_single<R> ? 3e-7 : 1e-15));
    for (int hit : hits) CHECK(std::abs(hit - static_cast<int>(words / sectors)) <= 2);
}
