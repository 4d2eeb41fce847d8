#include "sweep/sites/site_counts.hpp"

#include <doctest/doctest.h>

#include <random>

#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "measure/replicon.hpp"
#include "reference/cases.hpp"
#include "sweep/sites/site_packing.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

std::vector<std::uint64_t> random_words(std::size_t n, int seed) {
    std::mt19937_64 generator(seed);
    std::vector<std::uint64_t> words(n);
    for (std::uint64_t& word : words) word = generator();
    return words;
}

/// Whether the site is 1 in words (word, half).
bool bit_at(const SiteLanes& lanes, const std::vector<std::uint64_t>& words, std::int64_t site) {
    const auto place = lanes.place(site);
    return words[2 * place.word + place.lane / 64] >> place.lane % 64 & 1;
}

DifferenceCounts naive_counts(const SiteLanes& lanes, const std::vector<std::uint64_t>& a,
                              const std::vector<std::uint64_t>& b) {
    const int L = lanes.L, d = lanes.dimension;
    std::vector<bool> differ;
    for (std::int64_t site = 0; site < lanes.sites(); ++site)
        differ.push_back(bit_at(lanes, a, site) != (b.empty() || bit_at(lanes, b, site)));
    DifferenceCounts counts;
    counts.planes.assign(plane_families(d, true) * L, 0);
    for (std::int64_t site = 0; site < lanes.sites(); ++site) {
        const int x = static_cast<int>(site % L), y = static_cast<int>(site / L % L),
                  z = static_cast<int>(site / L / L);
        const int number[9] = {x,     y,    d == 3 ? z : x + y, d == 3 ? x + y : x - y, x - y, x + z, x - z,
                               y + z, y - z};
        for (int family = 0; family < plane_families(d, true); ++family)
            counts.planes[family * L + (number[family] + L) % L] += differ[site];
        const std::int64_t next[3] = {site - x + (x + 1) % L, site + ((y + 1) % L - y) * L,
                                      site + std::int64_t{(z + 1) % L - z} * L * L};
        for (int axis = 0; axis < d; ++axis) counts.links += differ[site] != differ[next[axis]];
    }
    return counts;
}

}  // namespace

TEST_CASE("planes, diagonals and links of two lattices whose subdomains are lanes") {
    for (const auto& [dimension, L] : {std::pair(2, 64), std::pair(2, 192), std::pair(3, 32)}) {
        const SiteLanes lanes(dimension, L);
        const auto a = random_words(2 * lanes.local_indices(), 1),
                   b = random_words(2 * lanes.local_indices(), 2);
        for (const auto& other : {b, std::vector<std::uint64_t>()}) {
            const DifferenceCounts wanted = naive_counts(lanes, a, other);
            for (const std::string& level : simd_levels())
                for (int threads : {1, 3}) {
                    const ForceSimd force(level);
                    ThreadPool pool(threads);
                    SiteCounter counter(lanes, simd_level());
                    DifferenceCounts counts;
                    counter.count(a, other, true, pool, counts);
                    CHECK(counts.planes == wanted.planes);
                    CHECK(counts.links == (other.empty() ? 0 : wanted.links));
                    counter.count(a, other, false, pool, counts);
                    CHECK(std::equal(counts.planes.begin(), counts.planes.end(), wanted.planes.begin()));
                    CHECK(counts.planes.size() == static_cast<std::size_t>(dimension * L));
                }
        }
    }
}

TEST_CASE("full planes leave counters room") {
    const SiteLanes lanes(2, 128);
    const std::vector<std::uint64_t> down(2 * lanes.local_indices(), 0);
    SiteCounter counter(lanes, simd_level());
    DifferenceCounts counts;
    counter.count(down, {}, true, caller_alone(), counts);
    CHECK(counts.planes == std::vector<std::int32_t>(4 * 128, 128));
}

