#include "measure/two_time.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace psflip;

TEST_CASE("sums of two moments equal spins multiplied one by one") {
    std::mt19937_64 random(7);
    const auto flat = [](Shape shape) {
        shape.dimension = 2;
        return shape;
    };
    for (const int L : {4, 6, 10})
        for (const std::int64_t realizations : {1, 63, 64, 65, 200})
            for (const Shape& shape :
                 {Shape{L, 3, 1, realizations, 0, 32}, flat({L, 3, 1, realizations, 0, 32})}) {
                std::vector<std::uint64_t> before(shape.spin_words()), now(shape.spin_words());
                for (std::size_t i = 0; i < before.size(); ++i) {
                    before[i] = random();
                    now[i] = before[i] ^ (random() & random());
                }
                std::vector<std::int64_t> expected;
                for (int a = 0; a < shape.replicas; ++a)
                    for (std::int64_t r = 0; r < realizations; ++r) {
                        std::int64_t sum = 0;
                        for (std::int64_t site = 0; site < shape.sites(); ++site) {
                            const auto word = (a * shape.packs64() + r / 64) * shape.sites() + site;
                            sum += (before[word] >> r % 64 & 1) == (now[word] >> r % 64 & 1) ? 1 : -1;
                        }
                        expected.push_back(sum);
                    }
                CHECK(two_time_sums(shape, before, now) == expected);
            }
}

TEST_CASE("spins that stay or all turn over give plus and minus the number of sites") {
    const Shape shape{12, 2, 1, 70, 0, 32};
    const std::vector<std::uint64_t> up(shape.spin_words(), ~std::uint64_t{0}), down(shape.spin_words(), 0);
    CHECK(two_time_sums(shape, up, up) == std::vector<std::int64_t>(140, 1728));
    CHECK(two_time_sums(shape, up, down) == std::vector<std::int64_t>(140, -1728));
}
