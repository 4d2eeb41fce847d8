#include <doctest/doctest.h>

#include <array>

#include "philox_kernels.hpp"

using namespace psflip;

namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const RandomBlock& block) {
    return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

}  // namespace

TEST_CASE("known answers of Random123 for philox4x32-10 on the device") {
    CHECK(words(device_philox({{0, 0, 0, 0}}, 0)[0]) ==
          Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(words(device_philox({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t{0})[0]) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(words(device_philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822)[0]) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the device gives the same numbers as the host and as cuRAND") {
    std::vector<Counter> counters;
    std::uint64_t x = 12345;
    const auto next = [&x] {
        x = x * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(x >> 32);
    };
    for (int i = 0; i < 1000; ++i) counters.push_back({next(), next() & 0x3fffffffu, next(), next()});
    const std::uint64_t seed = 0x0123456789abcdef;
    const auto device = device_philox(counters, seed), curand = curand_philox(counters, seed);
    int equal_host = 0, equal_curand = 0;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        equal_host += words(device[i]) == words(philox(counters[i], seed));
        equal_curand += words(device[i]) == words(curand[i]);
    }
    CHECK(equal_host == 1000);
    CHECK(equal_curand == 1000);
}
