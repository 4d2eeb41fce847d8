#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "statistics/student.hpp"

using namespace psflip;

TEST_CASE("Student's t agrees with its closed forms") {
    for (double t : {0.01, 0.3, 1.0, 2.5, 10.0, 300.0}) {
        CHECK(student_two_sided(t, 1.0) == doctest::Approx(2.0 / M_PI * std::atan(1.0 / t)).epsilon(1e-12));
        const double root = std::sqrt(2.0 + t * t);
        CHECK(student_two_sided(t, 2.0) == doctest::Approx(2.0 / (root * (root + t))).epsilon(1e-12));
    }
    CHECK(student_two_sided(0.0, 5.0) == 1.0);
    CHECK(student_two_sided(2.228138852, 10.0) == doctest::Approx(0.05).epsilon(1e-8));
    CHECK(student_two_sided(INFINITY, 7.0) == 0.0);
}

TEST_CASE("the factor of an error covers with the probability of one sigma") {
    const double one_sigma = std::erfc(1.0 / std::sqrt(2.0));
    CHECK(student_two_sided(student_factor(1), 1) == doctest::Approx(one_sigma).epsilon(0.02));
    for (const double dof : {3.0, 7.0, 15.0, 63.0})
        CHECK(student_two_sided(student_factor(dof), dof) == doctest::Approx(one_sigma).epsilon(1e-3));
    CHECK(std::isnan(student_factor(0)));
}

TEST_CASE("sigma of equal probability") {
    CHECK(gaussian_sigma(1.5, 1e9) == doctest::Approx(1.5).epsilon(1e-6));
    CHECK(gaussian_sigma(2.228138852, 10.0) == doctest::Approx(1.959963985).epsilon(1e-8));
    CHECK(gaussian_sigma(-2.228138852, 10.0) == doctest::Approx(-1.959963985).epsilon(1e-8));
    CHECK(gaussian_sigma(0.0, 3.0) == doctest::Approx(0.0));
    CHECK(gaussian_sigma(1e200, 50.0) == doctest::Approx(max_sigma).epsilon(0.02));
    CHECK(gaussian_sigma(INFINITY, 50.0) <= max_sigma);
    CHECK(std::isnan(gaussian_sigma(NAN, 5.0)));
    for (double t = 0.1; t < 50.0; t *= 1.5) {
        const double z = gaussian_sigma(t, 11.0);
        CHECK(std::erfc(z / std::sqrt(2.0)) == doctest::Approx(student_two_sided(t, 11.0)).epsilon(1e-9));
        CHECK(z < t);
    }
}
