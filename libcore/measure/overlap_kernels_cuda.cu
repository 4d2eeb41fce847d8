// Overlap sums of a pair of replicas, bit-sliced, and their moments.
//
// planes: a warp counts a ^ b over up to 512 sites of one plane of one axis (16 per thread, 5 bit planes),
// adds and unpacks its counters as in bond counting. The three axes read the spins three times (from L1/L2
// after the first): 96 B and 3 x 4 x (1 + 10) operations per site and pair, once per measurement. moments:
// one thread per (slot, lane); everything per lane lies 128 lanes side by side, so all accesses are
// coalesced. Order of the floating-point operations: measure/moments.hpp.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/moments.hpp"
#include "measure/overlap_kernels_cuda.cuh"
#include "random/purposes.hpp"
#include "sweep/lane_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int warps = 8, sites_per_thread = 16, sites_per_task = 32 * sites_per_thread, planes_of_bits = 5;
static_assert(planes_for(sites_per_thread) <= planes_of_bits);

/// Checkerboard position of site i (0 <= i < L^2) of plane `x` across `axis`.
__device__ __forceinline__ unsigned plane_site(const Geometry& g, unsigned axis, unsigned x, unsigned i) {
    if (axis == 0) {
        const unsigned z = i / g.L, y = i - z * g.L;
        return ((x + y + z) & 1 ? g.colour_sites : 0u) + x / 2 + g.half * i;
    }
    const unsigned colour = i / g.plane, rest = i - colour * g.plane;
    if (axis == 2) return colour * g.colour_sites + x * g.plane + rest;
    const unsigned z = rest / g.half, h = rest - z * g.half;
    return colour * g.colour_sites + h + g.half * (x + g.L * z);
}

/// Grid: x = (column, slot), y = groups of 8 planes of the 3 L, z = chunk of sites of a plane.
__global__ void __launch_bounds__(32 * warps)
    plane_kernel(const __grid_constant__ PlaneArgs args, int4* counts) {
    const Geometry& g = args.geometry;
    const std::uint32_t lattice = blockIdx.x, thread = threadIdx.x % 32,
                        task = blockIdx.y * warps + threadIdx.x / 32;
    if (task >= 3 * g.L) return;
    const std::uint32_t column = lattice / args.temperatures, slot = lattice - column * args.temperatures;
    const std::uint32_t axis = task / g.L, x = task - axis * g.L;
    const std::size_t start = (static_cast<std::size_t>(column) * args.stride + slot) * g.sites;
    const uint4* const a = args.a + start;
    const uint4* const b = args.b + start;

    BitCounter<DeviceWord, planes_of_bits> counter[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) counter[w].clear();
    const std::uint32_t end = min((blockIdx.z + 1) * sites_per_task, g.L * g.L);
    for (std::uint32_t i = blockIdx.z * sites_per_task + thread; i < end; i += 32) {
        const unsigned site = plane_site(g, axis, x, i);
        const uint4 s = a[site], t = b[site];
#pragma unroll
        for (int w = 0; w < 4; ++w) counter[w].add(word_of(s, w) ^ word_of(t, w));
    }
    const uint4 count = warp_lane_counts(counter);
    int4* const target = counts + (static_cast<std::size_t>(lattice) * 3 * g.L + task) * 32 + thread;
    if (gridDim.z == 1) {
        *target = {static_cast<int>(count.x), static_cast<int>(count.y), static_cast<int>(count.z),
                   static_cast<int>(count.w)};
    } else {
        atomicAdd(&target->x, static_cast<int>(count.x));
        atomicAdd(&target->y, static_cast<int>(count.y));
        atomicAdd(&target->z, static_cast<int>(count.z));
        atomicAdd(&target->w, static_cast<int>(count.w));
    }
}

struct MomentArgs {
    DeviceSums sums;
    int L, pair, pairs;
    std::int64_t first_lane;
    const std::int32_t* planes;
    const std::int32_t* links;
    const double* table;
};

/// Grid: x = column, y = slot; a block is the 128 lanes.
__global__ void __launch_bounds__(128) moment_kernel(const __grid_constant__ MomentArgs a) {
    const DeviceSums& sums = a.sums;
    const std::uint32_t slot = blockIdx.y, lane = threadIdx.x;
    const std::size_t lattice = static_cast<std::size_t>(blockIdx.x) * sums.temperatures + slot;
    const std::int32_t* const planes = a.planes + lattice * 3 * a.L * 128 + lane;
    const std::int64_t plane_sites = std::int64_t{a.L} * a.L, sites = plane_sites * a.L;
    const OverlapMoments m = overlap_moments(a.L, a.table, [&](int axis, int x) {
        return plane_sites - 2 * std::int64_t{planes[(axis * a.L + x) * 128]};
    });
    const std::int64_t link = 3 * sites - 2 * std::int64_t{a.links[lattice * 128 + lane]};
    const std::int64_t global_lane = a.first_lane + std::int64_t{blockIdx.x} * 128 + lane;
    const std::int64_t size = m.overlap < 0 ? -m.overlap : m.overlap;
    const std::int64_t integers[] = {m.overlap, size, link};
    const double reals[] = {m.overlap2, m.overlap4, m.kmin[0], m.kmin[1], m.kmin[2]};
    constexpr int first_integer = int(IntegerSum::overlap), first_real = int(RealSum::overlap2);
    const std::int64_t at =
        ((std::int64_t{sums.bin} * a.pairs + a.pair) * sums.temperatures + slot) * sums.lanes + global_lane;
    // All reads before the first write: the compiler cannot know that the arrays are apart.
    std::int64_t old_integers[3];
    double old_reals[5];
#pragma unroll
    for (int i = 0; i < 3; ++i) old_integers[i] = sums.integers[first_integer + i][at];
#pragma unroll
    for (int i = 0; i < 5; ++i) old_reals[i] = sums.reals[first_real + i][at];
#pragma unroll
    for (int i = 0; i < 3; ++i) sums.integers[first_integer + i][at] = old_integers[i] + integers[i];
#pragma unroll
    for (int i = 0; i < 5; ++i) sums.reals[first_real + i][at] = old_reals[i] + reals[i];
    const std::int64_t bin = histogram_bin(m.overlap, sites, sums.histogram_bins);
    ++sums.histogram[(std::int64_t{slot} * sums.histogram_bins + bin) * sums.lanes + global_lane];
}

