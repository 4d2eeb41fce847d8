#include "exact_averages.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace psflip::exact {

namespace {

struct ExactBond {
    int a, b, J;
};

/// Each bond once, from a site to its neighbour in + direction, periodic; those that are not absent.
std::vector<ExactBond> bonds_of(const reference::World& world, const std::vector<std::int8_t>& bonds) {
    std::vector<ExactBond> all;
    const int L = world.L, N = world.sites(), step[3] = {1, L, L * L};
    for (int axis = 0; axis < world.dimension; ++axis)
        for (int site = 0; site < N; ++site) {
            const bool last = site / step[axis] % L == L - 1;
            const int other = last ? site - (L - 1) * step[axis] : site + step[axis];
            if (bonds[axis * N + site] != 0) all.push_back({site, other, bonds[axis * N + site]});
        }
    return all;
}

int spin_of(unsigned state, int site) {
    return (state >> site & 1u) != 0 ? 1 : -1;
}

/// Solves A x = b by elimination with pivots.
std::vector<double> solved(std::vector<std::vector<double>> A, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k; i < n; ++i)
            if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
        std::swap(A[k], A[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = A[i][k] / A[k][k];
            for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
    return b;
}

}  // namespace

Averages averages(const reference::World& world, const std::vector<std::int8_t>& bonds, double temperature) {
    const std::vector<ExactBond> list = bonds_of(world, bonds);
    const int N = world.sites();
    double Z = 0, E = 0, M = 0, M2 = 0;
    std::vector<double> pairs(N * N, 0.0);
    for (unsigned state = 0; state < 1u << N; ++state) {
        int Eb = 0, magnetisation = 0;
        for (const ExactBond& bond : list) Eb -= bond.J * spin_of(state, bond.a) * spin_of(state, bond.b);
        for (int site = 0; site < N; ++site) magnetisation += spin_of(state, site);
        const double energy = Eb - world.field * magnetisation;
        const double weight = std::exp(-energy / temperature);
        Z += weight;
        E += weight * energy;
        M += weight * magnetisation;
        M2 += weight * magnetisation * magnetisation;
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < i; ++j) pairs[i * N + j] += weight * spin_of(state, i) * spin_of(state, j);
    }
    double q2 = N;
    for (double pair : pairs) q2 += 2 * (pair / Z) * (pair / Z);
    return {E / Z, M / Z, M2 / Z, q2 / N / N};
}

double chi_squared(const std::vector<std::vector<double>>& rows, const std::vector<double>& expected) {
    const std::size_t p = expected.size(), n = rows.size();
    std::vector<double> mean(p, 0.0);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < p; ++i) mean[i] += row[i] / static_cast<double>(n);
    std::vector<std::vector<double>> covariance(p, std::vector<double>(p, 0.0));
    for (const auto& row : rows)
        for (std::size_t i = 0; i < p; ++i)
            for (std::size_t j = 0; j < p; ++j)
                covariance[i][j] +=
                    (row[i] - mean[i]) * (row[j] - mean[j]) / static_cast<double>(n * (n - 1));
    std::vector<double> off(p);
    for (std::size_t i = 0; i < p; ++i) off[i] = mean[i] - expected[i];
    const std::vector<double> x = solved(covariance, off);
    double T2 = 0;
    for (std::size_t i = 0; i < p; ++i) T2 += off[i] * x[i];
    return T2 * static_cast<double>(n - p - 2) / static_cast<double>(n - 1);  // has mean p
}

double chi_squared_point(double degrees, double z) {
    const double a = 2.0 / (9.0 * degrees), root = 1.0 - a + z * std::sqrt(a);
    return degrees * root * root * root;
}

}  // namespace psflip::exact
