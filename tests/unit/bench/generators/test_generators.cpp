#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "bench/generators/lagged_fibonacci.hpp"
#include "bench/generators/lcg.hpp"
#include "bench/generators/minstd.hpp"
#include "bench/generators/mt19937.hpp"
#include "bench/generators/parisi_rapuano.hpp"
#include "bench/generators/philox_stream.hpp"
#include "bench/generators/stream_set.hpp"
#include "bench/generators/xorshift64star.hpp"
#include "bench/generators/xorwow.hpp"

using namespace psflip;

namespace {

/// Memory of some streams.
struct Streams {
    std::size_t count;
    std::vector<std::uint32_t> memory;

    Streams(std::size_t count, int words) : count(count), memory(count * words) {}
    StreamWords operator[](std::size_t t) { return {memory.data() + t, count}; }
};

/// The first numbers of one stream.
template <class G>
std::vector<std::uint32_t> numbers(std::uint64_t seed, int count) {
    Streams one(1, G::words);
    G::seed(one[0], seed);
    G generator(one[0], 0);
    std::vector<std::uint32_t> result(count);
    for (std::uint32_t& number : result) number = generator.next();
    return result;
}

}  // namespace

TEST_CASE("MINSTD: the published number, and its definition") {
    Streams one(1, Minstd::words);
    one[0][0] = 1;
    Minstd generator(one[0], 0);
    std::uint64_t R = 1;
    for (int i = 0; i < 10000; ++i) {
        R = 16807 * R % Minstd::range;
        REQUIRE(generator.next() == R);
    }
    CHECK(R == 1043618065);
    for (const std::uint64_t seed : {0ul, 1ul, 2147483645ul, 2147483646ul, ~0ul}) {
        Minstd::seed(one[0], seed);
        CHECK(one[0][0] >= 1);
        CHECK(one[0][0] < Minstd::range);
    }
}

TEST_CASE("linear congruential generators: published numbers") {
    CHECK(numbers<Lcg32>(1, 3) == std::vector<std::uint32_t>{1015568748, 1586005467, 2165703038});
    Streams one(1, Lcg64::words);
    Lcg64::seed(one[0], 1);
    Lcg64 generator(one[0], 0);
    for (const std::uint64_t state : {4305628596666905164ul, 2065925856301512299ul, 10863753084302465294ul}) {
        CHECK(generator.next() == state >> 32);
        CHECK(generator.state() == state);
    }
}

TEST_CASE_TEMPLATE("streams that share a sequence take turns", G, Lcg32, Lcg64) {
    for (const std::size_t streams : {1, 3, 64}) {
        Streams all(streams, G::words);
        std::vector<G> generators;
        for (std::size_t t = 0; t < streams; ++t) {
            G::seed_in_sequence(all[t], 1, t, streams);
            generators.emplace_back(all[t], 0, G::single.power(streams));
        }
        const auto sequence = numbers<G>(1, 500);
        for (std::size_t i = 0; i < sequence.size(); ++i)
            REQUIRE(generators[i % streams].next() == sequence[i]);
    }
}

TEST_CASE_TEMPLATE("many steps at once are steps one by one", Word, std::uint32_t, std::uint64_t) {
    for (const std::uint64_t t : {0, 1, 2, 17, 4096, 99999}) {
        Word x = 12345;
        for (std::uint64_t i = 0; i < t; ++i) x = Lcg<Word>::single(x);
        CHECK(Lcg<Word>::single.power(t)(12345) == x);
    }
    CHECK(Lcg<Word>::single.power(std::uint64_t{1} << 32).multiplier ==
          (sizeof(Word) == 4 ? 1 : lcg64_step.power(1ul << 32).multiplier));
}

TEST_CASE("low bits of many streams of Parisi-Rapuano: half are set, whatever the lowest bits of the seeds") {
    constexpr int streams = 16384, each = 64, bits = 8;
    std::array<double, bits> set{};
    std::array<std::uint32_t, ParisiRapuano::words> wheel;
    for (int t = 0; t < streams; ++t) {
        ParisiRapuano::seed({wheel.data(), 1}, stream_seed(5, t) & ~std::uint64_t{255});
        ParisiRapuano generator({wheel.data(), 1}, 0);
        for (int i = 0; i < each; ++i) {
            const std::uint32_t number = generator.next();
            for (int k = 0; k < bits; ++k) set[k] += number >> k & 1;
        }
    }
    const double n = double{streams} * each;
    for (int k = 0; k < bits; ++k) CHECK(std::abs(set[k] - n / 2) < 4 * std::sqrt(n) / 2);
}

TEST_CASE("Parisi-Rapuano: numbers of another implementation") {
    std::vector<std::uint32_t> w, wheel;  // w: the definition, without a wheel
    for (std::uint32_t x = 1; w.size() < 62;) w.push_back(x = lcg32_step(x));
    wheel = w;
    ParisiRapuano generator({wheel.data(), 1}, 0);
    std::vector<std::uint32_t> found;
    for (int i = 0; i < 200; ++i) found.push_back(generator.next());
    CHECK(std::vector(found.begin(), found.begin() + 3) ==
          std::vector<std::uint32_t>{820901664, 994164227, 748704978});
    for (const std::uint32_t number : found) {
        const std::size_t i = w.size();
        w.push_back(w[i - 24] + w[i - 55]);
        REQUIRE(number == (w[i] ^ w[i - 61]));
    }
}

