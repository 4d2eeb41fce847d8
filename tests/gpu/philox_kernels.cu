#include "philox_kernels.hpp"

#include <curand_kernel.h>

#include "base/device_buffer.cuh"

namespace {

__global__ void ours(const psflip::Counter* counters, psflip::RandomBlock* blocks, int n,
                     std::uint64_t seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) blocks[i] = psflip::philox(counters[i], seed);
}

__global__ void theirs(const psflip::Counter* counters, psflip::RandomBlock* blocks, int n,
                       std::uint64_t seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const psflip::Counter c = counters[i];
    const unsigned long long position = c.site | static_cast<unsigned long long>(c.sweep_low) << 32;
    const unsigned long long sequence = c.fields | static_cast<unsigned long long>(c.pack_purpose) << 32;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, sequence, 4 * position, &state);
    const uint4 words = curand4(&state);
    blocks[i] = {{words.x, words.y, words.z, words.w}};
}

using Kernel = void (*)(const psflip::Counter*, psflip::RandomBlock*, int, std::uint64_t);

std::vector<psflip::RandomBlock> run(Kernel kernel, const std::vector<psflip::Counter>& counters,
                                     std::uint64_t seed) {
    const int n = static_cast<int>(counters.size());
    psflip::DeviceBuffer<psflip::Counter> in(counters.size(), "counters");
    psflip::DeviceBuffer<psflip::RandomBlock> out(counters.size(), "random blocks");
    in.upload(counters, nullptr);
    psflip::launch(kernel, dim3(psflip::blocks_for(n, 128)), dim3(128), 0, nullptr, in.data(), out.data(), n,
                   seed);
    std::vector<psflip::RandomBlock> blocks(counters.size());
    out.download(blocks, nullptr);
    return blocks;
}

}  // namespace

std::vector<psflip::RandomBlock> device_philox(const std::vector<psflip::Counter>& counters,
                                               std::uint64_t seed) {
    return run(ours, counters, seed);
}

std::vector<psflip::RandomBlock> curand_philox(const std::vector<psflip::Counter>& counters,
                                               std::uint64_t seed) {
    return run(theirs, counters, seed);
}
