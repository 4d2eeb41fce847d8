#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "random/purposes.hpp"

using namespace psflip;

namespace {

using Words = std::array<std::uint32_t, 4>;

Words words_of(const Counter& c) {
    return {c.site, c.sweep_low, c.fields, c.pack_purpose};
}

/// The fields back from the four words, by the bit positions of the contract.
using Fields = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t,
                          std::uint32_t, std::uint32_t>;
Fields fields_of(const Counter& c) {
    return {c.site,
            c.sweep_low | std::uint64_t{c.fields & 0xffffu} << 32,
            c.fields >> 16 & 63u,
            c.fields >> 22 & 7u,
            c.fields >> 25 & 7u,
            c.pack_purpose & 0xffffffu,
            c.pack_purpose >> 24};
}

/// Every random bit that a small world uses, as (counter, first bit, number of bits) of the 128 of a block,
/// walked as the table of random/purposes.hpp says. No bit may be used twice, but for a number that `share`
/// realizations share.
struct Use {
    Words counter;
    int bit, bits;
    auto operator<=>(const Use&) const = default;
};

constexpr int sites = 5, sweeps = 4, slots = 18, replicas = 3;
constexpr std::uint32_t realizations = 384;

void add(std::vector<Use>& uses, Purpose purpose, int site, std::uint64_t sweep, int slot, int replica,
         int digit, std::uint32_t pack, int bit, int bits) {
    uses.push_back({words_of(make_counter(purpose, site, sweep, slot, replica, digit, pack)), bit, bits});
}

void add_disorder(std::vector<Use>& uses) {
    for (std::uint32_t r = 0; r < realizations; ++r)
        for (int site = 0; site < sites; ++site)
            for (int direction = 0; direction < 3; ++direction) {
                if (direction == 0) add(uses, Purpose::occupation, site, 0, 0, 0, 0, r, 96, 32);
                add(uses, Purpose::couplings, site, 0, 0, 0, 0, r, 32 * direction, 32);
                add(uses, Purpose::occupation, site, 0, 0, 0, 0, r, 32 * direction, 32);
                add(uses, Purpose::gaussian, site, 0, 0, 0, direction / 2, r, 64 * (direction % 2), 64);
            }
}

void add_lattice(std::vector<Use>& uses, int replica, int t, int share) {
    for (int site = 0; site < sites; ++site) {
        for (std::uint32_t r = 0; r < realizations; ++r)
            add(uses, Purpose::initial_spins, site, 0, t, replica, 0, r / 128, r / 32 % 4 * 32 + r % 32, 1);
        for (int s = 0; s < sweeps; ++s) {
            if (share > 1)
                for (std::uint32_t pack = 0; pack < realizations / share; ++pack)
                    add(uses, Purpose::metropolis, site, s, t / 4, replica, 0, pack, 32 * (t % 4), 32);
            else
                for (std::uint32_t r = 0; r < realizations; r += 7)
                    for (int k = 0; k < 32; ++k)
                        add(uses, Purpose::metropolis_bits, site, s, t, replica, k / 4, r / 32,
                            32 * (k % 4) + r % 32, 1);
        }
    }
}

void add_clusters(std::vector<Use>& uses, int replica, int t) {
    for (std::uint32_t r = 0; r < realizations; r += 7)
        for (int step = 0; step < sweeps; ++step) {
            add(uses, Purpose::wolff_site, 0, step, t, replica, 0, r, 0, 64);
            for (int site = 0; site < sites; ++site) {
                for (int d = 0; d < 3; ++d)
                    add(uses, Purpose::cluster_bond, site, step, t, replica, 0, r, 32 * d, 32);
                add(uses, Purpose::cluster_bond, site, step, t, replica, 0, r, 127, 1);
            }
        }
}

/// Updates and first directions of continuous spins.
void add_vectors(std::vector<Use>& uses, int replica, int t) {
    for (int site = 0; site < sites; ++site)
        for (std::uint32_t r = 0; r < realizations; r += 7) {
            add(uses, Purpose::vector_start, site, 0, t, replica, 0, r, 0, 64);
            for (int s = 0; s < sweeps; ++s)
                for (int word = 0; word < 3; ++word)
                    add(uses, Purpose::vector_update, site, s, t, replica, 0, r, 32 * word, 32);
        }
}

void add_exchanges(std::vector<Use>& uses, int replica, int sweeps_per_swap) {
    for (int s = sweeps_per_swap; s <= sweeps; s += sweeps_per_swap)
        for (int t = s / sweeps_per_swap % 2; t + 1 < slots; t += 2)
            for (std::uint32_t r = 0; r < realizations; ++r)
                add(uses, Purpose::exchange, 0, s, t / 2 / 4, replica, 0, r, 32 * (t / 2 % 4), 32);
}

}  // namespace

