// Adds a measurement to its sums, from counts of overlaps or magnetisations and from energies. There is one
// thread per (slot, lane) of a pair or replica, and of each replica's energy. Arrays have 128 lanes side by
// side. measure/moments.hpp has the order of the floating-point operations.

#include "base/cuda_check.cuh"
#include "measure/moments.hpp"
#include "measure/overlap_kernels_cuda.cuh"

namespace psflip {

namespace {

/// Adds moments of the counts of a lattice to the sums at `at`. Leaves int32 counts 0.
template <class Count, int Dimension, MomentSums Of>
__device__ __forceinline__ OverlapMoments add_moments(const DeviceSums& sums, std::int64_t at, int L,
                                                      const double* table, Count* planes) {
    constexpr int n_integers = 2, n_reals = 2 + Dimension;
    constexpr Sum integer_sums[] = {Of.value, Of.abs};
    constexpr Sum real_sums[] = {Of.square, Of.fourth, Of.kmin_x, Of.kmin_y, Of.kmin_z};
    // Sums are in device memory and read first; counts are in L2.
    std::int64_t integers[n_integers];
    double reals[n_reals];
#pragma unroll
    for (int i = 0; i < n_integers; ++i) integers[i] = sums.integers[int(integer_sums[i])][at];
#pragma unroll
    for (int i = 0; i < n_reals; ++i) reals[i] = sums.reals[int(real_sums[i])][at];
    const int plane_sites = Dimension == 3 ? L * L : L;
    const OverlapMoments m = overlap_moments<Dimension>(
        L, table, [&](int axis, int x) { return plane_sites - 2 * int{planes[(axis * L + x) * 128]}; });
    if constexpr (sizeof(Count) == 4)
        for (int row = 0; row < Dimension * L; ++row) planes[row * 128] = 0;
    const std::int64_t added_integers[] = {m.overlap, m.overlap < 0 ? -m.overlap : m.overlap};
    const double added_reals[] = {m.overlap2, m.overlap4, m.kmin[0], m.kmin[1], m.kmin[2]};
#pragma unroll
    for (int i = 0; i < n_integers; ++i)
        sums.integers[int(integer_sums[i])][at] = integers[i] + added_integers[i];
#pragma unroll
    for (int i = 0; i < n_reals; ++i) sums.reals[int(real_sums[i])][at] = reals[i] + added_reals[i];
    return m;
}

/// Returns the place of a replica's energy, for the lane of this thread.
__device__ __forceinline__ std::int64_t energy_at(const SumArgs& a, std::uint32_t replica,
                                                  std::uint32_t slot) {
    const std::int64_t column = a.first_column + blockIdx.x;
    return ((column * a.all_replicas + replica) * a.sums.temperatures + slot) * 128 + threadIdx.x;
}
__device__ __forceinline__ std::int64_t energy_of(const SumArgs& a, std::uint32_t replica,
                                                  std::uint32_t slot) {
    return std::int64_t{a.energy_unit} * a.energy[energy_at(a, replica, slot)];
}

/// Adds products of moments with an energy.
template <int Dimension, MomentSums Of>
__device__ __forceinline__ void add_products(const DeviceSums& sums, std::int64_t at, std::int64_t energy,
                                             const OverlapMoments& m) {
    const auto E = static_cast<double>(energy);
    double axes = m.kmin[0];
#pragma unroll
    for (int axis = 1; axis < Dimension; ++axis) axes = axes + m.kmin[axis];
    sums.reals[int(Of.square_energy)][at] += m.overlap2 * E;
    sums.reals[int(Of.fourth_energy)][at] += m.overlap4 * E;
    sums.reals[int(Of.kmin_energy)][at] += axes * E;
}

template <class Count>
__device__ __forceinline__ Count* planes_of(const SumArgs& a, int dimension, std::uint32_t slot) {
    const std::size_t lattice = std::size_t{blockIdx.x} * a.sums.temperatures + slot;
    const int families = plane_families(dimension, a.counts.diagonals);
    return static_cast<Count*>(a.counts.planes) + lattice * families * a.L * 128 + threadIdx.x;
}

/// One thread for each (slot, lane) of a pair of replicas. Masked: some bonds may be absent.
template <class Count, int Dimension, bool Masked>
__device__ __forceinline__ void add_overlaps(const SumArgs& a, std::uint32_t slot, std::int64_t lane) {
    const DeviceSums& sums = a.sums;
    const std::int64_t at =
        ((std::int64_t{sums.bin} * a.pairs + a.pair) * sums.temperatures + slot) * sums.lanes + lane;
    const std::int64_t sites = std::int64_t{a.L} * a.L * (Dimension == 3 ? a.L : 1);
    std::int64_t bonds = Dimension * sites;
    if constexpr (Masked)
        if (a.bonds != nullptr) bonds = a.bonds[lane];
    std::int32_t* const links =
        a.counts.links + (std::size_t{blockIdx.x} * sums.temperatures + slot) * 128 + threadIdx.x;
    const std::int64_t link_before = sums.integers[int(Sum::link)][at],
                       link = bonds - 2 * std::int64_t{static_cast<std::uint32_t>(*links)};
    const OverlapMoments m = add_moments<Count, Dimension, overlap_sums>(
        sums, at, a.L, a.table, planes_of<Count>(a, Dimension, slot));
    *links = 0;
    sums.integers[int(Sum::link)][at] = link_before + link;
    const auto count = [&](std::uint32_t* histogram, std::int64_t value, std::int64_t most) {
        const int bin = histogram_bin(value, most, sums.histogram_bins);
        ++histogram[(std::int64_t{slot} * sums.histogram_bins + bin) * sums.lanes + lane];
    };
    count(sums.histogram, m.overlap, sites);
    if (sums.link_histogram == nullptr) return;
    count(sums.link_histogram, link, Dimension * sites);
    const auto value = static_cast<double>(link);
    sums.reals[int(Sum::link2)][at] += value * value;
    sums.reals[int(Sum::overlap2_link)][at] += m.overlap2 * value;
    if (sums.reals[int(Sum::overlap2_energy)] == nullptr) return;
    add_products<Dimension, overlap_sums>(sums, at,
                                          energy_of(a, a.first, slot) + energy_of(a, a.second, slot), m);
}

/// Notes the lowest energy at the coldest temperature, and how often it occurred. One thread per lane of a
/// replica.
__device__ __forceinline__ void note_lowest(const DeviceSums& sums, std::int64_t at, std::int64_t E) {
    const std::int64_t lowest = sums.lowest_energy[at];
    if (E > lowest) return;
    sums.lowest_count[at] = E < lowest ? 1 : sums.lowest_count[at] + 1;
    sums.lowest_energy[at] = E;
}

/// One thread for each (slot, lane) of a replica.
__device__ __forceinline__ void add_energy(const SumArgs& a, std::uint32_t replica, std::uint32_t slot,
                                           std::int64_t lane) {
    const DeviceSums& sums = a.sums;
    const std::int64_t from = energy_at(a, replica, slot);
    const std::int64_t E = energy_of(a, replica, slot);
    const std::uint8_t walker = a.walker[from];
    const std::int64_t first = (std::int64_t{sums.bin} * a.replicas + replica) * sums.temperatures,
                       at = (first + slot) * sums.lanes + lane, to = (first + walker) * sums.lanes + lane;
    const std::int64_t energy = sums.integers[int(Sum::energy)][at],
                       slots = sums.integers[int(Sum::walker_slot)][to];
    const double energy2 = sums.reals[int(Sum::energy2)][at];
    sums.integers[int(Sum::energy)][at] = energy + E;
    sums.integers[int(Sum::walker_slot)][to] = slots + slot;
    sums.reals[int(Sum::energy2)][at] = energy2 + static_cast<double>(E) * static_cast<double>(E);
    if (sums.reals[int(Sum::magnetisation2_improved)] != nullptr) {
        const double sites = static_cast<double>(a.L) * a.L * (a.dimension == 3 ? a.L : 1);
        const ClusterSums clusters = a.clusters[from];
        sums.reals[int(Sum::magnetisation2_improved)][at] += clusters.square(sites);
        sums.reals[int(Sum::magnetisation_kmin_improved)][at] += clusters.kmin(sites);
    }
    if (slot == 0 && sums.lowest_energy != nullptr)
        note_lowest(sums, (std::int64_t{sums.bin} * a.replicas + replica) * sums.lanes + lane, E);
}

/// Grid: x = column, y = slot, z = the pair if there is one, then the replicas. A block is the 128 lanes.
/// Only one thread adds to a sum.
template <class Count, int Dimension, bool Masked>
__global__ void __launch_bounds__(128) sum_kernel(const __grid_constant__ SumArgs a) {
    const std::int64_t lane = (a.first_column + blockIdx.x) * 128 + threadIdx.x;
    if (a.pairs > 0 && blockIdx.z == 0)
        add_overlaps<Count, Dimension, Masked>(a, blockIdx.y, lane);
    else
        add_energy(a, blockIdx.z - (a.pairs > 0 ? 1 : 0), blockIdx.y, lane);
}

/// Grid: x = column, y = slot; a block is the 128 lanes.
template <class Count, int Dimension>
__global__ void __launch_bounds__(128)
    magnetisation_kernel(const __grid_constant__ SumArgs a, std::uint32_t replica) {
    const DeviceSums& sums = a.sums;
    const std::uint32_t slot = blockIdx.y;
    const std::int64_t column = a.first_column + blockIdx.x, lane = column * 128 + threadIdx.x;
    const std::int64_t at =
        ((std::int64_t{sums.bin} * a.replicas + replica) * sums.temperatures + slot) * sums.lanes + lane;
    const OverlapMoments m = add_moments<Count, Dimension, magnetisation_sums>(
        sums, at, a.L, a.table, planes_of<Count>(a, Dimension, slot));
    double* const products = sums.reals[int(Sum::energy_magnetisation)];
    const bool slopes = sums.reals[int(Sum::magnetisation2_energy)] != nullptr;
    if (products == nullptr && !slopes) return;
    const std::int64_t E = energy_of(a, replica, slot);
    if (products != nullptr) products[at] += static_cast<double>(E) * static_cast<double>(m.overlap);
    if (slopes) add_products<Dimension, magnetisation_sums>(sums, at, E, m);
}

template <class Count>
void launch_sums(const SumArgs& args, dim3 grid, cudaStream_t stream) {
    const auto kernel = args.dimension == 2     ? sum_kernel<Count, 2, true>
                        : args.bonds != nullptr ? sum_kernel<Count, 3, true>
                                                : sum_kernel<Count, 3, false>;
    launch(kernel, grid, dim3(128), 0, stream, args);
}

template <class Count>
void launch_magnetisations(const SumArgs& args, int replica, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(args.columns), args.sums.temperatures);
    launch(args.dimension == 2 ? magnetisation_kernel<Count, 2> : magnetisation_kernel<Count, 3>, grid,
           dim3(128), 0, stream, args, static_cast<std::uint32_t>(replica));
}

}  // namespace

void add_sums(const SumArgs& args, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(args.columns), args.sums.temperatures,
                    (args.pairs > 0 ? 1 : 0) + args.replicas);
    if (args.counts.whole_planes(args.L, args.dimension))
        launch_sums<std::uint16_t>(args, grid, stream);
    else
        launch_sums<std::int32_t>(args, grid, stream);
}

void add_magnetisations(const SumArgs& args, int replica, cudaStream_t stream) {
    if (args.counts.whole_planes(args.L, args.dimension))
        launch_magnetisations<std::uint16_t>(args, replica, stream);
    else
        launch_magnetisations<std::int32_t>(args, replica, stream);
}

}  // namespace psflip
