// Bit-sliced counts of sites and pairs of replicas whose overlaps differ at a distance.
//
// A block takes lines of sites along one axis of one lattice, a few at a time. Fields of overlaps
// (replica_pairs_rule.hpp) go to shared memory. A line is followed by its first sites again, so that no index
// wraps. Sites of even x come before sites of odd x; the fields of a site lie together. Threads are (part of
// the lines; two neighbouring distances; word of 32 realizations), so that neighbouring threads read
// neighbouring sites without conflicts. Full adders sum the bits of eight sites in registers. Two such sums
// go to the counters of a thread, which are unpacked once, into device memory.
//
// Per site, axis, distance and 32 realizations, for the six pairs of four replicas: 5 three-input operations
// for the bits, 5.6 for their sums, 3 reads of 4 bytes from shared memory; of one pair 1, 2.8 and 1.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/correlation_kernels_cuda.cuh"
#include "measure/replica_pairs_rule.hpp"
#include "word/bit_counter.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

namespace {

constexpr int counter_planes = 12, together = 16, min_threads = 128, max_threads = 256;
constexpr int good_shared_bytes = 24576, max_shared_bytes = 49152;

/// The work of a block.
struct LineDivision {
    int length;          ///< sites of a line in shared memory, odd
    int of_part;         ///< threads that take a line together
    int parts, held;     ///< lines in shared memory at a time, a multiple of parts
    int lines;           ///< of a block, all of one axis
    int blocks;          ///< for an axis
    std::size_t shared;  ///< bytes

    static int length_of(int L, int distances) { return L + distances + distances % 2 + 1; }
    static std::size_t line_bytes(int L, int distances, int fields) {
        return std::size_t{16} * fields * length_of(L, distances);
    }
    /// The last step of a line reads beyond its end.
    static std::size_t beyond(int fields) { return std::size_t{16} * fields * together; }

    /// all: number of lines along each axis.
    static LineDivision of(int L, int all, int distances, int fields) {
        const auto line = static_cast<int>(line_bytes(L, distances, fields));
        LineDivision d{};
        d.length = length_of(L, distances);
        d.of_part = std::min(4 * ((distances + 1) / 2), max_threads);
        const int fitting = std::max(1, (good_shared_bytes - static_cast<int>(beyond(fields))) / line);
        d.parts = std::clamp(min_threads / d.of_part, 1, fitting);
        d.held = fitting / d.parts * d.parts;
        d.lines = std::min(all, ((1 << counter_planes) - 1) / L * d.parts);
        d.held = std::min(d.held, (d.lines + d.parts - 1) / d.parts * d.parts);
        d.blocks = (all + d.lines - 1) / d.lines;
        d.shared = d.held * line + beyond(fields);
        return d;
    }
};

/// Returns the place of site x of a line, in sites.
__device__ __forceinline__ int place_in_line(int x, int length) {
    return (x >> 1) + (x & 1) * ((length + 1) >> 1);
}

/// Lines of lattices. Across x neighbouring threads take neighbouring lines, which are neighbours in memory.
template <int Fields>
struct LatticeLines {
    CorrelationArgs args;

    __device__ __forceinline__ int L() const { return args.planes.L; }
    __device__ __forceinline__ int lines() const { return args.planes.lines(); }
    __device__ __forceinline__ int distances() const { return args.distances; }
    __device__ __forceinline__ bool are_along_memory(int axis) const { return axis == 0; }
    __device__ __forceinline__ void load(int axis, int line, int x, uint4* to) const {
        const std::size_t lattice = blockIdx.z * std::size_t{args.stride} + blockIdx.y;
        put_fields<Fields>(to, 1, args, lattice * args.planes.sites() + args.planes.site(axis, line, x));
    }
    __device__ __forceinline__ std::size_t row() const {
        return std::size_t{args.temperatures} * args.columns * 128;
    }
    __device__ __forceinline__ std::uint32_t* counts() const {
        return args.counts + (std::size_t{blockIdx.y} * args.columns + blockIdx.z) * 128;
    }
};

/// Lines of LineFieldArgs.
template <int Fields>
struct FieldLines {
    LineFieldArgs args;

