#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "io/hdf5/chunk_filters.hpp"

using namespace psflip;

namespace {

std::vector<std::byte> random_bytes(std::size_t size, unsigned most, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator() % (most + 1));
    return bytes;
}

/// Fletcher's sums word by word, reduced after each.
std::uint32_t plain_fletcher32(const std::vector<std::byte>& bytes) {
    const auto reduced = [](std::uint64_t sum) { return sum == 0 ? 0 : (sum - 1) % 65535 + 1; };
    std::uint64_t first = 0, second = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto low = i + 1 < bytes.size() ? std::to_integer<std::uint64_t>(bytes[i + 1]) : 0;
        first = reduced(first + (std::to_integer<std::uint64_t>(bytes[i]) << 8) + low);
        second = reduced(second + first);
    }
    return static_cast<std::uint32_t>(second << 16 | first);
}

}  // namespace

TEST_CASE("the checksum is Fletcher's, whatever the length") {
    for (const std::size_t size : {0, 1, 2, 3, 721, 8191, 8192, 8193, 100001}) {
        CAPTURE(size);
        const auto bytes = random_bytes(size, 255, static_cast<unsigned>(size));
        CHECK(fletcher32(bytes) == plain_fletcher32(bytes));
        const std::vector<std::byte> ones(size, std::byte{255});
        CHECK(fletcher32(ones) == plain_fletcher32(ones));
    }
    // words 6162, 6364, 6500: 29c7 is their sum, 4ff0 the sum of the sums
    CHECK(fletcher32(std::as_bytes(std::span("abcde", 5))) == 0x4ff029c7u);
}

TEST_CASE("chunks come back through all filters; damage of any byte is found") {
    for (const std::size_t width : {1, 2, 4, 8})
        for (const bool deflate : {false, true})
            for (const unsigned most : {0u, 7u, 255u}) {  // the last cannot be deflated
                CAPTURE(width);
                CAPTURE(deflate);
                CAPTURE(most);
                ChunkCodec codec({width, deflate, deflate, true});
                const auto chunk = random_bytes(width * 1001, most, 5);
                StoredChunk stored;
                codec.encode(chunk, stored);
                CHECK(stored.mask == (deflate && most == 255 ? 3 : 0));
                CHECK((stored.bytes.size() < chunk.size()) == (deflate && most < 255));
                std::vector<std::byte> back(chunk.size());
                REQUIRE(codec.decode(stored, back));
                CHECK(back == chunk);
                for (std::size_t at = 0; at < stored.bytes.size(); at += 97) {
                    StoredChunk damaged = stored;
                    damaged.bytes[at] ^= std::byte{16};
                    CHECK_FALSE(codec.decode(damaged, back));
                }
                std::vector<std::byte> longer(chunk.size() + width);
                CHECK_FALSE(codec.decode(stored, longer));
                StoredChunk cut = stored;
                cut.bytes.resize(3);
                CHECK_FALSE(codec.decode(cut, back));
            }
}
