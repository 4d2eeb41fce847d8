// Grows the clusters of Houdayer moves in the memory of a block (sweep/houdayer.hpp).
//
// Clusters of all lanes grow at once along lines. A thread takes a line, up and down, and lets each site join
// that differs and has a neighbour in the cluster on this line. The block takes lines along x, y and z in
// turn until no site joins. A site of a line takes two loads each way, and a store if lanes join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"

namespace psflip {

/// Says that all bonds of the periodic lattice are present.
struct AllBondsPresent {
    __device__ std::uint32_t operator()(unsigned /*axis*/, unsigned /*x*/, unsigned /*y*/,
                                        unsigned /*z*/) const {
        return ~0u;
    }
};

/// Finds the words of a block by coordinates. Rows along x have one word more than sites, so that lines along
/// x use all banks.
class ClusterBlock {
    unsigned L_, depth_;
    std::uint32_t *differs_, *cluster_;

    /// Lets sites of a line join the cluster. start: place of the first site; stride: distance of places.
    /// x, y, z: of the first site. present: the lanes in which the bond of a site along the axis is present.
    template <class Bonds>
    __device__ bool close(std::uint32_t start, std::uint32_t stride, std::uint32_t length, unsigned axis,
                          std::uint32_t x, std::uint32_t y, std::uint32_t z, const Bonds& present) const {
        const auto bond = [&](std::uint32_t i) {
            return present(axis, axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z);
        };
        std::uint32_t joined = 0;
        std::uint32_t carry = cluster_[start + (length - 1) * stride] & bond(length - 1);
        for (std::uint32_t i = 0, at = start; i < length; ++i, at += stride) {
            const std::uint32_t old = cluster_[at], now = old | (differs_[at] & carry);
            if (now != old) cluster_[at] = now;
            joined |= now ^ old;
            carry = now & bond(i);
        }
        carry = cluster_[start];
        for (std::uint32_t i = length, at = start + (length - 1) * stride; i-- > 0; at -= stride) {
            const std::uint32_t old = cluster_[at], now = old | (differs_[at] & carry & bond(i));
            if (now != old) cluster_[at] = now;
            joined |= now ^ old;
            carry = now;
        }
        return joined != 0;
    }
    template <class Bonds>
    __device__ bool close_lines(unsigned axis, const Bonds& present) const {
        const std::uint32_t lines = L_ * (axis == 2 ? L_ : depth_);
        bool joined = false;
        for (std::uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
            const std::uint32_t second = i / L_, first = i - second * L_, x = axis == 0 ? 0 : first,
                                y = axis == 0   ? first
                                    : axis == 1 ? 0
                                                : second,
                                z = axis == 2 ? 0 : second;
            const std::uint32_t stride = axis == 0 ? 1 : axis == 1 ? L_ + 1 : (L_ + 1) * L_;
            joined |= close(place(x, y, z), stride, axis == 2 ? depth_ : L_, axis, x, y, z, present);
        }
        return joined;
    }

  public:
    __device__ ClusterBlock(unsigned L, unsigned depth, std::uint32_t* memory)
        : L_(L), depth_(depth), differs_(memory), cluster_(memory + memory_words(L, depth) / 2) {}

    /// Returns the number of 32-bit words in the memory of a block.
    __host__ __device__ static std::size_t memory_words(unsigned L, unsigned depth) {
        return 2 * std::size_t{L + 1} * L * depth;
    }
    __device__ std::uint32_t place(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return x + (L_ + 1) * (y + L_ * z);
    }
    __device__ std::uint32_t& differs(std::uint32_t place) const { return differs_[place]; }
    __device__ std::uint32_t& cluster(std::uint32_t place) const { return cluster_[place]; }

    /// Begins the cluster of one lane. Several threads may begin at one site.
    __device__ void begin(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned lane) const {
        const std::uint32_t at = place(x, y, z);
        atomicOr(cluster_ + at, differs_[at] & 1u << lane);
    }
    /// Lets all sites join that the clusters reach. Synchronizes the block.
    template <class Bonds>
    __device__ void grow(const Bonds& present) const {
        __syncthreads();
        for (bool joined = true; joined;) {
            joined = close_lines(0, present);
            __syncthreads();
            joined |= close_lines(1, present);
            __syncthreads();
            if (depth_ > 1) joined |= close_lines(2, present);
            joined = __syncthreads_or(joined) != 0;
        }
    }
};

/// Holds the memory of the blocks of a launch: shared memory, or device memory if a block needs too much.
struct ClusterBlockMemory {
    std::size_t block_words = 0, shared_bytes = 0;
    int max_blocks = 1 << 20;
    DeviceBuffer<std::uint32_t> device_memory;

    static int available_bytes(int device) {
        int available = 0;
        PSFLIP_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        return available;
    }
    ClusterBlockMemory() = default;
    ClusterBlockMemory(std::size_t words, int device) : block_words(words) {
        if (sizeof(std::uint32_t) * words <= static_cast<std::size_t>(available_bytes(device))) {
            shared_bytes = sizeof(std::uint32_t) * words;
            return;
        }
        int multiprocessors = 0;
        PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        constexpr std::size_t max_memory_words = std::size_t{1} << 27;
        max_blocks = static_cast<int>(
            std::clamp<std::size_t>(max_memory_words / words, 1, 2 * static_cast<unsigned>(multiprocessors)));
        device_memory = {words * static_cast<std::size_t>(max_blocks), "clusters"};
    }
    /// Lets a kernel use all shared memory of a block, because other objects may launch the kernel, too.
    template <class Kernel>
    static void allow(Kernel* kernel, int device) {
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         available_bytes(device)));
    }
};

}  // namespace psflip
