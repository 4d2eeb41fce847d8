#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>

#include "word/bit_counter.hpp"

using namespace psflip;

namespace {

constexpr int planes = 6;
using Counter = BitCounter<std::uint64_t, planes>;

/// The number of a lane.
int number(const Counter& counter, int lane) {
    int n = 0;
    for (int p = 0; p < planes; ++p) n += static_cast<int>(counter.plane[p] >> lane & 1) << p;
    return n;
}

/// Adds N random bits per lane as often as the counter holds them.
template <int N>
void check_bits(std::mt19937_64& random) {
    Counter counter;
    counter.clear();
    std::array<int, 64> expected{};
    for (int turn = 0; (turn + 1) * N < 1 << planes; ++turn) {
        std::uint64_t bits[N];
        for (auto& word : bits) word = turn % 2 ? ~std::uint64_t{0} : random();
        counter.add(bits);
        for (int lane = 0; lane < 64; ++lane) {
            for (const auto word : bits) expected[lane] += static_cast<int>(word >> lane & 1);
            REQUIRE(number(counter, lane) == expected[lane]);
        }
    }
}

}  // namespace

TEST_CASE("bit counter: bits added together, in each lane") {
    std::mt19937_64 random(7);
    check_bits<1>(random);
    check_bits<2>(random);
    check_bits<3>(random);
    check_bits<4>(random);
    check_bits<5>(random);
    check_bits<6>(random);
}

TEST_CASE("bit counter: numbers of fewer planes") {
    std::mt19937_64 random(8);
    Counter counter;
    counter.clear();
    std::array<int, 64> expected{};
    for (int turn = 0; turn < 9; ++turn) {
        const std::uint64_t three[3] = {random(), random(), random()};
        counter.add_number(three);
        for (int lane = 0; lane < 64; ++lane) {
            for (int p = 0; p < 3; ++p) expected[lane] += static_cast<int>(three[p] >> lane & 1) << p;
            REQUIRE(number(counter, lane) == expected[lane]);
        }
    }
}
