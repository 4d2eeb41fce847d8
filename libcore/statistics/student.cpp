#include "statistics/student.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/numbers.hpp"

namespace psflip {
namespace {

/// Computes in double, not in long double, which takes longer. Significances differ by at most 2e-15.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double student_two_sided(double t, double dof) {
    if (std::isnan(t) || std::isnan(dof)) return std::nan("");
    if (std::isinf(t)) return 0.0;
    return 2.0 * boost::math::cdf(
                     complement(boost::math::students_t_distribution<double, InDouble>(dof), std::abs(t)));
}

double gaussian_sigma(double t, double dof) {
    const double p = student_two_sided(t, dof);
    if (std::isnan(p)) return p;
    const double z = boost::math::quantile(
        complement(boost::math::normal_distribution<double, InDouble>(), 0.5 * std::max(p, 1e-300)));
    return std::copysign(std::clamp(z, 0.0, max_sigma), t);
}

double student_factor(double dof) {
    if (!(dof > 0.0)) return nan_value;
    const double x = 1.0 / dof;
    return 1.0 + x * (0.5 + x * (0.25 + x * 0.0625));
}

}  // namespace psflip
