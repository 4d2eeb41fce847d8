// Bit-sliced counts of sites and bonds that differ between two times.
//
// A block takes lines of sites along one axis of one lattice, a few at a time in shared memory, each followed
// by its first site again. Threads are (part of the lines; sites or bonds; word of 32 realizations). Each
// thread counts its lines, unpacks the counts once and adds them in device memory. Sites are counted with the
// first axis.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/correlation_kernels_cuda.cuh"
#include "word/bit_counter.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

namespace {

constexpr int total_planes = 16, few_planes = 6, together = 8;
constexpr int block_threads = 128, parts = block_threads / 8, shared_bytes = 32768;

/// The work of a block.
struct TwoTimeDivision {
    int held;    ///< lines in shared memory at a time
    int lines;   ///< of a block, all of one axis
    int blocks;  ///< for an axis
    int line_bytes;

    static TwoTimeDivision of(const TwoTimeArgs& args) {
        const int all = args.planes.lines(), L = args.planes.L;
        TwoTimeDivision d{};
        d.line_bytes = 16 * (L + 1) * (args.absent ? 2 : 1);
        d.lines = std::min({all, 256, ((1 << total_planes) - 1) / L});
        d.held = std::clamp(shared_bytes / d.line_bytes, 1, d.lines);
        d.blocks = (all + d.lines - 1) / d.lines;
        return d;
    }
};

/// Loads lines first, ..., first + count - 1 of an axis to shared memory, (line; site; word). Across x
/// neighbouring threads take neighbouring lines, which are neighbours in memory.
template <bool Masked>
__device__ __forceinline__ void load_lines(const TwoTimeArgs& args, const uint4* a, const uint4* b,
                                           const uint4* absent, int axis, int first, int count, uint4* lines,
                                           uint4* masks) {
    const int L = args.planes.L, length = L + 1;
    for (int i = threadIdx.x; i < count * length; i += blockDim.x) {
        const int line = axis == 0 ? i / length : i % count, x = axis == 0 ? i % length : i / count;
        const std::uint32_t site = args.planes.site(axis, first + line, x < L ? x : 0);
        const uint4 one = a[site], other = b[site];
        lines[line * length + x] = {one.x ^ other.x, one.y ^ other.y, one.z ^ other.z, one.w ^ other.w};
        if constexpr (Masked) masks[line * length + x] = absent[site];
    }
}

/// Counts the set bits of a line of sites, or the bits that differ from the next site.
template <bool Masked>
__device__ __forceinline__ void count_line(const std::uint32_t* line, const std::uint32_t* mask, int L,
                                           bool bonds, BitCounter<DeviceWord, total_planes>& total) {
    const DeviceWord chosen{bonds ? ~0u : 0u};
    BitCounter<DeviceWord, few_planes> few;
    few.clear();
    int room = (1 << few_planes) - 1;
    for (int x = 0; x < L; x += together) {
        DeviceWord bits[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int at = x + i < L ? x + i : x;
            bits[i] = DeviceWord{line[4 * at]} ^ (DeviceWord{line[4 * (at + 1)]} & chosen);
            if constexpr (Masked) bits[i] = bits[i] & ~(DeviceWord{mask[4 * at]} & chosen);
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
__global__ void two_time_kernel(const TwoTimeArgs args, const TwoTimeDivision division) {
    extern __shared__ uint4 lines[];
    const int L = args.planes.L, length = L + 1, all = args.planes.lines();
    uint4* const masks = lines + division.held * length;
    const int axis = blockIdx.x / division.blocks, first = blockIdx.x % division.blocks * division.lines,
              end = min(first + division.lines, all);
    const std::size_t sites = static_cast<std::size_t>(all) * L,
                      lattice = (blockIdx.z * std::size_t{args.stride} + blockIdx.y) * sites;
    const uint4* const absent =
        Masked ? args.absent + (static_cast<std::size_t>(blockIdx.z) * args.planes.axes + axis) * sites
               : nullptr;
    const int part = threadIdx.x / 8, word = threadIdx.x % 4;
    const bool bonds = threadIdx.x / 4 % 2 == 1, counts = bonds || axis == 0;
    BitCounter<DeviceWord, total_planes> total;
    total.clear();
    for (int group = first; group < end; group += division.held) {
        const int held = min(division.held, end - group);
        __syncthreads();
        load_lines<Masked>(args, args.a + lattice, args.b + lattice, absent, axis, group, held, lines, masks);
        __syncthreads();
        for (int line = part; counts && line < held; line += parts)
            count_line<Masked>(reinterpret_cast<const std::uint32_t*>(lines + line * length) + word,
                               reinterpret_cast<const std::uint32_t*>(masks + line * length) + word, L, bonds,
                               total);
    }
    if (!counts) return;
    std::uint32_t* const out =
        args.counts +
        (static_cast<std::size_t>(bonds) * args.temperatures + blockIdx.y) * args.columns * 128 +
        blockIdx.z * 128 + word * 32;
    for (int bit = 0; bit < 32; ++bit) {
        std::uint32_t number = 0;
#pragma unroll
        for (int p = 0; p < total_planes; ++p) number |= (total.plane[p].bits >> bit & 1u) << p;
        if (number > 0) atomicAdd(out + bit, number);
    }
}

}  // namespace

void count_two_times(const TwoTimeArgs& args, cudaStream_t stream) {
    const TwoTimeDivision division = TwoTimeDivision::of(args);
    const dim3 grid(division.blocks * args.planes.axes, args.temperatures, args.columns);
    launch(args.absent ? two_time_kernel<true> : two_time_kernel<false>, grid, dim3(block_threads),
           static_cast<std::size_t>(division.held) * division.line_bytes, stream, args, division);
}

}  // namespace psflip
