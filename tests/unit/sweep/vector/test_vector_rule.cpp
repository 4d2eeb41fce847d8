#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "random/splitmix64.hpp"
#include "sweep/vector/vector_rule.hpp"

using namespace psflip;

namespace {

std::uint32_t word(std::uint64_t& state) {
    return static_cast<std::uint32_t>(state = splitmix64(state));
}

template <class R>
constexpr double small = sizeof(R) == 4 ? 1e-6 : 1e-14;

template <class R>
double length_error(const Spin<R, 3>& s) {
    return std::abs(std::sqrt(static_cast<double>(product(s, s))) - 1.0);
}

}  // namespace

TEST_CASE_TEMPLATE("new directions have length 1 and the product with their axis that they were drawn for", R,
                   float, double) {
    std::uint64_t state = 1;
    double longest = 0, off_cone = 0, off_field = 0;
    for (int i = 0; i < 20000; ++i) {
        Spin<R, 3> axis = uniform_direction<R>(word(state), word(state));
        if (i % 100 < 6) axis = {{R(0), R(0), R(0)}}, axis.c[i % 3] = i % 6 < 3 ? R(1) : R(-1);
        const std::uint32_t height = word(state), turn = word(state);
        const R width = i % 2 ? R(2) : R(1e-3), u = RealTraits<R>::positive_fraction(height);
        const Spin<R, 3> inside = direction_in_cone(axis, width, height, turn);
        const R size = R(5) * RealTraits<R>::positive_fraction(word(state)), a = R(0.7) * size;
        const Spin<R, 3> field{{axis.c[0] * size, axis.c[1] * size, axis.c[2] * size}};
        const Spin<R, 3> drawn = direction_in_field(field, R(0.7), height, turn);
        longest = std::max({longest, length_error(axis), length_error(inside), length_error(drawn)});
        off_cone =
            std::max(off_cone, std::abs(double(product(axis, inside)) - (1.0 - double(width) * double(u))));
        // The share of weight below the product is u.
        const double t = product(axis, drawn),
                     share = std::expm1(double(a) * (t + 1)) / std::expm1(2 * double(a));
        off_field = std::max(off_field, std::abs(share - double(u)));
    }
    CHECK(longest < small<R>);
    CHECK(off_cone < 2 * small<R>);
    CHECK(off_field < 5 * small<R>);
}

TEST_CASE_TEMPLATE(
    "without a local field the heat bath draws any direction, and over-relaxation does nothing", R, float,
    double) {
    const Spin<R, 3> none{{R(0), R(0), R(0)}}, old{{R(0.6), R(0), R(0.8)}};
    std::uint64_t state = 2;
    for (int i = 0; i < 100; ++i) {
        const std::uint32_t height = word(state);
        const Spin<R, 3> drawn = direction_in_field(none, R(1), height, word(state));
        const double wanted = 2.0 * double(RealTraits<R>::positive_fraction(height)) - 1.0;
        CHECK(std::abs(double(drawn.c[2]) - wanted) < small<R>);
    }
    const std::uint32_t words[4] = {};
    const auto outcome =
        updated<VectorUpdate::over_relaxation, false>(VectorSite<R, 3>{old, none, R(0), R(1), R(2)}, words);
    CHECK_FALSE(outcome.renewed);
    CHECK(outcome.spin.c[0] == old.c[0]);
}

TEST_CASE_TEMPLATE("over-relaxation keeps the energy and undoes itself", R, float, double) {
    std::uint64_t state = 3;
    const std::uint32_t words[4] = {};
    double energy = 0, back = 0;
    for (int i = 0; i < 1000; ++i) {
        VectorSite<R, 3> site{uniform_direction<R>(word(state), word(state)),
                              uniform_direction<R>(word(state), word(state)), R(0), R(1), R(2)};
        for (R& component : site.field.c) component = component * R(3);
        const Spin<R, 3> old = site.spin;
        const R before = product(site.spin, site.field);
        site.spin = updated<VectorUpdate::over_relaxation, false>(site, words).spin;
        energy = std::max(energy, std::abs(double(product(site.spin, site.field) - before)));
        site.spin = updated<VectorUpdate::over_relaxation, false>(site, words).spin;
        for (int k = 0; k < 3; ++k) back = std::max(back, std::abs(double(site.spin.c[k] - old.c[k])));
    }
    CHECK(energy < 3 * small<R>);
    CHECK(back < small<R>);
}

TEST_CASE_TEMPLATE("what costs nothing is accepted always, the rest with probability exp(x)", R, float,
                   double) {
    for (R x : {R(0), R(1), R(1e30)})
        for (std::uint32_t w : {0u, 0xffffffffu}) CHECK(accepted(x, w));
    CHECK_FALSE(accepted(R(-1e30), 0u));
    const double limit = std::exp(-1.5) * 4294967296.0;
    CHECK(accepted(R(-1.5), static_cast<std::uint32_t>(limit - 2000)));
    CHECK_FALSE(accepted(R(-1.5), static_cast<std::uint32_t>(limit + 2000)));
}
