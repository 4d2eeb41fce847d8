#include "bench/rng_stream.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

void check(const SweepNumbers& numbers) {
    if (numbers.L < 2 || numbers.L % 2 != 0 || numbers.L > 512)
        throw InputError(fmt::format("L = {} is not possible; use an even L from 2 to 512", numbers.L));
    if (numbers.replicas < 1 || numbers.replicas > max_replicas || numbers.temperatures < 4 ||
        numbers.temperatures > max_temperatures || numbers.temperatures % 4 != 0)
        throw InputError(
            fmt::format("{} replicas and {} temperatures are not possible; use 1 to {} replicas and a "
                        "multiple of 4 up to {} temperatures",
                        numbers.replicas, numbers.temperatures, max_replicas, max_temperatures));
}

/// Writes little-endian numbers on every machine.
std::vector<unsigned char> bytes_of(const std::vector<std::uint32_t>& words) {
    std::vector<unsigned char> bytes;
    bytes.reserve(4 * words.size());
    for (const std::uint32_t word : words)
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<unsigned char>(word >> shift));
    return bytes;
}

}  // namespace

std::vector<std::uint32_t> SweepNumbers::of_sweep(std::uint64_t sweep) const {
    std::vector<std::uint32_t> words;
    const auto n = static_cast<std::uint32_t>(L), sites = n * n * n;
    words.reserve(std::size_t{sites} * replicas * temperatures);
    for (std::uint32_t colour = 0; colour < 2; ++colour)
        for (std::uint32_t site = 0; site < sites; ++site) {
            if ((site + site / n + site / n / n) % 2 != colour) continue;
            for (int replica = 0; replica < replicas; ++replica)
                for (int four = 0; four < temperatures / 4; ++four) {
                    const Counter counter =
                        make_counter(Purpose::metropolis, site, sweep, four, replica, 0, pack);
                    const RandomBlock block = philox(counter, seed);
                    words.insert(words.end(), block.word, block.word + 4);
                }
        }
    return words;
}

void write_sweep_numbers(const SweepNumbers& numbers, std::uint64_t bytes) {
    check(numbers);
    std::uint64_t written = 0;
    for (std::uint64_t sweep = 0; bytes == 0 || written < bytes; ++sweep) {
        const std::vector<unsigned char> block = bytes_of(numbers.of_sweep(sweep));
        if (std::fwrite(block.data(), 1, block.size(), stdout) != block.size())
            throw EnvironmentError(
                "standard output cannot be written; the program that reads it may have ended");
        written += block.size();
    }
    if (std::fflush(stdout) != 0)
        throw EnvironmentError("standard output cannot be written; the program that reads it may have ended");
}

}  // namespace psflip
