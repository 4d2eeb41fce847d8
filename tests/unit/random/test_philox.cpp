#include <doctest/doctest.h>

#include <array>
#include <random>

#include "random/philox.hpp"
#include "reference/reference.hpp"
#if __has_include(<Random123/philox.h>)
#include <Random123/philox.h>
#define PSFLIP_HAVE_RANDOM123 1
#endif

using namespace psflip;

namespace {

using Words = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

Words library(const Words& c, const PhiloxKey& k) {
    const RandomBlock block = philox({c[0], c[1], c[2], c[3]}, std::uint64_t{k[1]} << 32 | k[0]);
    return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

struct KnownAnswer {
    Words counter;
    PhiloxKey key;
    Words answer;
};

// kat_vectors of Random123, philox4x32 with 10 rounds.
const KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

/// Calls `check` with 20000 random counters and keys.
template <class Check>
void for_random_inputs(Check check) {
    std::mt19937 random(12345);
    const auto word = [&random] { return static_cast<std::uint32_t>(random()); };
    for (int i = 0; i < 20000; ++i) {
        const Words counter{word(), word(), word(), word()};
        const PhiloxKey key{word(), word()};
        check(counter, key);
    }
}

}  // namespace

TEST_CASE("philox with 7 rounds gives Random123's known answers") {
    const auto words = [](const RandomBlock& block) {
        return Words{block.word[0], block.word[1], block.word[2], block.word[3]};
    };
    CHECK(words(philox<7>({0, 0, 0, 0}, 0)) == Words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48});
    CHECK(words(philox<7>({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822)) ==
          Words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a});
}

TEST_CASE("philox gives Random123's known answers") {
    for (const KnownAnswer& known : known_answers) {
        CHECK(library(known.counter, known.key) == known.answer);
        CHECK(reference::philox_words(known.counter, known.key) == known.answer);
    }
}

TEST_CASE("philox equals the reference for random counters and keys") {
    for_random_inputs(
        [](const Words& c, const PhiloxKey& k) { REQUIRE(library(c, k) == reference::philox_words(c, k)); });
}

#ifdef PSFLIP_HAVE_RANDOM123
TEST_CASE("philox equals Random123 for random counters and keys") {
    for_random_inputs([](const Words& c, const PhiloxKey& k) {
        const philox4x32_ctr_t theirs = philox4x32_R(10, {{c[0], c[1], c[2], c[3]}}, {{k[0], k[1]}});
        REQUIRE(library(c, k) == Words{theirs.v[0], theirs.v[1], theirs.v[2], theirs.v[3]});
    });
}
#endif
