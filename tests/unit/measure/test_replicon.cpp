#include "measure/replicon.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace psflip {
namespace {

using Mode = std::complex<double>;

/// The definition, choice by choice: ordered replicas a, b, c, d, all distinct.
double by_definition(int R, const std::vector<Mode>& v) {
    const auto of = [&](int a, int b) { return a < b ? v[pair_number(R, a, b)] : v[pair_number(R, b, a)]; };
    double own = 0.0, path = 0.0, apart = 0.0;
    double n_own = 0.0, n_path = 0.0, n_apart = 0.0;
    for (int a = 0; a < R; ++a)
        for (int b = 0; b < R; ++b) {
            if (b == a) continue;
            own += std::norm(of(a, b));
            n_own += 1.0;
            for (int c = 0; c < R; ++c) {
                if (c == a || c == b) continue;
                path += (of(a, b) * std::conj(of(a, c))).real();
                n_path += 1.0;
                for (int d = 0; d < R; ++d) {
                    if (d == a || d == b || d == c) continue;
                    apart += (of(a, b) * std::conj(of(c, d))).real();
                    n_apart += 1.0;
                }
            }
        }
    return own / n_own - 2.0 * path / n_path + apart / n_apart;
}

}  // namespace

TEST_CASE("replicon estimates equal the mean over all choices of four replicas") {
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    for (int R : {4, 5, 6, 9}) {
        std::vector<Mode> v;
        for (int pair = 0; pair < R * (R - 1) / 2; ++pair)
            v.emplace_back(3.0 + normal(generator), normal(generator));
        const double found = replicon<double>(
            R, [&](int a, int b) { return v[pair_number(R, a, b)].real(); },
            [&](int a, int b) { return v[pair_number(R, a, b)].imag(); });
        CHECK(found == doctest::Approx(by_definition(R, v)).epsilon(1e-11));
    }
}

TEST_CASE("pairs are numbered 01, 02, ..., 12, ...") {
    for (int R : {2, 4, 7}) {
        int expected = 0;
        for (int a = 0; a < R; ++a)
            for (int b = a + 1; b < R; ++b) CHECK(pair_number(R, a, b) == expected++);
    }
}

TEST_CASE("the planes of every diagonal have each site once, where k r is their number") {
    const int signs[6][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
    for (int dimension : {2, 3})
        for (int L : {4, 6})
            for (int diagonal = 0; diagonal < diagonals(dimension); ++diagonal) {
                std::set<std::tuple<int, int, int>> seen;
                for (int plane = 0; plane < L; ++plane)
                    for (int v = 0; v < (dimension == 3 ? L : 1); ++v)
                        for (int u = 0; u < L; ++u) {
                            const Coordinates at = diagonal_site(L, diagonal, plane, u, v);
                            const int* n = signs[diagonal];
                            REQUIRE((n[0] * at.x + n[1] * at.y + n[2] * at.z - plane + L) % L == 0);
                            seen.insert({at.x, at.y, at.z});
                        }
                CHECK(seen.size() == (dimension == 3 ? L * L * L : L * L));
            }
}

}  // namespace psflip