TEST_CASE("no random bit has two uses") {
    for (int share : {1, 32, 64, 128})
        for (int sweeps_per_swap : {1, 2}) {
            std::vector<Use> uses;
            add_disorder(uses);
            for (int replica = 0; replica < replicas; ++replica) {
                for (int t = 0; t < slots; ++t) add_lattice(uses, replica, t, share);
                for (int t = 0; t < slots; ++t) add_vectors(uses, replica, t);
                for (int t = 0; t < slots; ++t) add_clusters(uses, replica, t);
                add_exchanges(uses, replica, sweeps_per_swap);
            }
            std::sort(uses.begin(), uses.end());
            bool overlap = false;
            for (std::size_t i = 1; i < uses.size(); ++i)
                overlap |= uses[i].counter == uses[i - 1].counter &&
                           uses[i].bit < uses[i - 1].bit + uses[i - 1].bits;
            CHECK_MESSAGE(!overlap, "share ", share);
        }
}

TEST_CASE("counter fields keep apart up to their limits") {
    const std::uint32_t site_values[] = {0, 1, static_cast<std::uint32_t>(max_sites - 1)};
    const std::uint64_t sweep_values[] = {0, 1, 0xffffffffull, 0x100000000ull,
                                          static_cast<std::uint64_t>(max_sweeps - 1)};
    const std::uint32_t slot_values[] = {0, 1, max_temperatures - 1};
    const std::uint32_t replica_values[] = {0, 1, max_replicas - 1};
    const std::uint32_t digit_values[] = {0, 1, 7};
    const std::uint32_t pack_values[] = {0, 1, static_cast<std::uint32_t>(max_packs - 1)};
    const Purpose purposes[] = {Purpose::couplings,       Purpose::initial_spins, Purpose::metropolis,
                                Purpose::metropolis_bits, Purpose::exchange,      Purpose::occupation,
                                Purpose::vector_update,   Purpose::vector_start,  Purpose::gaussian,
                                Purpose::demon,           Purpose::field_demon,   Purpose::isolated_spin,
                                static_cast<Purpose>(255)};
    std::set<Words> seen;
    std::size_t count = 0;
    for (Purpose purpose : purposes)
        for (std::uint32_t site : site_values)
            for (std::uint64_t sweep : sweep_values)
                for (std::uint32_t slot : slot_values)
                    for (std::uint32_t replica : replica_values)
                        for (std::uint32_t digit : digit_values)
                            for (std::uint32_t pack : pack_values) {
                                const Counter c =
                                    make_counter(purpose, site, sweep, slot, replica, digit, pack);
                                REQUIRE(fields_of(c) == Fields{site, sweep, slot, replica, digit, pack,
                                                               static_cast<std::uint32_t>(purpose)});
                                seen.insert(words_of(c));
                                ++count;
                            }
    CHECK(seen.size() == count);
}

TEST_CASE("purposes are numbered as published") {
    CHECK(static_cast<int>(Purpose::couplings) == 1);
    CHECK(static_cast<int>(Purpose::initial_spins) == 2);
    CHECK(static_cast<int>(Purpose::metropolis) == 3);
    CHECK(static_cast<int>(Purpose::metropolis_bits) == 4);
    CHECK(static_cast<int>(Purpose::exchange) == 5);
    CHECK(static_cast<int>(Purpose::occupation) == 6);
    CHECK(static_cast<int>(Purpose::vector_update) == 9);
    CHECK(static_cast<int>(Purpose::vector_start) == 10);
    CHECK(static_cast<int>(Purpose::gaussian) == 11);
    CHECK(static_cast<int>(Purpose::demon) == 12);
    CHECK(static_cast<int>(Purpose::field_demon) == 13);
    CHECK(static_cast<int>(Purpose::isolated_spin) == 14);
    CHECK(static_cast<int>(Purpose::site_demon) == 15);
    CHECK(static_cast<int>(Purpose::replica_demon) == 16);
    CHECK(static_cast<int>(Purpose::houdayer) == 17);
    CHECK(max_sites == 1073741824);
    CHECK(max_sweeps == 281474976710656);
    CHECK(max_packs == 16777216);
}
