// Counts of differences at a distance, bit-sliced.
//
// A block takes lines of sites along one axis of one lattice, a few of them at a time in shared memory, each
// followed by its first `distances` sites again, so that no index wraps. Threads are (part of the lines;
// distance; word of 32 realizations): each counts all sites of its lines, so that nothing is summed over
// threads before the counts are unpacked and added in device memory.
//
// Per site, axis, distance and 32 realizations: one read from shared memory, without conflicts as
// neighbouring threads read neighbouring words, and 3.2 three-input operations.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/distance_kernels_cuda.cuh"
#include "word/bit_counter.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

namespace {

constexpr int total_planes = 16, few_planes = 6, together = 8;
constexpr int most_threads = 512, least_threads = 128, shared_bytes = 32768;

/// How a block shares its work.
struct Division {
    int threads, parts, held;  ///< lines in shared memory at a time
    int lines;                 ///< of a block, all of one axis
    int blocks;                ///< for an axis

    static Division of(const DistanceArgs& args) {
        const int line_bytes = 16 * (args.L + args.distances) * (args.absent ? 2 : 1);
        const int all = args.dimension == 3 ? args.L * args.L : args.L;
        const int of_part = std::min(4 * (args.distances + 1), most_threads);
        Division d{};
        d.parts = std::max(1, least_threads / of_part);
        d.threads = (d.parts * of_part + 31) / 32 * 32;
        d.lines = std::min({all, 256, ((1 << total_planes) - 1) / args.L});
        d.held = std::clamp(shared_bytes / line_bytes, 1, d.lines);
        d.blocks = (all + d.lines - 1) / d.lines;
        return d;
    }
};

/// Place in memory of the site that is number x of a line along an axis; its other coordinates are line % L
/// and line / L.
__device__ __forceinline__ std::uint32_t place(const DistanceArgs& args, int axis, int line, int x) {
    const int u = line % args.L, v = line / args.L;
    const Coordinates site = axis == 0   ? Coordinates{x, u, v}
                             : axis == 1 ? Coordinates{u, x, v}
                                         : Coordinates{u, v, x};
    const Coordinates at = to_order(args.order, args.L, site);
    const std::uint32_t L = args.L, colour = L * L * (args.dimension == 3 ? L : 1) / 2;
    if (args.order == SiteOrder::sliced) return (at.z & 1) * colour + at.x + L * (at.y + L * (at.z >> 1));
    return ((at.x + at.y + at.z) & 1) * colour + (at.x >> 1) + L / 2 * (at.y + L * at.z);
}

__device__ __forceinline__ uint4 difference(const uint4& a, const uint4& b) {
    return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

/// Lines first, ..., first + count - 1 of an axis to shared memory, (line; site; word). Across x neighbouring
/// threads take neighbouring lines, which are neighbours in memory.
template <bool Masked>
__device__ __forceinline__ void load_lines(const DistanceArgs& args, const uint4* a, const uint4* b,
                                           const uint4* absent, int axis, int first, int count, uint4* lines,
                                           uint4* masks) {
    const int length = args.L + args.distances;
    for (int i = threadIdx.x; i < count * length; i += blockDim.x) {
        const int line = axis == 0 ? i / length : i % count, x = axis == 0 ? i % length : i / count;
        const std::uint32_t site = place(args, axis, first + line, x < args.L ? x : x - args.L);
        const uint4 up = {~0u, ~0u, ~0u, ~0u};
        lines[line * length + x] = difference(a[site], b ? b[site] : up);
        if constexpr (Masked) masks[line * length + x] = absent[site];
    }
}

/// Adds where a site of a line differs from the one k further (k > 0), or all that are 1.
template <bool Masked>
__device__ __forceinline__ void count_line(const std::uint32_t* line, const std::uint32_t* mask, int L, int k,
                                           BitCounter<DeviceWord, total_planes>& total) {
    const DeviceWord other{k > 0 ? ~0u : 0u}, masked{k == 1 ? ~0u : 0u};
    BitCounter<DeviceWord, few_planes> few;
    few.clear();
    int room = (1 << few_planes) - 1;
    for (int x = 0; x < L; x += together) {
        DeviceWord bits[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int at = x + i < L ? x + i : x;
            bits[i] = DeviceWord{line[4 * at]} ^ (DeviceWord{line[4 * (at + k)]} & other);
            if constexpr (Masked) bits[i] = bits[i] & ~(DeviceWord{mask[4 * at]} & masked);
            if (x + i >= L) bits[i] = DeviceWord{0};
        }
        few.add(bits);
        room -= together;
        if (room < together) {
            total.add_number(few.plane);
            few.clear();
            room = (1 << few_planes) - 1;
        }
    }
    total.add_number(few.plane);
}

/// grid: (blocks of an axis x axes, slot, column).
template <bool Masked>
__global__ void distance_kernel(const DistanceArgs args, const Division division) {
    extern __shared__ uint4 lines[];
    const int L = args.L, length = L + args.distances, all = args.dimension == 3 ? L * L : L;
    uint4* const masks = lines + division.held * length;
    const int axis = blockIdx.x / division.blocks, first = blockIdx.x % division.blocks * division.lines,
              end = min(first + division.lines, all);
    const std::size_t sites = static_cast<std::size_t>(all) * L,
                      lattice = blockIdx.z * args.stride + blockIdx.y;
    const uint4* const a = args.a + lattice * sites;
    const uint4* const b = args.b ? args.b + lattice * sites : nullptr;
    const uint4* const absent =
        Masked ? args.absent + (static_cast<std::size_t>(blockIdx.z) * args.dimension + axis) * sites
               : nullptr;
    const int of_part = static_cast<int>(blockDim.x) / 4 / division.parts,
              part = static_cast<int>(threadIdx.x) / 4 / of_part, word = threadIdx.x % 4;
    for (int step = 0; step <= args.distances; step += of_part) {
        const int k = step + static_cast<int>(threadIdx.x) / 4 % of_part;
        const bool counts = part < division.parts && k <= args.distances && (k > 0 || axis == 0);
        BitCounter<DeviceWord, total_planes> total;
        total.clear();
        for (int group = first; group < end; group += division.held) {
            const int held = min(division.held, end - group);
            __syncthreads();
            load_lines<Masked>(args, a, b, absent, axis, group, held, lines, masks);
            __syncthreads();
            for (int line = part; counts && line < held; line += division.parts)
                count_line<Masked>(reinterpret_cast<const std::uint32_t*>(lines + line * length) + word,
                                   reinterpret_cast<const std::uint32_t*>(masks + line * length) + word, L, k,
                                   total);
        }
        if (!counts) continue;
        std::uint32_t* const out =
            args.counts +
            (static_cast<std::size_t>(k) * args.temperatures + blockIdx.y) * args.columns * 128 +
            blockIdx.z * 128 + word * 32;
        for (int bit = 0; bit < 32; ++bit) {
            std::uint32_t number = 0;
#pragma unroll
            for (int p = 0; p < total_planes; ++p) number |= (total.plane[p].bits >> bit & 1u) << p;
            if (number > 0) atomicAdd(out + bit, number);
        }
    }
}

}  // namespace

void count_distances(const DistanceArgs& args, cudaStream_t stream) {
    const Division division = Division::of(args);
    const dim3 grid(division.blocks * args.dimension, args.temperatures, args.columns);
    const std::size_t bytes =
        std::size_t{16} * division.held * (args.L + args.distances) * (args.absent ? 2 : 1);
    launch(args.absent ? distance_kernel<true> : distance_kernel<false>, grid, dim3(division.threads), bytes,
           stream, args, division);
}

}  // namespace psflip
