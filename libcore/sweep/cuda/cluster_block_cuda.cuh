// Grows the clusters of Houdayer moves in the memory of a block (sweep/houdayer.hpp).
//
// Clusters of all lanes grow at once along lines. A thread takes 32 lanes of a line, up and down, and lets
// each site join that differs and has a neighbour in the cluster on this line. The block takes lines along x,
// y and z in turn. It takes only lines that are open: a site of them joined along another axis. A site of an
// open line takes two loads each way, and a store and two marks if lanes join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"

namespace psflip {

/// Says that all bonds of the periodic lattice are present.
struct AllBondsPresent {
    __device__ std::uint32_t operator()(unsigned /*axis*/, unsigned /*x*/, unsigned /*y*/, unsigned /*z*/,
                                        unsigned /*word*/) const {
        return ~0u;
    }
};

/// Finds the words of a block. Each site has W words of 32 lanes. Rows along x have one site more than the
/// lattice, so that lines along x use all banks.
template <unsigned W>
class ClusterBlock {
    static constexpr unsigned together = 4;  ///< sites of a line that are loaded at once

    unsigned L_, depth_;
    std::uint32_t *differs_, *cluster_;
    std::uint8_t* open_;  ///< (axis, line, word)

    __host__ __device__ static unsigned words_of(unsigned L, unsigned depth) {
        return W * (L + 1) * L * depth;
    }
    __device__ unsigned axes() const { return depth_ == 1 ? 2 : 3; }
    __device__ unsigned lines(unsigned axis) const { return L_ * (axis == 2 ? L_ : depth_); }
    /// Returns the mark of the line of a site along an axis.
    __device__ std::uint8_t& open(unsigned axis, unsigned x, unsigned y, unsigned z, unsigned word) const {
        const unsigned line = axis == 0 ? y + L_ * z : axis == 1 ? x + L_ * z : x + L_ * y;
        return open_[(axis * L_ * depth_ + line) * W + word];
    }

    /// Closes an open line; start: place of its first site; stride: distance of places. x, y, z: of the first
    /// site. present: of the lanes of a word, whether the bond of a site along the axis is present.
    template <class Bonds>
    __device__ void close(unsigned axis, unsigned x, unsigned y, unsigned z, unsigned word,
                          const Bonds& present) const {
        const unsigned start = place(x, y, z, word),
                       stride = W * (axis == 0   ? 1
                                     : axis == 1 ? L_ + 1
                                                 : (L_ + 1) * L_),
                       length = axis == 2 ? depth_ : L_;
        const auto bond = [&](unsigned i) {
            return present(axis, axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z, word);
        };
        const auto mark = [&](unsigned i) {
            for (unsigned other = 0; other < axes(); ++other)
                if (other != axis)
                    open(other, axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z, word) = 1;
        };
        const auto at = [&](unsigned i) { return start + i * stride; };
        const auto join = [&](unsigned i, std::uint32_t old, std::uint32_t now) {
            if (now == old) return;
            cluster_[at(i)] = now;
            mark(i);
        };
        const std::uint32_t around = bond(length - 1);
        std::uint32_t carry = cluster_[at(length - 1)] & around;
        for (unsigned i = 0; i < length; i += together) {
            std::uint32_t old[together], can[together], on[together];
            for (unsigned j = 0; j < together && i + j < length; ++j)
                old[j] = cluster_[at(i + j)], can[j] = differs_[at(i + j)], on[j] = bond(i + j);
            for (unsigned j = 0; j < together && i + j < length; ++j) {
                const std::uint32_t now = old[j] | (can[j] & carry);
                join(i + j, old[j], now);
                carry = now & on[j];
            }
        }
        carry = cluster_[start];
        for (unsigned i = length; i > 0; i -= min(i, together)) {
            std::uint32_t old[together], can[together];
            for (unsigned j = 1; j <= together && j <= i; ++j)
                old[j - 1] = cluster_[at(i - j)], can[j - 1] = differs_[at(i - j)] & bond(i - j);
            for (unsigned j = 1; j <= together && j <= i; ++j) {
                const std::uint32_t now = old[j - 1] | (can[j - 1] & carry);
                join(i - j, old[j - 1], now);
                carry = now;
            }
        }
        // Sites at the ends may have joined behind the passes.
        const std::uint32_t first = cluster_[start], last = cluster_[at(length - 1)];
        const bool more =
            ((last & ~first & differs_[start]) | (first & ~last & differs_[at(length - 1)])) & around;
        open(axis, x, y, z, word) = more;
    }
    /// Closes the open lines along an axis. Returns whether the thread had one.
    template <class Bonds>
    __device__ bool close_lines(unsigned axis, const Bonds& present) const {
        bool worked = false;
        for (unsigned i = threadIdx.x; i < lines(axis) * W; i += blockDim.x) {
            if (open_[axis * L_ * depth_ * W + i] == 0) continue;
            const unsigned word = i % W, line = i / W, second = line / L_, first = line - second * L_;
            close(axis, axis == 0 ? 0 : first,
                  axis == 0   ? first
                  : axis == 1 ? 0
                              : second,
                  axis == 2 ? 0 : second, word, present);
            worked = true;
        }
        return worked;
    }

  public:
    __device__ ClusterBlock(unsigned L, unsigned depth, std::uint32_t* memory)
        : L_(L),
          depth_(depth),
          differs_(memory),
          cluster_(memory + words_of(L, depth)),
          open_(reinterpret_cast<std::uint8_t*>(memory + 2 * words_of(L, depth))) {}

    /// Returns the number of 32-bit words in the memory of a block.
    static std::size_t memory_words(unsigned L, unsigned depth) {
        return 2 * std::size_t{words_of(L, depth)} + (std::size_t{3} * L * depth * W + 3) / 4;
    }
    __device__ unsigned place(unsigned x, unsigned y, unsigned z, unsigned word) const {
        return W * (x + (L_ + 1) * (y + L_ * z)) + word;
    }
    __device__ std::uint32_t& differs(unsigned place) const { return differs_[place]; }
    __device__ std::uint32_t& cluster(unsigned place) const { return cluster_[place]; }

    /// Closes all lines. Synchronize the block between this call and begin.
    __device__ void close_all() const {
        for (unsigned i = threadIdx.x; i < 3 * L_ * depth_ * W; i += blockDim.x) open_[i] = 0;
    }
    /// Begins the cluster of one lane. Several threads may begin at one site.
    __device__ void begin(unsigned x, unsigned y, unsigned z, unsigned word, unsigned lane) const {
        const unsigned at = place(x, y, z, word);
        atomicOr(cluster_ + at, differs_[at] & 1u << lane);
        for (unsigned axis = 0; axis < axes(); ++axis) open(axis, x, y, z, word) = 1;
    }
    /// Lets all sites join that the clusters reach. Synchronizes the block.
    template <class Bonds>
    __device__ void grow(const Bonds& present) const {
        __syncthreads();
        for (unsigned axis = 0, idle = 0; idle < axes(); axis = axis + 1 == axes() ? 0 : axis + 1)
            idle = __syncthreads_or(close_lines(axis, present)) ? 0 : idle + 1;
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
    /// Returns whether a block with these words has enough shared memory.
    static bool fits(std::size_t words, int device) {
        return sizeof(std::uint32_t) * words <= static_cast<std::size_t>(available_bytes(device));
    }
    ClusterBlockMemory() = default;
    ClusterBlockMemory(std::size_t words, int device) : block_words(words) {
        if (fits(words, device)) {
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
