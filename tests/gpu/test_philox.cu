#include <curand_kernel.h>
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "random/philox.hpp"

using namespace psflip;

namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const RandomBlock& block) {
    return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

/// psflip's Philox for each counter.
__global__ void ours(const Counter* counters, RandomBlock* blocks, int n, std::uint64_t seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) blocks[i] = philox(counters[i], seed);
}

/// Philox4x32-10 by the public interface of cuRAND: seed = key, offset / 4 = words 0 and 1 of the counter
/// (word 1 below 2^30), subsequence = words 2 and 3.
__global__ void theirs(const Counter* counters, RandomBlock* blocks, int n, std::uint64_t seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Counter c = counters[i];
    const unsigned long long position = c.site | static_cast<unsigned long long>(c.sweep_low) << 32;
    const unsigned long long sequence = c.fields | static_cast<unsigned long long>(c.pack_purpose) << 32;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, sequence, 4 * position, &state);
    const uint4 words = curand4(&state);
    blocks[i] = {{words.x, words.y, words.z, words.w}};
}

using Kernel = void (*)(const Counter*, RandomBlock*, int, std::uint64_t);

std::vector<RandomBlock> run(Kernel kernel, const std::vector<Counter>& counters, std::uint64_t seed) {
    const int n = static_cast<int>(counters.size());
    DeviceBuffer<Counter> in(counters.size(), "counters");
    DeviceBuffer<RandomBlock> out(counters.size(), "random blocks");
    in.upload(counters, nullptr);
    launch(kernel, dim3(blocks_for(n, 128)), dim3(128), 0, nullptr, in.data(), out.data(), n, seed);
    std::vector<RandomBlock> blocks(counters.size());
    out.download(blocks, nullptr);
    return blocks;
}

}  // namespace

TEST_CASE("known answers of Random123 for philox4x32-10 on the device") {
    CHECK(words(run(ours, {{0, 0, 0, 0}}, 0)[0]) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(words(run(ours, {{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t{0})[0]) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(words(run(ours, {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822)[0]) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the device gives the same numbers as the host and as cuRAND") {
    std::vector<Counter> counters;
    std::uint64_t x = 12345;
    const auto next = [&x] {
        x = x * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(x >> 32);
    };
    for (int i = 0; i < 1000; ++i) counters.push_back({next(), next() & 0x3fffffffu, next(), next()});
    const std::uint64_t seed = 0x0123456789abcdef;
    const auto device = run(ours, counters, seed), curand = run(theirs, counters, seed);
    int equal_host = 0, equal_curand = 0;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        equal_host += words(device[i]) == words(philox(counters[i], seed));
        equal_curand += words(device[i]) == words(curand[i]);
    }
    CHECK(equal_host == 1000);
    CHECK(equal_curand == 1000);
}