/// Grid: x = (column, replica), y = slot; a block is the 128 lanes.
__global__ void __launch_bounds__(128)
    energy_kernel(const __grid_constant__ DeviceSums sums, const int replicas, const std::int32_t* energy) {
    const std::uint32_t column = blockIdx.x / replicas, replica = blockIdx.x - column * replicas,
                        slot = blockIdx.y;
    const std::int64_t E =
        energy[(static_cast<std::size_t>(blockIdx.x) * sums.temperatures + slot) * 128 + threadIdx.x];
    const double E2 = static_cast<double>(E) * static_cast<double>(E);
    const std::int64_t at =
        ((std::int64_t{sums.bin} * replicas + replica) * sums.temperatures + slot) * sums.lanes +
        std::int64_t{column} * 128 + threadIdx.x;
    sums.integers[int(IntegerSum::energy)][at] += E;
    sums.reals[int(RealSum::energy2)][at] += E2;
}

/// Grid: x = (column, replica); a block is the 128 lanes. The walkers come by slot and go by walker: the
/// slots are turned round in shared memory, one byte each, so that all accesses to device memory are
/// coalesced.
__global__ void __launch_bounds__(128)
    walker_kernel(const __grid_constant__ DeviceSums sums, const int replicas, const std::uint8_t* walker) {
    __shared__ std::uint8_t slot_of[max_temperatures][128];
    const std::uint32_t column = blockIdx.x / replicas, replica = blockIdx.x - column * replicas,
                        lane = threadIdx.x;
    const std::uint8_t* const from = walker + std::size_t{blockIdx.x} * sums.temperatures * 128 + lane;
    for (int slot = 0; slot < sums.temperatures; ++slot)
        slot_of[from[slot * 128]][lane] = static_cast<std::uint8_t>(slot);
    // A thread reads only what it wrote itself: no barrier.
    std::int64_t* const to = sums.integers[int(IntegerSum::walker_slot)] +
                             (std::int64_t{sums.bin} * replicas + replica) * sums.temperatures * sums.lanes +
                             std::int64_t{column} * 128 + lane;
    for (int w = 0; w < sums.temperatures; ++w) to[w * sums.lanes] += slot_of[w][lane];
}

}  // namespace

void count_planes(const PlaneArgs& args, std::int32_t* counts, cudaStream_t stream) {
    const Geometry& g = args.geometry;
    const std::uint32_t lattices = args.columns * args.temperatures;
    const dim3 grid(lattices, blocks_for(3 * g.L, warps), blocks_for(g.L * g.L, sites_per_task));
    if (grid.z > 1)
        PSFLIP_CUDA(
            cudaMemsetAsync(counts, 0, std::size_t{lattices} * 3 * g.L * 128 * sizeof(std::int32_t), stream));
    launch(plane_kernel, grid, dim3(32 * warps), 0, stream, args, reinterpret_cast<int4*>(counts));
}

void add_moments(const DeviceSums& sums, int L, int pair, int pairs, std::int64_t first_column,
                 std::int64_t columns, const std::int32_t* planes, const std::int32_t* links,
                 const double* table, cudaStream_t stream) {
    const MomentArgs args{sums, L, pair, pairs, first_column * 128, planes, links, table};
    launch(moment_kernel, dim3(static_cast<unsigned>(columns), sums.temperatures), dim3(128), 0, stream,
           args);
}

void add_energies(const DeviceSums& sums, int replicas, const std::int32_t* energy, cudaStream_t stream) {
    const auto units = static_cast<unsigned>(sums.lanes / 128 * replicas);
    launch(energy_kernel, dim3(units, sums.temperatures), dim3(128), 0, stream, sums, replicas, energy);
}

void add_walkers(const DeviceSums& sums, int replicas, const std::uint8_t* walker, cudaStream_t stream) {
    if (sums.temperatures < 2) return;  // all at slot 0
    const auto units = static_cast<unsigned>(sums.lanes / 128 * replicas);
    launch(walker_kernel, dim3(units), dim3(128), 0, stream, sums, replicas, walker);
}

}  // namespace psflip