    __device__ __forceinline__ int L() const { return args.L; }
    __device__ __forceinline__ int lines() const { return args.lines; }
    __device__ __forceinline__ int distances() const { return args.distances; }
    __device__ __forceinline__ bool are_along_memory(int) const { return false; }
    __device__ __forceinline__ void load(int, int line, int x, uint4* to) const {
#pragma unroll
        for (int f = 0; f < Fields; ++f)
            to[f] = args.fields[(static_cast<std::size_t>(x) * Fields + f) * args.lines + line];
    }
    __device__ __forceinline__ std::size_t row() const {
        return args.row;
    }
    __device__ __forceinline__ std::uint32_t* counts() const {
        return args.counts;
    }
};

/// Loads lines first, ..., first + count - 1 of an axis.
template <int Fields, class Source>
__device__ __forceinline__ void load_lines(const Source& source, int axis, int first, int count, int length,
                                           uint4* lines) {
    const int L = source.L();
    const bool along = source.are_along_memory(axis);
    for (int i = threadIdx.x; i < count * L; i += blockDim.x) {
        const int line = along ? i / L : i % count, x = along ? i % L : i / count;
        uint4* const to = lines + line * length * Fields;
        uint4* const here = to + place_in_line(x, length) * Fields;
        source.load(axis, first + line, x, here);
        if (x + L >= length) continue;
        uint4* const again = to + place_in_line(x + L, length) * Fields;
#pragma unroll
        for (int f = 0; f < Fields; ++f) again[f] = here[f];
    }
}

/// Adds N bits, a power of two, to the number in planes First and above. Returns the carry.
template <int N, int First = 0>
__device__ __forceinline__ DeviceWord add_low(BitCounter<DeviceWord, counter_planes>& counter,
                                              const DeviceWord (&bits)[N]) {
    DeviceWord carry[N / 2];
    DeviceWord& sum = counter.plane[First];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
        carry[i] = majority(sum, bits[2 * i], bits[2 * i + 1]);
        sum = xor3(sum, bits[2 * i], bits[2 * i + 1]);
    }
    if constexpr (N == 2)
        return carry[0];
    else
        return add_low<N / 2, First + 1>(counter, carry);
}

/// The sums of one thread for two distances.
template <int Fields>
struct LineCounter {
    using Rule = ReplicaPairsRule<Fields>;
    BitCounter<DeviceWord, counter_planes> counter[2][Rule::bits];

    /// Compares `together` sites from an even x on, whose words begin at `near`, with the sites at an odd
    /// distance, whose words begin at `far`. half: words from the even to the odd sites. Masked: only the
    /// first `valid` sites.
    template <bool Masked>
    __device__ __forceinline__ void add(const std::uint32_t* near, const std::uint32_t* far, int half,
                                        int valid) {
        constexpr int eight = together / 2;
        DeviceWord carry[2][Rule::bits][2], window[3][Fields], own[2][Fields];
        const auto read = [](const std::uint32_t* from, int site, DeviceWord(&to)[Fields]) {
#pragma unroll
            for (int f = 0; f < Fields; ++f) to[f] = DeviceWord{from[(site * Fields + f) * 4]};
        };
        read(far, 0, window[2]);
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            DeviceWord bits[2][Rule::bits][eight];
#pragma unroll
            for (int x = 0; x < eight; x += 2) {
                const int i = (part * eight + x) / 2;
                read(near, i, own[0]);
                read(near + half, i, own[1]);
#pragma unroll
                for (int f = 0; f < Fields; ++f) window[0][f] = window[2][f];
                read(far - half + 4 * Fields, i, window[1]);
                read(far, i + 1, window[2]);
#pragma unroll
                for (int odd = 0; odd < 2; ++odd)
#pragma unroll
                    for (int k = 0; k < 2; ++k) {
                        DeviceWord differ[Rule::bits];
                        Rule::differ(own[odd], window[odd + k], differ);
#pragma unroll
                        for (int b = 0; b < Rule::bits; ++b)
                            bits[k][b][x + odd] =
                                Masked && part * eight + x >= valid ? DeviceWord{0} : differ[b];
                    }
            }
#pragma unroll
            for (int k = 0; k < 2; ++k)
#pragma unroll
                for (int b = 0; b < Rule::bits; ++b) carry[k][b][part] = add_low(counter[k][b], bits[k][b]);
        }
#pragma unroll
        for (int k = 0; k < 2; ++k)
#pragma unroll
            for (int b = 0; b < Rule::bits; ++b) counter[k][b].template add<2, 3>(carry[k][b]);
    }

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int k = 0; k < 2; ++k)
#pragma unroll
            for (int b = 0; b < Rule::bits; ++b) counter[k][b].clear();
    }

    /// Adds the sums of distance k of 32 realizations to `out`.
    __device__ __forceinline__ void unpack(int k, std::uint32_t* out) const {
        for (int bit = 0; bit < 32; ++bit) {
            std::uint32_t sum = 0;
#pragma unroll
            for (int b = 0; b < Rule::bits; ++b) {
                std::uint32_t number = 0;
#pragma unroll
                for (int p = 0; p < counter_planes; ++p)
                    number |= (counter[k][b].plane[p].bits >> bit & 1u) << p;
                sum += static_cast<std::uint32_t>(Rule::weight(b)) * number;
            }
            if (sum != 0) atomicAdd(out + bit, sum);
        }
    }
};