TEST_CASE("MT19937 is that of the standard library") {
    for (const std::uint32_t seed : {5489u, 1u, 4000000000u}) {
        std::mt19937 standard(seed);
        const auto found = numbers<Mt19937>(seed, 10000);
        for (const std::uint32_t number : found) REQUIRE(number == standard());
        if (seed == 5489u) CHECK(found.back() == 4123659995);
    }
}

TEST_CASE("xorshift64*: the definition") {
    Streams one(1, Xorshift64Star::words);
    Xorshift64Star::seed(one[0], 1);
    Xorshift64Star generator(one[0], 0);
    CHECK(generator.product() == 5180492295206395165u);
    CHECK(numbers<Xorshift64Star>(0, 5) == numbers<Xorshift64Star>(1, 5));
}

TEST_CASE("XORWOW: the first words of Marsaglia") {
    Streams one(1, Xorwow::words);
    const std::uint32_t first[] = {123456789, 362436069, 521288629, 88675123, 5783321, 6615241};
    for (std::size_t j = 0; j < 6; ++j) one[0][j] = first[j];
    Xorwow generator(one[0], 0);
    for (const std::uint32_t number : {246875399u, 3690007200u, 1264581005u, 3906711041u})
        CHECK(generator.next() == number);
    std::uint32_t number = 0;
    for (int i = 4; i < 10000; ++i) number = generator.next();
    CHECK(number == 4226909152);
}

TEST_CASE_TEMPLATE("lagged Fibonacci: fractions in single precision, and numbers side by side", G,
                   Fibonacci521, Fibonacci1279) {
    constexpr int r = G::words, s = r == 521 ? 353 : 861;
    Streams one(1, r);
    G::seed(one[0], 7);
    std::vector<float> u;
    for (int j = 0; j < r; ++j) u.push_back(static_cast<float>(one[0][j]) / 8388608.0f);
    G generator(one[0], 0);
    for (int n = 0; n < 5000; ++n) {
        const float sum = u[u.size() - r] + u[u.size() - s];
        u.push_back(sum >= 1.0f ? sum - 1.0f : sum);
    }
    for (int n = 0; n < 5000; n += s) {
        for (int k = 0; k < s && n + k < 5000; ++k)
            REQUIRE(static_cast<float>(generator.ahead(k)) == 8388608.0f * u[r + n + k]);
        for (int k = 0; k < s && n + k < 5000; ++k)
            REQUIRE(static_cast<float>(generator.next()) == 8388608.0f * u[r + n + k]);
    }
}

TEST_CASE_TEMPLATE("streams side by side continue after a stop, and have the mean of their range", G, Minstd,
                   Lcg32, Lcg64, Xorshift64Star, Xorwow, ParisiRapuano, Mt19937, Fibonacci521, Fibonacci1279,
                   PhiloxStream, Philox7Stream) {
    constexpr std::size_t streams = 5;
    Streams all(streams, G::words);
    for (std::size_t t = 0; t < streams; ++t) G::seed(all[t], stream_seed(99, t));
    std::vector<std::vector<std::uint32_t>> found(streams);
    std::uint64_t drawn = 0;
    for (const int part : {1, 60, 700, 3000}) {
        for (std::size_t t = 0; t < streams; ++t) {
            G generator(all[t], drawn);
            for (int i = 0; i < part; ++i) found[t].push_back(generator.next());
            generator.store(all[t]);
        }
        drawn += part;
    }
    double mean = 0.0;
    for (std::size_t t = 0; t < streams; ++t) {
        CHECK(found[t] == numbers<G>(stream_seed(99, t), static_cast<int>(drawn)));
        for (const std::uint32_t number : found[t]) {
            REQUIRE(number < G::range);
            mean += static_cast<double>(number) / static_cast<double>(G::range) /
                    static_cast<double>(streams * drawn);
        }
    }
    CHECK(std::abs(mean - 0.5) < 4.0 / std::sqrt(12.0 * streams * drawn));
}

TEST_CASE("Philox as a stream gives the four words of one call after the other") {
    const auto found = numbers<PhiloxStream>(0x0123456789abcdef, 12);
    for (std::uint32_t n = 0; n < found.size(); ++n)
        CHECK(found[n] == philox({n / 4, 0, 0, 0}, 0x0123456789abcdef).word[n % 4]);
}

TEST_CASE("threads of a block that draw side by side leave the ring as one after the other does") {
    Streams one(1, Fibonacci521::words), other(1, Fibonacci521::words);
    Fibonacci521::seed(one[0], 3);
    Fibonacci521::seed(other[0], 3);
    Fibonacci521 block(one[0], 0), single(other[0], 0);
    for (const int width : {1, 353, 128, 300, 7, 353, 200}) {
        std::vector<std::uint32_t> side_by_side(width);
        for (int k = 0; k < width; ++k) side_by_side[k] = block.ahead(k);
        for (int k = 0; k < width; ++k) block.put(k, side_by_side[k]);
        block.skip(width);
        for (int k = 0; k < width; ++k) REQUIRE(side_by_side[k] == single.next());
        REQUIRE(one.memory == other.memory);
    }
}

TEST_CASE("the memory of streams one after the other, and as a device has it") {
    StreamSet<Xorshift64Star> set(3, {.seed = 8});
    const auto device = set.side_by_side();
    for (std::size_t t = 0; t < 3; ++t) {
        const std::uint64_t seed = stream_seed(8, t);
        for (int j = 0; j < 2; ++j) {
            CHECK(set.view().words(t)[j] == static_cast<std::uint32_t>(seed >> (32 * j)));
            CHECK(device[j * 3 + t] == static_cast<std::uint32_t>(seed >> (32 * j)));
        }
    }
}
