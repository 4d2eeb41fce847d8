#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>

#include "model/demons.hpp"
#include "sweep/demon_rule.hpp"

using namespace psflip;

namespace {

/// The rule in numbers: a demon of energy d and a site with u unsatisfied bonds of `degree`. Returns the new
/// energy, or -1 if the spin stays.
int after_flip(int d, int u, int degree) {
    const int energy = d + u - degree / 2;
    return energy < 0 || energy > max_demon ? -1 : energy;
}

template <int Degree>
void check_rule() {
    for (unsigned bonds = 0; bonds < 1u << Degree; ++bonds)
        for (unsigned d = 0; d <= max_demon; ++d)
            for (const std::uint32_t spin : {0u, ~0u}) {
                std::uint32_t e[Degree];
                for (int k = 0; k < Degree; ++k) e[k] = 0u - (bonds >> k & 1u);
                Demons<std::uint32_t> demons{0u - (d & 1u), 0u - (d >> 1)};
                const bool flipped = demon_updated_spin(spin, e, demons) != spin;
                const int wanted = after_flip(static_cast<int>(d), __builtin_popcount(bonds), Degree);
                CAPTURE(bonds);
                CAPTURE(d);
                CHECK(flipped == (wanted >= 0));
                CHECK((demons.ones & 1u) + 2 * (demons.twos & 1u) ==
                      (flipped ? static_cast<unsigned>(wanted) : d));
            }
}

}  // namespace

TEST_CASE("a demon pays the cost of a flip or takes its gain, for all bonds and energies") {
    check_rule<6>();
    check_rule<4>();
}

TEST_CASE("the thresholds of a demon are the tails of its Boltzmann weights") {
    for (const double beta : {0.0, 0.1, 0.5, 1.0, 3.0}) {
        const double x = std::exp(-4.0 * beta), all = 1.0 + x + x * x + x * x * x;
        const double tails[] = {(x + x * x + x * x * x) / all, (x * x + x * x * x) / all, x * x * x / all};
        for (int k = 0; k < max_demon; ++k)
            CHECK(std::abs(demon_thresholds(beta)[k] - 4294967296.0 * tails[k]) <= 0.5001);
    }
    CHECK(demon_thresholds(1000.0)[0] == 0);
}

TEST_CASE("chains of demons are as long as two planes and even numbers of rows allow") {
    const struct {
        int L, depth, sites, rows, planes;
    } table[] = {{8, 8, 16, 8, 2},   {8, 8, 32, 8, 4},   {12, 12, 16, 6, 2},  {12, 12, 32, 12, 2},
                 {16, 16, 16, 8, 2}, {20, 20, 16, 8, 2}, {24, 24, 32, 12, 2}, {10, 10, 32, 10, 2},
                 {4, 4, 256, 4, 4},  {64, 64, 16, 8, 2}, {64, 64, 4, 2, 2},   {6, 6, 3, 2, 1},
                 {6, 6, 1, 1, 1},    {16, 1, 16, 16, 1}, {18, 1, 16, 10, 1}};
    for (const auto& [L, depth, sites, rows, planes] : table) {
        const DemonChains chains = DemonChains::of(L, depth, sites);
        CAPTURE(L);
        CAPTURE(sites);
        CHECK(chains.rows == rows);
        CHECK(chains.planes == planes);
    }
}

TEST_CASE("chains of demons visit every site of a lattice once") {
    for (const int L : {4, 6, 10, 16, 34})
        for (const int depth : {1, L})
            for (const int sites : {1, 2, 3, 4, 5, 16, 20, 32, 1000}) {
                const DemonChains chains = DemonChains::of(L, depth, sites);
                std::set<std::tuple<int, int>> rows;
                for (int z0 = 0; z0 < depth; z0 += chains.planes)
                    for (int y0 = 0; y0 < L; y0 += chains.rows)
                        for (int z = z0; z < depth && z < z0 + chains.planes; ++z)
                            for (int y = y0; y < L && y < y0 + chains.rows; ++y)
                                CHECK(rows.emplace(y, z).second);
                CHECK(rows.size() == static_cast<std::size_t>(L * depth));
                CHECK(chains.rows * chains.planes <= sites);
                CHECK((sites < 4 || chains.rows % 2 == 0));
                CHECK((sites < 4 || depth == 1 || chains.planes % 2 == 0));
                CHECK(chains.segments() == (L + chains.rows - 1) / chains.rows);
                CHECK(chains.layers() == (depth + chains.planes - 1) / chains.planes);
            }
}