TEST_CASE("a bit for each site of words, and back") {
    for (const auto& [dimension, L] :
         {std::pair(2, 64), std::pair(2, 320), std::pair(3, 32), std::pair(3, 96)}) {
        const SiteLanes lanes(dimension, L);
        const auto words = random_words(2 * lanes.local_indices(), 3);
        std::vector<std::uint64_t> bits(lanes.sites() / 64), back(words.size());
        ThreadPool pool(2);
        bits_of_words(lanes, words, bits, pool);
        std::int64_t wrong = 0;
        for (std::int64_t site = 0; site < lanes.sites(); ++site)
            wrong += (bits[site / 64] >> site % 64 & 1) != bit_at(lanes, words, site);
        CHECK(wrong == 0);
        words_of_bits(lanes, bits, back, pool);
        CHECK(back == words);
    }
}

TEST_CASE("bits of sites are the canonical spins, in whole and in pieces") {
    for (int realizations : {1, 3, 70}) {
        Shape shape{64, 2, 2, realizations, 32, 1, 2};
        shape.coding = Lanes::sites;
        const auto canonical = random_spins(shape, 7);
        const auto bits = held_of(shape, canonical);
        CHECK(bits == random_held_spins(shape, 7));
        CHECK(std::ssize(bits) == held_words(shape));
        std::vector<std::uint64_t> again(bits.size(), 0), piece(canonical.size());
        unpack_site_bits(shape, bits, 0, piece);
        CHECK(piece == canonical);
        const std::int64_t step = 64 * 50;  // lattices of 4096 sites: some pieces have parts of two
        for (std::int64_t first = 0; first < std::ssize(canonical); first += step) {
            piece.resize(std::min(step, std::ssize(canonical) - first));
            unpack_site_bits(shape, bits, first, piece);
            CHECK(std::equal(piece.begin(), piece.end(), canonical.begin() + first));
            pack_site_bits(shape, first, piece, again);
        }
        CHECK(again == bits);
        Shape last = shape;
        last.temperatures = 1;
        std::vector<std::uint64_t> wanted;
        const std::int64_t row = shape.packs64() * shape.sites();
        for (int slot : {1, 3})
            wanted.insert(wanted.end(), canonical.begin() + slot * row, canonical.begin() + (slot + 1) * row);
        CHECK(last_slot(shape, bits) == held_of(last, wanted));
    }
}

TEST_CASE("bits of sites are read in boxes that cover the canonical spins") {
    for (int L : {64, 2112}) {  // of 2112 a lattice is more than a box
        Shape shape{L, 1, L == 64 ? 3 : 1, 2, 0, 1, 2};
        shape.coding = Lanes::sites;
        const auto canonical = random_spins(shape, 5);
        const auto extents = canonical_extents(shape);
        int boxes = 0;
        const auto read = [&](const Box& box) {
            std::int64_t first = 0, count = 1;
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                first = first * extents[axis] + box.first[axis];
                count *= box.count[axis];
            }
            ++boxes;
            return std::vector(canonical.begin() + first, canonical.begin() + first + count);
        };
        CHECK(read_held_spins(shape, read) == held_of(shape, canonical));
        CHECK((boxes > 1) == (L == 2112));
        shape.coding = Lanes::realizations;
        CHECK(read_held_spins(shape, read) == canonical);
    }
}

TEST_CASE("an ensemble holds its spins as bits of sites") {
    for (const Case& which : site_cases()) {
        const Shape shape = shape_of(which.world);
        const auto ensemble = make_ising_ensemble({{"cpu", 2, 0},
                                                   shape,
                                                   betas_of(which.world),
                                                   which.world.seed,
                                                   couplings(which.world),
                                                   0,
                                                   model_of(which.world)});
        const auto canonical = random_spins(shape, 9);
        ensemble->set_held_spins({held_of(shape, canonical)});
        CHECK(ensemble->spins() == canonical);
        CHECK(ensemble->held_spins().bits == held_of(shape, canonical));
    }
}