/// grid: (blocks of an axis x axes, slot, column).
template <int Fields, class Source>
__global__ void __launch_bounds__(max_threads)
    correlation_kernel(const __grid_constant__ Source source, const __grid_constant__ LineDivision division) {
    extern __shared__ uint4 lines[];
    const int L = source.L(), length = division.length, distances = source.distances();
    const int axis = blockIdx.x / division.blocks, first = blockIdx.x % division.blocks * division.lines,
              end = min(first + division.lines, source.lines());
    const int part = threadIdx.x / division.of_part, word = threadIdx.x % 4;
    for (int step = 0; step < distances; step += division.of_part / 2) {
        const int k = step + static_cast<int>(threadIdx.x) % division.of_part / 4 * 2 + 1;
        const bool counts = part < division.parts && k <= distances;
        LineCounter<Fields> counter;
        counter.clear();
        for (int group = first; group < end; group += division.held) {
            const int held = min(division.held, end - group);
            __syncthreads();
            load_lines<Fields>(source, axis, group, held, length, lines);
            __syncthreads();
            for (int line = part; counts && line < held; line += division.parts) {
                const int half = (length + 1) / 2 * Fields * 4;
                const auto* near =
                    reinterpret_cast<const std::uint32_t*>(lines) + line * length * Fields * 4 + word;
                const std::uint32_t* far = near + place_in_line(k, length) * Fields * 4;
                int x = 0;
                for (; x + together <= L; x += together) {
                    counter.template add<false>(near, far, half, together);
                    near += together / 2 * Fields * 4;
                    far += together / 2 * Fields * 4;
                }
                if (x < L) counter.template add<true>(near, far, half, L - x);
            }
        }
        if (!counts) continue;
        std::uint32_t* const out = source.counts() + source.row() * (k - 1) + word * 32;
        counter.unpack(0, out);
        if (k < distances) counter.unpack(1, out + source.row());
    }
}

template <int Fields, class Source>
void launch_correlations(const Source& source, const LineDivision& division, const dim3& grid,
                         cudaStream_t stream) {
    const int threads = (division.parts * division.of_part + 31) / 32 * 32;
    launch(correlation_kernel<Fields, Source>, grid, dim3(threads), division.shared, stream, source,
           division);
}

template <int Fields>
void launch_correlations(const CorrelationArgs& args, cudaStream_t stream) {
    const auto division = LineDivision::of(args.planes.L, args.planes.lines(), args.distances, Fields);
    const dim3 grid(division.blocks * args.planes.axes, args.temperatures, args.columns);
    launch_correlations<Fields>(LatticeLines<Fields>{args}, division, grid, stream);
}

template <int Fields>
void launch_correlations(const LineFieldArgs& args, cudaStream_t stream) {
    const auto division = LineDivision::of(args.L, args.lines, args.distances, Fields);
    launch_correlations<Fields>(FieldLines<Fields>{args}, division, dim3(division.blocks), stream);
}

template <class Args>
void count_lines(const Args& args, int fields, cudaStream_t stream) {
    if (fields == 3) return launch_correlations<3>(args, stream);
    launch_correlations<1>(args, stream);
}

}  // namespace

bool counts_four_replicas(int L, int distances) {
    return LineDivision::line_bytes(L, distances, 3) + LineDivision::beyond(3) <= max_shared_bytes;
}

void count_correlations(const CorrelationArgs& args, cudaStream_t stream) {
    count_lines(args, args.fields(), stream);
}

void count_correlations(const LineFieldArgs& args, cudaStream_t stream) {
    count_lines(args, args.fields_of_site, stream);
}

}  // namespace psflip
