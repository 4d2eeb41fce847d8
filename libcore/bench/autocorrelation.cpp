#include "bench/autocorrelation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

namespace psflip {
namespace {

using Complex = std::complex<double>;

/// Computes sum_j a_j e^{-2 pi i j k / n} in place. n is a power of two.
void transform(std::vector<Complex>& a) {
    const std::size_t n = a.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(a[i], a[j]);
    }
    std::vector<Complex> roots(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k)
        roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t half = 1; half < n; half *= 2)
        for (std::size_t first = 0; first < n; first += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const Complex even = a[first + k], odd = a[first + half + k] * roots[k * (n / 2 / half)];
                a[first + k] = even + odd;
                a[first + half + k] = even - odd;
            }
}

}  // namespace

std::vector<double> autocorrelations(std::vector<double> values) {
    const std::size_t n = values.size();
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
    std::size_t size = 2;
    while (size < 2 * n) size *= 2;
    std::vector<Complex> a(size);
    for (std::size_t i = 0; i < n; ++i) a[i] = values[i] - mean;
    transform(a);
    for (Complex& x : a) x = std::norm(x);
    transform(a);  // the spectrum is even, so both directions agree up to a factor
    for (std::size_t t = 0; t < n; ++t)
        values[t] = a[t].real() / static_cast<double>(size) / static_cast<double>(n - t);
    return values;
}

AutocorrelationTime autocorrelation_time(const std::vector<double>& values) {
    const std::vector<double> correlation = autocorrelations(values);
    const std::size_t n = values.size();
    double tau = 0.5;
    std::size_t t = 1;
    for (; t < n / 2 && static_cast<double>(t) <= std::max(6 * tau, 1.0); ++t)
        tau += correlation[t] / correlation[0];
    return {tau, tau * std::sqrt((4.0 * static_cast<double>(t) + 2) / static_cast<double>(n))};
}

}  // namespace psflip
