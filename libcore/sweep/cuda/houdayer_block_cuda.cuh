// Grows the clusters of Houdayer moves in the memory of a block (sweep/houdayer.hpp).
//
// Clusters of all lanes grow at once along lines. A thread takes a line, up and down, and lets each site join
// that differs and has a neighbour in the cluster on this line. The block takes lines along x, y and z in
// turn until no site joins. A site of a line takes one load of 64 bits each way, and a store if lanes join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "lattice/geometry_cuda.cuh"
#include "sweep/cuda/houdayer_counts_cuda.cuh"
#include "word/lane_count_cuda.cuh"

namespace psflip {

/// Says that all bonds of the periodic lattice are present.
struct AllBondsPresent {
    __device__ std::uint32_t operator()(unsigned /*axis*/, unsigned /*x*/, unsigned /*y*/,
                                        unsigned /*z*/) const {
        return ~0u;
    }
};

/// Finds the words of a block by coordinates: for each site, the lanes that differ (x) and the lanes of the
/// cluster (y). Rows along x have one site more than the lattice, so that lines along x use all banks. L is
/// even. The compiler must see whether memory is shared, because then a site takes 6 instructions each way,
/// and otherwise 14.
class HoudayerBlock {
    unsigned L_, depth_;
    uint2* sites_;

    /// Lets a site join the cluster. Returns the cluster's lanes at this site.
    __device__ static std::uint32_t join(uint2* site, const uint2& words, std::uint32_t reached,
                                         std::uint32_t& joined) {
        const std::uint32_t now = words.y | (words.x & reached);
        if (now != words.y) site->y = now;
        joined |= now ^ words.y;
        return now;
    }
    /// Lets sites of a line join the cluster. stride: distance of its sites in memory. x, y, z: of the first
    /// site. present: the lanes in which the bond of a site along the axis is present.
    template <class Bonds>
    __device__ bool close(unsigned axis, std::uint32_t stride, std::uint32_t length, std::uint32_t x,
                          std::uint32_t y, std::uint32_t z, const Bonds& present) const {
        const auto bond = [&](std::uint32_t i) {
            return present(axis, axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z);
        };
        uint2 *const first = sites_ + place(x, y, z), *const last = first + (length - 1) * stride;
        std::uint32_t joined = 0, carry = last->y & bond(length - 1);
        uint2* at = first;
        for (std::uint32_t i = 0; i < length; i += 2, at += 2 * stride) {
            const uint2 one = at[0], two = at[stride];
            carry = join(at, one, carry, joined) & bond(i);
            carry = join(at + stride, two, carry, joined) & bond(i + 1);
        }
        carry = first->y;
        at = last - stride;
        for (std::uint32_t i = length; i > 0; i -= 2, at -= 2 * stride) {
            const uint2 one = at[stride], two = at[0];
            carry = join(at + stride, one, carry & bond(i - 1), joined);
            carry = join(at, two, carry & bond(i - 2), joined);
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
            joined |= close(axis, stride, axis == 2 ? depth_ : L_, x, y, z, present);
        }
        return joined;
    }

  public:
    __device__ HoudayerBlock(const Geometry& geometry, uint2* memory)
        : L_(geometry.L), depth_(geometry.depth), sites_(memory) {}

    /// Returns the number of sites in the memory of a block.
    static std::size_t memory_sites(const Geometry& g) { return std::size_t{g.L + 1} * g.L * g.depth; }
    __device__ std::uint32_t place(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return x + (L_ + 1) * (y + L_ * z);
    }
    __device__ uint2& site(std::uint32_t place) const { return sites_[place]; }

