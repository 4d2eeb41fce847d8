#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>

#include "model/demons.hpp"
#include "sweep/demon_model_rule.hpp"
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

using Lanes32 = std::uint32_t;

Lanes32 lanes_if(bool set) {
    return set ? ~0u : 0u;
}

/// A site in numbers.
struct DemonSite {
    int unsatisfied, absent;
    bool up;
};

/// Calls use(near, bond, absent bonds, site) for all spins, neighbours and absent bonds of a site.
template <int Degree, bool Absent, class Use>
void for_each_demon_site(const Use& use) {
    for (unsigned neighbours = 0; neighbours < 1u << Degree; ++neighbours)
        for (unsigned gaps = 0; gaps < (Absent ? 1u << Degree : 1u); ++gaps)
            for (const bool up : {false, true}) {
                Lanes32 near[Degree], bond[Degree], absent[Degree];
                DemonSite site{0, 0, up};
                for (int k = 0; k < Degree; ++k) {
                    const bool is_up = (neighbours >> k & 1) != 0, is_absent = (gaps >> k & 1) != 0,
                               is_minus = (k * 7 + static_cast<int>(neighbours)) % 3 == 0;
                    near[k] = lanes_if(is_up);
                    bond[k] = lanes_if(is_minus);
                    absent[k] = lanes_if(is_absent);
                    site.absent += is_absent;
                    site.unsatisfied += !is_absent && (is_up != up) != is_minus;
                }
                use(near, bond, absent, site);
            }
}

/// A pair of demons d and m serves one site after another site with the spin `before`. Checks flips and both
/// energies.
template <int Degree, bool Absent, bool Field>
void check_model_rule() {
    using Rule = DemonRule<Degree, Absent, Field>;
    int wrong = 0;
    for_each_demon_site<Degree, Absent>([&](const auto& near, const auto& bond, const auto& absent,
                                            DemonSite site) {
        for (int d = 0; d <= Rule::highest; ++d)
            for (int m = 0; m <= (Field ? max_field_demon : 0); ++m)
                for (const Lanes32 downward : {0u, ~0u})
                    for (const Lanes32 before : {0u, ~0u})
                        for (const Lanes32 free : {Field ? ~0u : 0u, ~0u}) {
                            Lanes32 below[Rule::highest], of_field[max_field_demon];
                            for (int k = 0; k < Rule::highest; ++k) below[k] = lanes_if(d > k);
                            for (int k = 0; k < max_field_demon; ++k) of_field[k] = lanes_if(m > k);
                            auto n = Rule::energies(below, of_field, downward);
                            if (Absent)
                                for (Lanes32& digit : n.bonds) digit ^= before;
                            for (Lanes32& digit : n.field) digit ^= before;
                            n.frame = before;
                            const Lanes32 spin = lanes_if(site.up);
                            const bool along = site.up == (downward == 0u),
                                       isolated = site.absent == Degree && !Field;
                            const int unit = Absent ? 1 : 2,
                                      d_after = d + (2 * site.unsatisfied + site.absent - Degree) / unit,
                                      m_after = !Field  ? m
                                                : along ? m - 1
                                                        : m + 1;
                            const bool flips = isolated ? free != 0u
                                                        : d_after >= 0 && d_after <= Rule::highest &&
                                                              m_after >= 0 && m_after <= max_field_demon;
                            Lanes32 updated;
                            if constexpr (Absent)
                                updated =
                                    Rule::updated(spin, near, bond, absent, absent_bonds(absent), free, n);
                            else
                                updated = Rule::updated(spin, near, bond, n);
                            const auto energy = [&](const auto& digits, bool complement) {
                                unsigned sum = 0, weight = 1;
                                for (const Lanes32 digit : digits) {
                                    sum += weight * ((digit ^ (complement ? spin : 0u)) & 1u);
                                    weight *= 2;
                                }
                                return static_cast<int>(sum);
                            };
                            wrong += updated != (flips ? ~spin : spin);
                            wrong += energy(n.bonds, Absent) != (flips ? d_after : d);
                            if (Field) {
                                const int found = energy(n.field, true);
                                wrong += (downward ? 3 - found : found) != (flips ? m_after : m);
                            }
                            wrong += n.frame != spin;
                        }
    });
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("demons of bonds and field pay together, for all spins, absent bonds and energies") {
    check_model_rule<6, true, true>();
    check_model_rule<6, true, false>();
    check_model_rule<6, false, true>();
    check_model_rule<4, true, true>();
    check_model_rule<4, true, false>();
    check_model_rule<4, false, true>();
}

TEST_CASE("a demon pays the cost of a flip or takes its gain, for all bonds and energies") {
    check_rule<6>();
    check_rule<4>();
}

namespace {

template <int Highest>
void check_thresholds(double cost) {
    double all = 0.0;
    for (int d = 0; d <= Highest; ++d) all += std::exp(-cost * d);
    for (int k = 1; k <= Highest; ++k) {
        double tail = 0.0;
        for (int d = k; d <= Highest; ++d) tail += std::exp(-cost * d) / all;
        CHECK(std::abs(demon_thresholds<Highest>(cost)[k - 1] - 4294967296.0 * tail) <= 0.5001);
    }
}

}  // namespace

TEST_CASE("the thresholds of a demon are the tails of its Boltzmann weights") {
    for (const double cost : {0.0, 0.4, 2.0, 4.0, 12.0}) {
        check_thresholds<max_demon>(cost);
        check_thresholds<max_bond_demon>(cost);
    }
    CHECK(demon_thresholds<max_demon>(4000.0)[0] == 0);
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
