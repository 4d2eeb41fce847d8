#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "../../messages.hpp"
#include "../one_thread.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "bench/stateful/temperature_words.hpp"

using namespace psflip;
using psflip::test::contains;
using psflip::test::message_of;
using psflip::test::one_thread;

namespace {

using Coding = TemperatureCoding;
using Probability = FlipProbability;
using Arrangement = LatticeArrangement;

/// Returns the sites at +x, -x, +y, -y, +z and -z.
std::array<int, 6> near(int site, int L) {
    std::array<int, 6> found{};
    int stride = 1;
    for (int d = 0; d < 3; ++d, stride *= L) {
        const int at = site / stride % L;
        found[2 * d] = site + ((at + 1) % L - at) * stride;
        found[2 * d + 1] = site + ((at + L - 1) % L - at) * stride;
    }
    return found;
}
int colour_of(int site, int L) {
    return (site % L + site / L % L + site / L / L) % 2;
}

/// Sweeps with one spin per int. Thread p of 256 or fewer updates the sites p, p + 256, ... of a colour, and
/// draws 24 numbers for each of them.
std::vector<std::uint32_t> naive_sweeps(const TemperatureWordsSetup& setup, int sweeps) {
    std::vector<std::uint32_t> words = initial_temperature_words(setup);
    const int n = static_cast<int>(setup.sites()), L = setup.L, threads = std::min(256, n / 2);
    with_generator(setup.generator, [&](auto listed) {
        using G = typename decltype(listed)::G;
        for (int realization = 0; realization < setup.realizations; ++realization) {
            std::uint32_t* const of = words.data() + realization * n;
            StreamSet<G> set(threads * setup.realizations, {setup.seed, false});
            std::vector<G> streams;
            for (int p = 0; p < threads; ++p)
                streams.push_back(set.view().stream(realization * threads + p, 0));
            for (int colour = 0; colour < 2 * sweeps; ++colour) {
                int i = 0;
                for (int site = 0; site < n; ++site) {
                    if (colour_of(site, L) != colour % 2) continue;
                    for (int t = 0; t < 24; ++t) {
                        const std::uint32_t number = streams[i % threads].next();
                        const auto spin = [&](int at) { return of[at] >> t & 1 ? 1 : -1; };
                        double sum = 0;
                        for (int k = 0; k < 6; ++k)
                            sum += (of[site] >> (24 + k) & 1 ? -1 : 1) * spin(near(site, L)[k]);
                        const double cost = 2 * spin(site) * (sum + setup.field);
                        const double p = std::min(1.0, std::exp(-setup.beta(t) * cost));
                        if (number < std::round(p * 0x1p32)) of[site] ^= 1u << t;
                    }
                    ++i;
                }
            }
        }
    });
    return words;
}

TemperatureWordsSetup small_setup(int L, double field) {
    return {.generator = "philox7", .L = L, .realizations = 3, .field = field, .seed = 9};
}

}  // namespace

TEST_CASE("a bond has the same sign seen from both sites") {
    const TemperatureWordsSetup setup = small_setup(8, 0);
    const auto words = initial_temperature_words(setup);
    int negative = 0;
    for (int site = 0; site < 512; ++site)
        for (int k = 0; k < 6; ++k) {
            const bool here = words[site] >> (24 + k) & 1,
                       there = words[near(site, 8)[k]] >> (24 + (k ^ 1)) & 1;
            REQUIRE(here == there);
            negative += here;
        }
    CHECK(std::abs(negative / 2 - 768) < 5 * std::sqrt(1536 / 4.0));
}

TEST_CASE("words of temperatures in all codings have the spins of plain loops") {
    for (const double field : {0.0, 0.3})
        for (const int L : {4, 16})
            for (const std::string generator : {"philox7", "philox", "lcg32", "xorwow"}) {
                TemperatureWordsSetup setup = small_setup(L, field);
                setup.generator = generator;
                const auto expected = naive_sweeps(setup, 3);
                for (const Coding coding : {Coding::amsc1, Coding::amsc3, Coding::amsc4, Coding::camsc}) {
                    CAPTURE(name(coding));
                    setup.coding = coding;
                    const auto one = make_temperature_words(one_thread, setup);
                    const auto three = make_temperature_words({.backend = "cpu", .threads = 3}, setup);
                    CHECK(one->words() == initial_temperature_words(setup));
                    one->sweep(3);
                    three->sweep(1);
                    three->sweep(2);
                    CHECK(one->words() == expected);
                    CHECK(three->words() == expected);
                }
            }
}

TEST_CASE(
    "all ways to find a probability give equal spins, up to numbers that are rounded to a probability") {
    TemperatureWordsSetup setup = small_setup(8, 0.3);
    setup.coding = Coding::amsc1;
    const auto expected = naive_sweeps(setup, 1);
    for (const Probability probability : {Probability::exponential, Probability::fast_exponential,
                                          Probability::memory_table, Probability::shared_table}) {
        CAPTURE(name(probability));
        setup.probability = probability;
        const auto words = make_temperature_words(one_thread, setup);
        words->sweep(1);
        CHECK(words->words() == expected);
    }
}

TEST_CASE("loads take the six neighbours in all arrangements") {
    const int L = 8, n = 512;
    for (const Arrangement arrangement :
         {Arrangement::unified, Arrangement::separated, Arrangement::shuffled}) {
        CAPTURE(name(arrangement));
        const auto words = make_temperature_words(one_thread, small_setup(L, 0));
        const std::vector<std::uint32_t> before = words->loaded();
        // Place of a site of one of two lattices. The only lattice, or the first of two, is lattice 0.
        const auto place = [&](int lattice, int site) {
            const int colour = colour_of(site, L);
            if (arrangement == Arrangement::unified) return site;
            if (arrangement == Arrangement::separated) return colour * n / 2 + site / 2;
            return (colour ^ lattice) * n + site;
        };
        std::vector<std::uint32_t> expected = before;
        for (int realization = 0; realization < 3; ++realization)
            for (int pass = 0; pass < 4; ++pass)
                for (int lattice = 0; lattice < (arrangement == Arrangement::shuffled ? 2 : 1); ++lattice)
                    for (int site = 0; site < n; ++site) {
                        if (colour_of(site, L) != (pass ^ lattice) % 2) continue;
                        std::uint32_t* const of = expected.data() + 2 * n * realization;
                        for (const int at : near(site, L)) of[place(lattice, site)] ^= of[place(lattice, at)];
                    }
        words->load_neighbours(2, arrangement);
        CHECK(words->loaded() == expected);
        CHECK(words->loaded() != before);
    }
}

TEST_CASE("words of temperatures name what they cannot do") {
    TemperatureWordsSetup setup = small_setup(6, 0);
    const auto make = [&] { make_temperature_words(one_thread, setup); };
    CHECK(contains(message_of<InputError>(make), "no lattice of L = 6; use L = 4, 8 or 16"));
    setup.L = 4;
    setup.probability = Probability::exponential;
    CHECK(contains(message_of<InputError>(make), "thresholds with codings other than amsc1"));
    setup.probability = Probability::thresholds;
    setup.generator = "mt19937";
    CHECK(contains(message_of<InputError>(make), "use lcg32, xorwow, philox or philox7"));
}
