#include "sweep/sites/site_packing.hpp"

#include <bit>

namespace psflip {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes of words are bits in ascending order");

constexpr int together = 8;  // local indices along x, which every subdomain has a multiple of
constexpr int index_bytes = lanes_of_lattice / 8;

/// Bit j of byte i to bit i of byte j.
std::uint64_t transposed(std::uint64_t m) {
    const auto exchange = [&m](int distance, std::uint64_t mask) {
        const std::uint64_t change = (m ^ (m >> distance)) & mask;
        m ^= change ^ (change << distance);
    };
    exchange(7, 0x00AA00AA00AA00AAu);
    exchange(14, 0x0000CCCC0000CCCCu);
    exchange(28, 0x00000000F0F0F0F0u);
    return m;
}

/// Calls f(bytes of `together` local indices x, x + 1, ... along a row, number of the byte of the sites of
/// subdomain 0 there) for the local indices of some rows.
template <class F>
void for_each_run(const SiteLanes& lanes, std::int64_t begin, std::int64_t end, F f) {
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t y = row % lanes.extent[1], z = row / lanes.extent[1];
        for (std::int64_t x = 0; x < lanes.extent[0]; x += together) {
            std::int64_t byte[together];
            for (int i = 0; i < together; ++i)
                byte[i] = index_bytes * ((x + i + y + z) % 2 * lanes.colour_indices() +
                                         row * lanes.row_words() + (x + i) / 2);
            f(byte, (x + lanes.L * (y + lanes.L * z)) / 8);
        }
    }
}

struct SubdomainBytes {
    std::int64_t byte[lanes_of_lattice];  ///< where the sites of each subdomain begin
    explicit SubdomainBytes(const SiteLanes& lanes) {
        for (int lane = 0; lane < lanes_of_lattice; ++lane) byte[lane] = lanes.site(lane, 0, 0, 0) / 8;
    }
};

}  // namespace

void bits_of_words(const SiteLanes& lanes, std::span<const std::uint64_t> words,
                   std::span<std::uint64_t> bits, ThreadPool& pool) {
    const SubdomainBytes subdomains(lanes);
    const auto* const from = reinterpret_cast<const std::uint8_t*>(words.data());
    auto* const to = reinterpret_cast<std::uint8_t*>(bits.data());
    share_out(pool, lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
        for_each_run(lanes, begin, end, [&](const std::int64_t(&at)[together], std::int64_t site_byte) {
            for (int k = 0; k < index_bytes; ++k) {
                std::uint64_t m = 0;
                for (int i = 0; i < together; ++i) m |= std::uint64_t{from[at[i] + k]} << 8 * i;
                m = transposed(m);
                for (int j = 0; j < 8; ++j)
                    to[subdomains.byte[8 * k + j] + site_byte] = static_cast<std::uint8_t>(m >> 8 * j);
            }
        });
    });
}

void words_of_bits(const SiteLanes& lanes, std::span<const std::uint64_t> bits,
                   std::span<std::uint64_t> words, ThreadPool& pool) {
    const SubdomainBytes subdomains(lanes);
    const auto* const from = reinterpret_cast<const std::uint8_t*>(bits.data());
    auto* const to = reinterpret_cast<std::uint8_t*>(words.data());
    share_out(pool, lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
        for_each_run(lanes, begin, end, [&](const std::int64_t(&at)[together], std::int64_t site_byte) {
            for (int k = 0; k < index_bytes; ++k) {
                std::uint64_t m = 0;
                for (int j = 0; j < 8; ++j)
                    m |= std::uint64_t{from[subdomains.byte[8 * k + j] + site_byte]} << 8 * j;
                m = transposed(m);
                for (int i = 0; i < together; ++i) to[at[i] + k] = static_cast<std::uint8_t>(m >> 8 * i);
            }
        });
    });
}

}  // namespace psflip
