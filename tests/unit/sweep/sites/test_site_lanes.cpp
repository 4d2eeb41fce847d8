#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "../../messages.hpp"
#include "sweep/sites/sites_kernels.hpp"

using namespace psflip;
using psflip::test::message_of;

TEST_CASE("every site of a lattice has its own lane and word, with the colour of the site") {
    for (const auto& [dimension, L] : {std::pair{2, 64}, {2, 192}, {3, 32}, {3, 64}}) {
        const SiteLanes lanes(dimension, L);
        std::set<std::pair<int, std::int64_t>> places;
        for (std::int64_t site = 0; site < lanes.sites(); ++site) {
            const SiteLanes::Place at = lanes.place(site);
            places.insert({at.lane, at.word});
            const std::int64_t x = site % L, y = site / L % L, z = site / L / L;
            REQUIRE((x + y + z) % 2 == at.word / lanes.colour_indices());
            const auto e = lanes.extent;
            REQUIRE(lanes.site(at.lane, static_cast<int>(x % e[0]), static_cast<int>(y % e[1]),
                               static_cast<int>(z % e[2])) == site);
        }
        CHECK(static_cast<std::int64_t>(places.size()) == lanes.sites());
        CHECK(places.rbegin()->first == 127);
        CHECK(lanes.sites() == (dimension == 3 ? std::int64_t{L} * L * L : std::int64_t{L} * L));
    }
}

TEST_CASE(
    "lanes step to the next subdomain and back as the coordinates of subdomains do, on every instruction "
    "set") {
    for (const int dimension : {2, 3}) {
        const SiteLanes lanes(dimension, 64);
        for (int d = 0; d < dimension; ++d)
            for (const bool forward : {true, false})
                for (int lane = 0; lane < 128; ++lane) {
                    int subdomain[3], rest = lane;
                    for (int i = 0; i < 3; ++i) {
                        subdomain[i] = rest % lanes.subdomains[i];
                        rest /= lanes.subdomains[i];
                    }
                    subdomain[d] =
                        (subdomain[d] + (forward ? 1 : lanes.subdomains[d] - 1)) % lanes.subdomains[d];
                    const int next = subdomain[0] + lanes.subdomains[0] *
                                                        (subdomain[1] + lanes.subdomains[1] * subdomain[2]);
                    LaneBits from{}, expected{};
                    from.word[next / 32] = 1u << next % 32;
                    expected.word[lane / 32] = 1u << lane % 32;
                    const LaneBits found = lanes.step[d](from, forward);
                    REQUIRE(std::memcmp(&found, &expected, sizeof found) == 0);
                    for (const SimdLevel level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
                        if (!processor_has(level)) continue;
                        alignas(64) std::uint64_t in[8], out[8];
                        for (int i = 0; i < 4; ++i) std::memcpy(in + 2 * i, &from, sizeof from);
                        kernels_of<SitesKernels>(level).step(in, out, lanes.step[d], forward);
                        for (int i = 0; i < 4; ++i)
                            REQUIRE(std::memcmp(out + 2 * i, &expected, sizeof expected) == 0);
                    }
                }
    }
}

TEST_CASE("sizes that cannot be cut into subdomains are refused with those that can") {
    CHECK(message_of<InputError>([] { SiteLanes(2, 96); }) ==
          "L = 96 cannot be cut into 128 subdomains as lanes: in 2 dimensions L is a multiple of 64 up to "
          "65536, for example 64 or 128");
    CHECK(message_of<InputError>([] {
              SiteLanes(3, 16);
          }).find("multiple of 32 up to 1024, for example 32") != std::string::npos);
    CHECK(message_of<InputError>([] { SiteLanes(3, 1056); }).find("for example 1024") != std::string::npos);
    CHECK(message_of<InputError>([] { SiteLanes(4, 64); }) == "dimension = 4 is not 2 or 3");
    SiteLanes(2, 65536);
    SiteLanes(3, 1024);
}
