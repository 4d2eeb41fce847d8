// Computes moments of overlaps and magnetisations from sums over planes. CPU and GPU share this code.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Computes the mode sum_x Q(x) exp(2 pi i x / L) of the sums Q(x) over parallel planes, and the sum of all
/// Q(x). Terms are added in ascending x. Every backend adds in this order and without fused multiply-add, so
/// the doubles agree bit for bit. Real: double, or a vector of doubles.
template <class Real, class Total>
struct PlaneMode {
    Real re{}, im{};
    Total total{};

    PSFLIP_HD void add(double cosine, double sine, Total Q) { add(cosine, sine, Q, static_cast<Real>(Q)); }
    /// value: Q as a real number
    PSFLIP_HD void add(double cosine, double sine, Total Q, Real value) {
        total += Q;
        re = re + cosine * value;
        im = im + sine * value;
    }
    PSFLIP_HD Real square() const { return re * re + im * im; }
};

/// Holds the moments of the overlap of one realization at one temperature.
struct OverlapMoments {
    std::int64_t overlap;       ///< Q, an integer in [-N, N]
    double overlap2, overlap4;  ///< q^2 and q^2 q^2 with q = Q / N
    double kmin[3];             ///< |mode|^2 / N^2 for each axis
};

/// Computes moments from plane sums, in the order of PlaneMode. plane_sum(axis, x) returns Q(x), an int.
/// table: fourier_table, L cosines and then L sines. The additions for different axes are independent, so a
/// processor can overlap them. Total: an integer with room for Q.
template <int Dimension, class Total = int, class PlaneSum>
PSFLIP_HD OverlapMoments overlap_moments(int L, const double* table, PlaneSum plane_sum) {
    OverlapMoments m{};
    const double N = static_cast<double>(L) * L * (Dimension == 3 ? L : 1);
    PlaneMode<double, Total> mode[Dimension];
    for (int x = 0; x < L; ++x) {
        const double cosine = table[x], sine = table[L + x];
        PSFLIP_UNROLL
        for (int axis = 0; axis < Dimension; ++axis) mode[axis].add(cosine, sine, plane_sum(axis, x));
    }
    PSFLIP_UNROLL
    for (int axis = 0; axis < Dimension; ++axis) m.kmin[axis] = mode[axis].square() / (N * N);
    m.overlap = mode[0].total;
    const double q = static_cast<double>(m.overlap) / N;
    m.overlap2 = q * q;
    m.overlap4 = m.overlap2 * m.overlap2;
    return m;
}

/// Returns the histogram bin of a value in [-limit, limit]: floor((value + limit) bins / (2 limit)), at most
/// bins - 1. The limit is N for Q, and dN for links in d dimensions.
PSFLIP_HD int histogram_bin(std::int64_t value, std::int64_t limit, int bins) {
    const std::int64_t bin = (value + limit) * bins / (2 * limit);
    return static_cast<int>(bin < bins ? bin : bins - 1);
}

}  // namespace psflip
