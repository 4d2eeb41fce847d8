#include <array>
#include <vector>

#include "reference/reference.hpp"

namespace psflip::reference {

namespace {

using Wave = std::array<int, 3>;

/// n of the wave vectors 2 pi n / L: 0, along the axes, on the diagonals.
std::array<std::vector<Wave>, 3> waves(int dimension) {
    std::array<std::vector<Wave>, 3> all{{{Wave{}}, {}, {}}};
    for (int axis = 0; axis < dimension; ++axis) {
        Wave n{};
        n[axis] = 1;
        all[1].push_back(n);
        for (int other = axis + 1; other < dimension; ++other)
            for (const int sign : {1, -1}) {
                n[other] = sign;
                all[2].push_back(n);
                n[other] = 0;
            }
    }
    return all;
}

}  // namespace

std::array<double, 2> Realization::overlap_mode(int slot, int a, int b, const Wave& n) const {
    const int L = world_.L;
    std::vector<long> planes(L);
    long all = 0;
    for (int site = 0; site < world_.sites(); ++site) {
        const int phase = n[0] * (site % L) + n[1] * (site / L % L) + n[2] * (site / L / L);
        const int overlap = spin(a, slot, site) * spin(b, slot, site);
        planes[(phase + L) % L] += overlap;
        all += overlap;
    }
    return n == Wave{} ? std::array{static_cast<double>(all), 0.0} : mode(planes);
}

double Realization::replicon_at(int slot, const Wave& n) const {
    const int R = world_.replicas;
    double own = 0.0, sharing = 0.0, re_all = 0.0, im_all = 0.0;
    for (int a = 0; a < R; ++a) {
        double re_a = 0.0, im_a = 0.0;
        for (int b = 0; b < R; ++b) {
            if (b == a) continue;
            const auto [re, im] = overlap_mode(slot, a, b, n);
            re_a += re;
            im_a += im;
            if (a < b) own += re * re + im * im;
        }
        sharing += re_a * re_a + im_a * im_a;
        re_all += re_a;
        im_all += im_a;
    }
    const double pairs = 0.5 * R * (R - 1.0), paths = pairs * (R - 2.0), disjoint = 0.25 * paths * (R - 3.0);
    const double path = 0.5 * sharing - own,
                 apart = 0.5 * (0.25 * (re_all * re_all + im_all * im_all) - own) - path;
    return own / pairs - 2.0 * path / paths + apart / disjoint;
}

std::array<double, 3> Realization::replicon(int slot) const {
    const double sites = world_.sites();
    std::array<double, 3> means{};
    const auto all = waves(world_.dimension);
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (const Wave& n : all[k]) sum += replicon_at(slot, n);
        means[k] = sum / static_cast<double>(all[k].size()) / (sites * sites);
    }
    return means;
}

}  // namespace psflip::reference
