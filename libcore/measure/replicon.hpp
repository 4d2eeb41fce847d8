#pragma once

#include <cstddef>

#include "base/host_device.hpp"
#include "lattice/site_order.hpp"

namespace psflip {

// Computes the replicon susceptibility of a glass in a field h, where <s_i> is not 0. It follows from modes
// of the overlaps of pairs of distinct replicas, v_ab(k) = sum_i s_i^a s_i^b exp(i k r_i):
//
//   chi_R(k) = (1/N) sum_ij [(<s_i s_j> - <s_i><s_j>)^2] exp(i k (r_i - r_j))
//            = (1/N) [<v_ab v_ab*> - 2 <v_ab v_ac*> + <v_ab v_cd*>],
//
// at k = 0, at the smallest wave vectors (2 pi/L) (1, 0, 0), ... and at the next ones, (2 pi/L) (1, 1, 0),
// (1, -1, 0), ... Replicas a, b, c, d are distinct. A mode is a sum over planes on which k r is constant.

/// Returns the number of diagonals: x + y, x - y, x + z, x - z, y + z, y - z. Two dimensions have only the
/// first two.
PSFLIP_HD constexpr int diagonals(int dimension) {
    return dimension == 3 ? 6 : 2;
}
/// Returns the number of families of parallel planes: across the axes, then across the diagonals.
PSFLIP_HD constexpr int plane_families(int dimension, bool with_diagonals) {
    return dimension + (with_diagonals ? diagonals(dimension) : 0);
}
/// Returns the number of modes of a pair: k = 0, then along the axes, then along the diagonals.
PSFLIP_HD constexpr int replicon_modes(int dimension) {
    return 1 + dimension + diagonals(dimension);
}

/// Holds the range of modes, from `first` to `end` - 1, that one average uses. There are three averages: at
/// k = 0, along the axes, and along the diagonals.
struct RepliconModes {
    int first, end;
};
/// Returns the modes of one average. which: 0 for k = 0, 1 for the wave vectors along the axes, 2 for the
/// wave vectors along the diagonals.
PSFLIP_HD constexpr RepliconModes replicon_modes_of(int which, int dimension) {
    if (which == 0) return {0, 1};
    return which == 1 ? RepliconModes{1, 1 + dimension}
                      : RepliconModes{1 + dimension, replicon_modes(dimension)};
}

/// Returns the number of doubles of the modes of a pair: (mode; real and imaginary part; 128 realizations).
constexpr std::size_t mode_doubles(int dimension) {
    return static_cast<std::size_t>(replicon_modes(dimension)) * 2 * 128;
}

/// Returns the index of the pair a < b in the order 01, 02, ..., 12, ...
PSFLIP_HD constexpr int pair_number(int replicas, int a, int b) {
    return a * (2 * replicas - a - 1) / 2 + b - a - 1;
}

/// The minimum number of replicas for an unbiased estimate of chi_R.
inline constexpr int min_replicon_replicas = 4;

/// Returns site (u, v) of a plane of a diagonal. u and v run from 0 to L - 1 (v = 0 in two dimensions). On
/// this plane x + y (or x - y and so on, see diagonals()) is `plane` modulo L.
PSFLIP_HD Coordinates diagonal_site(int L, int diagonal, int plane, int u, int v) {
    const int difference = diagonal % 2 == 0 ? plane - u : u - plane,
              w = difference < 0 ? difference + L : difference;
    if (diagonal < 2) return {u, w, v};
    return diagonal < 4 ? Coordinates{u, v, w} : Coordinates{v, u, w};
}

/// Returns the estimate of N chi_R at one mode, averaged over all choices of four replicas. re(a, b) and
/// im(a, b) are the real and imaginary part of v_ab, a < b. With v_ba = v_ab and u_a = sum over b != a of
/// v_ab, the estimate uses three sums over pairs of replicas:
///     own   = sum of |v|^2 over the pairs,
///     path  = sum of Re v v'* over all choices of two pairs that have one replica in common
///           = sum_a |u_a|^2 / 2 - own,
///     apart = sum of Re v v'* over all choices of two pairs that have no replica in common
///           = (|sum_a u_a|^2 / 4 - own) / 2 - path.
/// Every backend computes the estimate in this order and without fused multiply-add. Real: double, or a
/// vector of doubles.
template <class Real, class Re, class Im>
PSFLIP_HD Real replicon(int replicas, Re re, Im im) {
    Real own{}, sharing{}, re_all{}, im_all{};
    for (int a = 0; a < replicas; ++a) {
        Real re_a{}, im_a{};
        for (int b = 0; b < replicas; ++b) {
            if (b == a) continue;
            const Real x = a < b ? re(a, b) : re(b, a), y = a < b ? im(a, b) : im(b, a);
            re_a = re_a + x;
            im_a = im_a + y;
            if (a < b) own = own + (x * x + y * y);
        }
        sharing = sharing + (re_a * re_a + im_a * im_a);
        re_all = re_all + re_a;
        im_all = im_all + im_a;
    }
    const double n = replicas, pairs = 0.5 * n * (n - 1.0), paths = pairs * (n - 2.0),
                 disjoint = 0.25 * paths * (n - 3.0);
    const Real all = 0.25 * (re_all * re_all + im_all * im_all), path = 0.5 * sharing - own,
               apart = 0.5 * (all - own) - path;
    return own / pairs - 2.0 * path / paths + apart / disjoint;
}

}  // namespace psflip
