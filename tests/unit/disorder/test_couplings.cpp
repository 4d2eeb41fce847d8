#include "disorder/couplings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "io/file.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

/// Philox4x32-10 written once more from the paper, on 64-bit words, for this test only.
std::array<std::uint64_t, 4> philox_of_paper(std::array<std::uint64_t, 4> c, std::uint64_t seed) {
    const std::uint64_t mask = 0xffffffffu;
    std::uint64_t key0 = seed & mask, key1 = seed >> 32;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xD2511F53u * c[0], b = 0xCD9E8D57u * c[2];
        c = {(b >> 32) ^ c[1] ^ key0, b & mask, (a >> 32) ^ c[3] ^ key1, a & mask};
        key0 = (key0 + 0x9E3779B9u) & mask;
        key1 = (key1 + 0xBB67AE85u) & mask;
    }
    return c;
}

int expected_coupling(std::uint64_t seed, double p_ferro, int L, int realization, int direction, int x, int y,
                      int z) {
    const std::uint64_t site = static_cast<std::uint64_t>(x + L * (y + L * z));
    const std::uint64_t word =
        philox_of_paper({site, 0, 0, std::uint64_t{1} << 24 | static_cast<std::uint64_t>(realization)},
                        seed)[static_cast<std::size_t>(direction)];
    return static_cast<double>(word) < std::round(p_ferro * 4294967296.0) ? 1 : -1;
}

double mean(const std::vector<std::int8_t>& values) {
    double sum = 0.0;
    for (const std::int8_t value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("couplings follow the random contract") {
    for (const std::uint64_t seed : {std::uint64_t{20261121}, std::uint64_t{0xfedcba9876543210}}) {
        const int L = 4;
        const std::vector<std::int8_t> couplings = generate_couplings({seed, {.p_ferro = 0.3}, L}, 96, 3);
        std::size_t index = 0;
        for (int r = 96; r < 99; ++r)
            for (int direction = 0; direction < 3; ++direction)
                for (int z = 0; z < L; ++z)
                    for (int y = 0; y < L; ++y)
                        for (int x = 0; x < L; ++x)
                            REQUIRE(couplings[index++] ==
                                    expected_coupling(seed, 0.3, L, r, direction, x, y, z));
        CHECK(index == couplings.size());
    }
}

TEST_CASE("a realization does not depend on its batch or on threads") {
    const CouplingsLaw law{7, {}, 6};
    const std::vector<std::int8_t> all = generate_couplings(law, 0, 64, 1);
    const std::size_t bonds = 3 * 6 * 6 * 6;
    CHECK(generate_couplings(law, 0, 64, 3) == all);
    CHECK(generate_couplings(law, 0, 64) == all);
    for (const int first : {0, 1, 32, 63}) {
        const std::vector<std::int8_t> one = generate_couplings(law, first, 1, 2);
        CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(first * bonds)));
    }
    std::vector<std::int8_t> part(100);
    draw_couplings(law, 33, 500, part, 2);
    CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(33 * bonds + 500)));
    CHECK(generate_couplings({8, {}, 6}, 0, 64) != all);
    CHECK(generate_couplings(law, 0, 0).empty());
}

TEST_CASE("a ferromagnet has no other couplings") {
    const CouplingsLaw law{7, {.kind = ModelKind::ferromagnet, .dimension = 2}, 6};
    CHECK(generate_couplings(law, 0, 3) == std::vector<std::int8_t>(3 * 72, 1));
    std::vector<std::int8_t> part(50);
    draw_couplings(law, 1, 20, part);
    CHECK(part == std::vector<std::int8_t>(50, 1));
}

TEST_CASE("the fraction of positive couplings") {
    CHECK(mean(generate_couplings({1, {.p_ferro = 0.0}, 8}, 0, 32)) == -1.0);
    CHECK(mean(generate_couplings({1, {.p_ferro = 1.0}, 8}, 0, 32)) == 1.0);
    for (const double p : {0.3, 0.5, 0.9}) {
        const std::vector<std::int8_t> couplings = generate_couplings({20261121, {.p_ferro = p}, 16}, 0, 128);
        const double sigma = std::sqrt(4.0 * p * (1.0 - p) / static_cast<double>(couplings.size()));
        CHECK(std::abs(mean(couplings) - (2.0 * p - 1.0)) < 5.0 * sigma);
    }
    // Neighbouring realizations and directions are not correlated.
    const std::vector<std::int8_t> couplings = generate_couplings({3, {}, 16}, 0, 64);
    for (const std::size_t lag : {std::size_t{1}, std::size_t{4096}, std::size_t{3 * 4096}}) {
        double sum = 0.0;
        for (std::size_t i = lag; i < couplings.size(); ++i) sum += couplings[i] * couplings[i - lag];
        const auto terms = static_cast<double>(couplings.size() - lag);
        CHECK(std::abs(sum / terms) < 5.0 / std::sqrt(terms));
    }
}

TEST_CASE("laws and numbers out of range") {
    CHECK(contains(message_of<InputError>([] {
                       generate_couplings({1, {.p_ferro = 1.5}, 4}, 0, 1);
                   }),
                   "p_ferro = 1.5"));
    CHECK_THROWS_AS(generate_couplings({1, {.p_ferro = std::nan("")}, 4}, 0, 1), InputError);
    CHECK_THROWS_AS(generate_couplings({1, {}, 0}, 0, 1), InputError);
    CHECK_THROWS_AS(generate_couplings({1, {}, 4}, -1, 1), InputError);
    CHECK(generate_couplings({1, {}, 4}, (1 << 24) - 1, 1).size() == 192);
    CHECK(contains(message_of<InputError>([] {
                       generate_couplings({1, {}, 4}, (1 << 24) - 1, 2);
                   }),
                   "0 to 16777215"));
    for (const int share : {1, 32, 64, 128}) check_first_realization(128, share);
    check_first_realization(0, 128);
    CHECK(contains(message_of<InputError>([] { check_first_realization(96, 64); }),
                   "is 96, but it must be a multiple of 64 (multispin.share = 64); use 64 or 128"));
    CHECK(contains(message_of<InputError>([] { check_first_realization(33, 1); }),
                   "a multiple of 32; use 32 or 64"));
    CHECK_THROWS_AS(check_first_realization(-128, 128), InputError);
}

TEST_CASE("the hash sees every coupling") {
    std::vector<std::int8_t> couplings = generate_couplings({1, {}, 4}, 0, 32);
    const std::string hash = couplings_hash(couplings);
    CHECK(hash.size() == 16);
    couplings[777] = static_cast<std::int8_t>(-couplings[777]);
    CHECK(couplings_hash(couplings) != hash);
}

TEST_CASE("known hashes of small batches") {
    // Stored values: a change here changes results and must raise physics_version.
    CHECK(couplings_hash(generate_couplings({20261121, {}, 4}, 0, 128)) == "ebfd323179e84c0e");
    CHECK(couplings_hash(generate_couplings({20261121, {.p_ferro = 0.3}, 8}, 128, 64)) == "3a92055d09ec4d55");
}
