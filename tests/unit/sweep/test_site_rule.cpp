#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "model/thresholds.hpp"
#include "reference/reference.hpp"
#include "sweep/site_rule.hpp"

using namespace psflip;

namespace {

/// Checks all 64 combinations of six bonds, all lanes of a word at once, for one nested acceptance (0: none
/// ... 3: c4, c8 and c12).
template <class Word>
void check_all_bonds(int accepted) {
    const Word all = static_cast<Word>(~Word{0});
    const int bits = static_cast<int>(8 * sizeof(Word));
    const Acceptance<Word> accept{accepted >= 1 ? all : Word{0}, accepted >= 2 ? all : Word{0},
                                  accepted >= 3 ? all : Word{0}};
    for (int begin = 0; begin < 64; begin += bits) {
        Word e[6] = {};
        for (int lane = 0; lane < bits; ++lane)
            for (int b = 0; b < 6; ++b)
                e[b] = static_cast<Word>(e[b] | static_cast<Word>((begin + lane) >> b & 1) << lane);
        const BondCount<Word> u = count_unsatisfied(e);
        const Word flips = updated_spin(Word{0}, e, accept);
        CHECK(updated_spin(all, e, accept) == static_cast<Word>(~flips));
        // The same bonds from neighbours and couplings: e = spin ^ near ^ bond, spin 0101...
        const Word spin = static_cast<Word>(0x5555555555555555ull);
        Word near[6], bond[6];
        for (int b = 0; b < 6; ++b) {
            near[b] = static_cast<Word>(0x123456789abcdef0ull * (2 * b + 1));
            bond[b] = e[b] ^ spin ^ near[b];
        }
        CHECK(updated_spin(spin, near, bond, accept) == static_cast<Word>(spin ^ flips));
        for (int b : {2, 5}) near[b] ^= bond[b];  // the gauge: these bonds +1, whatever stands for them
        CHECK(updated_spin_gauged(spin, near, bond, accept) == static_cast<Word>(spin ^ flips));
        for (int lane = 0; lane < bits; ++lane) {
            const int unsatisfied = __builtin_popcount(begin + lane);
            const int counted =
                static_cast<int>((u.ones >> lane & 1) + 2 * (u.twos >> lane & 1) + 4 * (u.fours >> lane & 1));
            const int cost = 12 - 4 * unsatisfied;
            CHECK(counted == unsatisfied);
            CHECK((flips >> lane & 1) == (cost <= 0 || accepted >= cost / 4 ? 1u : 0u));
        }
    }
}

/// The planar rule: all 16 combinations of four bonds, 0, 1 or 2 thresholds passed.
template <class Word>
void check_planar_bonds(int accepted) {
    const Word all = static_cast<Word>(~Word{0}), spin = static_cast<Word>(0x5555555555555555ull);
    const PlanarAcceptance<Word> accept{accepted >= 1 ? all : Word{0}, accepted >= 2 ? all : Word{0}};
    Word e[4] = {}, near[4], bond[4];
    for (int b = 0; b < 4; ++b) {
        for (int lane = 0; lane < 16; ++lane)
            e[b] = static_cast<Word>(e[b] | static_cast<Word>(lane >> b & 1) << lane);
        near[b] = static_cast<Word>(0x123456789abcdef0ull * (2 * b + 1));
        bond[b] = e[b] ^ spin ^ near[b];
    }
    const Word flips = updated_spin(Word{0}, e, accept);
    CHECK(updated_spin(all, e, accept) == static_cast<Word>(~flips));
    CHECK(updated_spin(spin, near, bond, accept) == static_cast<Word>(spin ^ flips));
    // The gauge: bonds 2 and 3 are +1.
    CHECK(updated_spin_gauged(spin, static_cast<Word>(near[2] ^ bond[2]),
                              static_cast<Word>(near[3] ^ bond[3]), {near[0], near[1]}, {bond[0], bond[1]},
                              accept) == static_cast<Word>(spin ^ flips));
    for (int lane = 0; lane < 16; ++lane) {
        const int cost = 8 - 4 * __builtin_popcount(lane);
        CHECK((flips >> lane & 1) == (cost <= 0 || accepted >= cost / 4 ? 1u : 0u));
    }
}

}  // namespace

TEST_CASE("planar site rule: truth table of all bonds and acceptances") {
    for (int accepted = 0; accepted < 3; ++accepted) {
        check_planar_bonds<std::uint32_t>(accepted);
        check_planar_bonds<std::uint64_t>(accepted);
    }
}

TEST_CASE("site rule: truth table of all bonds and acceptances") {
    for (int accepted = 0; accepted < 4; ++accepted) {
        check_all_bonds<std::uint32_t>(accepted);
        check_all_bonds<std::uint64_t>(accepted);
    }
}

TEST_CASE("Metropolis thresholds are round(2^32 exp(-beta dE)), nested") {
    for (double temperature : {0.05, 0.2, 0.5, 0.7, 1.0, 1.1019, 2.0, 4.5, 100.0}) {
        const double beta = 1.0 / temperature;
        const Thresholds found = metropolis_thresholds(beta);
        CHECK(found.c4 == std::llround(std::exp(-4 * beta) * 4294967296.0));
        CHECK(found.c8 == std::llround(std::exp(-8 * beta) * 4294967296.0));
        CHECK(found.c12 == std::llround(std::exp(-12 * beta) * 4294967296.0));
        CHECK(found.c12 <= found.c8);
        CHECK(found.c8 <= found.c4);
    }
    CHECK(metropolis_thresholds(0.0).c4 == 0xFFFFFFFFu);  // the largest that a word holds
    CHECK(metropolis_thresholds(1e6).c4 == 0u);
}
