#include "model/bond_energy.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

#include "lattice/shape.hpp"

using namespace psflip;

namespace {

std::int64_t bonds_of(int L) {
    return Shape{.L = L}.bonds();
}

/// Checks Eb of this number of unsatisfied bonds by the functions against its definition.
void check_energy(int L, std::int64_t unsatisfied) {
    CAPTURE(L);
    CAPTURE(unsatisfied);
    const int unit = Shape{.L = L}.energy_unit();
    const auto bonds = static_cast<std::int32_t>(bonds_of(L) / unit);
    const std::int64_t found =
        std::int64_t{unit} * bond_energy(static_cast<std::uint32_t>(unsatisfied), bonds, unit);
    CHECK(found == 2 * unsatisfied - bonds_of(L));
}

}  // namespace

TEST_CASE(
    "32 bits have room for the bonds of L = 894 one by one, and for the bonds of larger lattices in twos") {
    CHECK(Shape{.L = 894}.energy_unit() == 1);
    CHECK(Shape{.L = 896}.energy_unit() == 2);
    CHECK(Shape{.L = 1024}.energy_unit() == 2);
    CHECK(Shape{.L = 1024, .dimension = 2}.energy_unit() == 1);
    for (int L : {4, 512, 894, 896, 1022, 1024})
        for (const std::int64_t unsatisfied : {std::int64_t{0}, std::int64_t{1}, bonds_of(L) / 2,
                                               bonds_of(L) / 3 * 2 + 1, bonds_of(L) - 1, bonds_of(L)})
            check_energy(L, unsatisfied);
}

TEST_CASE("sums of spins up to 2^30") {
    constexpr std::int32_t most = 1 << 30;
    CHECK(signed_sum(0, most) == -most);
    CHECK(signed_sum(most / 2, most) == 0);
    CHECK(signed_sum(most, most) == most);
}

TEST_CASE("rises of energies between the farthest ones") {
    for (int L : {4, 894, 896, 1024}) {
        CAPTURE(L);
        const int unit = Shape{.L = L}.energy_unit();
        const std::int64_t all = bonds_of(L);
        for (const std::int64_t rise :
             {-2 * all, -all, std::int64_t{-4}, std::int64_t{0}, std::int64_t{4}, all, 2 * all}) {
            const std::int64_t from = rise < 0 ? all : -all, to = from + rise;
            const auto stored = [unit](std::int64_t energy) {
                return static_cast<std::int32_t>(energy / unit);
            };
            CHECK(energy_rise(stored(from), stored(to), unit) == rise);
            CHECK(energy_steps(stored(from), stored(to), unit) == rise / 4);
        }
    }
    CHECK(energy_steps(-7, -3, 1) == 1);
}