    /// Calls use(place, number in memory order, colour, row y + L z, number h in the row) for all sites, in
    /// turn by thread.
    template <class Use>
    __device__ void for_each_site(const Geometry& g, const Use& use) const {
        for (std::uint32_t i = threadIdx.x; i < g.sites; i += blockDim.x) {
            const std::uint32_t colour = i >= g.colour_sites, in_colour = i - colour * g.colour_sites,
                                row = corrected_quotient(in_colour, g.half, g.half_reciprocal),
                                h = in_colour - row * g.half,
                                z = corrected_quotient(row, g.L, g.L_reciprocal), y = row - z * g.L;
            use(place(2 * h + ((colour + y + z) & 1u), y, z), i, colour, row, h);
        }
    }
    /// Empties the words between the rows, which count() reads.
    __device__ void clear_gaps() const {
        for (std::uint32_t row = threadIdx.x; row < L_ * depth_; row += blockDim.x)
            sites_[row * (L_ + 1) + L_].y = 0;
    }
    /// Begins the cluster of one lane, if the lane differs at its first site. Returns whether it does.
    /// Several threads may begin at one site.
    __device__ bool begin(std::uint32_t start, unsigned lane) const {
        uint2& at = sites_[place(start % L_, start / L_ % L_, start / (L_ * L_))];
        const std::uint32_t first = at.x & 1u << lane;
        atomicOr(&at.y, first);
        return first != 0;
    }
    /// Counts the sites of the clusters, each site in one warp. Thread l of a warp gets the number of lane l.
    /// A thread takes a load and 3 operations per site, and 140 operations per 28 sites for the sums.
    __device__ int count() const {
        constexpr unsigned planes = 5, at_once = 4, most = 28;
        const std::uint32_t all = (L_ + 1) * L_ * depth_;
        int sites = 0;
#pragma unroll 1
        for (std::uint32_t first = 0; first < all; first += most * blockDim.x) {
            BitCounter<DeviceWord, planes> counter[1];
            counter[0].clear();
            const std::uint32_t end = min(all, first + most * blockDim.x);
#pragma unroll 1
            for (std::uint32_t step = first; step < end; step += at_once * blockDim.x) {
                DeviceWord bits[at_once];
#pragma unroll
                for (unsigned i = 0; i < at_once; ++i) {
                    const std::uint32_t at = step + i * blockDim.x + threadIdx.x;
                    bits[i].bits = at < end ? sites_[at].y : 0u;
                }
                counter[0].add(bits);
            }
            sites += warp_lane_counts(counter);
        }
        return sites;
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

/// Returns the number of threads of a block: one per line, at most max_houdayer_threads.
constexpr unsigned max_houdayer_threads = 512;
inline unsigned houdayer_threads(const Geometry& g) {
    return std::min(max_houdayer_threads, (g.L * g.depth + 31) / 32 * 32);
}

/// Holds the arguments that the kernels of all lane codings have. Blocks take one task after the other.
struct HoudayerTasks {
    std::uint32_t slots, pairs;
    std::uint8_t first[max_replicas / 2], second[max_replicas / 2];  ///< replicas of each pair
    std::uint64_t key;
    std::int64_t completed;
    std::int64_t count;
    uint2* memory;  ///< of all blocks; null: shared memory
    std::size_t block_sites;
    /// (lane of the lane coding): the kernel adds the clusters and their sites.
    unsigned long long *clusters, *sites;

    /// Calls make(task, memory) for all tasks of a block.
    template <bool Shared, class Make>
    __device__ __forceinline__ void for_each_task(const Make& make) const {
        extern __shared__ uint2 shared[];
        for (std::int64_t task = blockIdx.x; task < count; task += gridDim.x)
            make(task, Shared ? shared : memory + blockIdx.x * block_sites);
    }
};

/// Holds the memory of the blocks of a launch: shared memory, or device memory if a block needs too much.
class HoudayerBlockMemory {
  public:
    HoudayerBlockMemory() = default;
    /// `in_shared` is the kernel for shared memory. It may use all of it, because other objects may launch
    /// the kernel, too.
    template <class Kernel>
    HoudayerBlockMemory(const Geometry& geometry, int device, Kernel* in_shared)
        : block_sites_(HoudayerBlock::memory_sites(geometry)) {
        int multiprocessors = 0, available = 0;
        PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        if (sizeof(uint2) * block_sites_ <= static_cast<std::size_t>(available)) {
            PSFLIP_CUDA(
                cudaFuncSetAttribute(in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, available));
            return;
        }
        constexpr std::size_t max_sites = std::size_t{1} << 26;
        max_blocks_ = static_cast<int>(
            std::clamp<std::size_t>(max_sites / block_sites_, 1, 2 * static_cast<unsigned>(multiprocessors)));
        device_memory_ = {block_sites_ * static_cast<std::size_t>(max_blocks_), "clusters"};
    }

    /// Returns the shared arguments of a move with `count` tasks. key: of the random numbers.
    HoudayerTasks tasks(const HoudayerMove& move, std::uint64_t key, std::int64_t count,
                        const DeviceHoudayerCounts& counts) const {
        HoudayerTasks tasks{.slots = static_cast<std::uint32_t>(move.slots),
                            .pairs = static_cast<std::uint32_t>(move.pairs.size()),
                            .key = key,
                            .completed = move.completed,
                            .count = count,
                            .memory = device_memory_.data(),
                            .block_sites = block_sites_,
                            .clusters = counts.clusters(),
                            .sites = counts.sites()};
        for (std::size_t i = 0; i < move.pairs.size(); ++i) {
            tasks.first[i] = static_cast<std::uint8_t>(move.pairs[i].first);
            tasks.second[i] = static_cast<std::uint8_t>(move.pairs[i].second);
        }
        return tasks;
    }
    /// Launches the kernel for the memory of the blocks. The arguments have a geometry and tasks.
    template <class Args>
    void launch(void (*in_shared)(Args), void (*in_device)(Args), const Args& args,
                cudaStream_t stream) const {
        const bool is_shared = args.tasks.memory == nullptr;
        psflip::launch(is_shared ? in_shared : in_device,
                       dim3(static_cast<unsigned>(std::min<std::int64_t>(args.tasks.count, max_blocks_))),
                       dim3(houdayer_threads(args.geometry)), is_shared ? sizeof(uint2) * block_sites_ : 0,
                       stream, args);
    }

  private:
    std::size_t block_sites_ = 0;
    int max_blocks_ = 1 << 20;
    DeviceBuffer<uint2> device_memory_;
};

}  // namespace psflip
