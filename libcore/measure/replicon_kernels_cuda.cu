// The replicon susceptibility on the device, for glasses in a field: modes of each pair of replicas from its
// plane counts, then chi_R from the modes of all pairs. One thread per (slot, lane) and mode or mean of
// modes.

#include "base/cuda_check.cuh"
#include "measure/moments.hpp"
#include "measure/overlap_kernels_cuda.cuh"
#include "measure/replicon.hpp"

namespace psflip {

namespace {

/// Returns where the modes of the lattice (column, slot) of a block begin, for the lane of this thread.
__device__ __forceinline__ std::size_t modes_at(int pairs, int dimension) {
    const std::size_t lattice = std::size_t{blockIdx.x} * gridDim.y + blockIdx.y;
    return lattice * pairs * replicon_modes(dimension) * 256 + threadIdx.x;
}

/// Grid: x = column, y = slot, z = family of planes; a block is the 128 lanes.
template <class Count>
__global__ void __launch_bounds__(128)
    mode_kernel(const __grid_constant__ SumArgs a, double* __restrict__ modes) {
    const int family = static_cast<int>(blockIdx.z), plane_sites = a.dimension == 3 ? a.L * a.L : a.L;
    const std::size_t lattice = std::size_t{blockIdx.x} * gridDim.y + blockIdx.y;
    Count* const planes =
        static_cast<Count*>(a.counts.planes) + (lattice * gridDim.z + blockIdx.z) * a.L * 128 + threadIdx.x;
    PlaneMode<double, int> mode;
    for (int x = 0; x < a.L; ++x)
        mode.add(a.table[x], a.table[a.L + x], plane_sites - 2 * int{planes[x * 128]});
    if constexpr (sizeof(Count) == 4)
        if (family >= a.dimension)
            for (int x = 0; x < a.L; ++x) planes[x * 128] = 0;
    double* const to = modes + modes_at(a.pairs, a.dimension) +
                       static_cast<std::size_t>(a.pair) * replicon_modes(a.dimension) * 256;
    if (family == 0) to[0] = mode.total, to[128] = 0.0;
    to[(family + 1) * 256] = mode.re;
    to[(family + 1) * 256 + 128] = mode.im;
}

/// Grid: x = column, y = slot, z = k of replicon_modes_of; a block is the 128 lanes. Only one thread adds to
/// a sum.
__global__ void __launch_bounds__(128)
    replicon_kernel(const __grid_constant__ SumArgs a, int replicas, const double* __restrict__ modes) {
    const int k = static_cast<int>(blockIdx.z), all = replicon_modes(a.dimension);
    const RepliconModes range = replicon_modes_of(k, a.dimension);
    const double N = static_cast<double>(a.L) * a.L * (a.dimension == 3 ? a.L : 1);
    const double* const from = modes + modes_at(replicas * (replicas - 1) / 2, a.dimension);
    double sum = 0.0;
    for (int mode = range.first; mode < range.end; ++mode) {
        const auto part = [&](int first, int second, int imaginary) {
            return from[(static_cast<std::size_t>(pair_number(replicas, first, second)) * all + mode) * 256 +
                        imaginary * 128];
        };
        sum = sum + replicon<double>(
                        replicas, [&](int first, int second) { return part(first, second, 0); },
                        [&](int first, int second) { return part(first, second, 1); });
    }
    const std::int64_t lane = (a.first_column + blockIdx.x) * 128 + threadIdx.x;
    a.sums.reals[int(replicon_sum(k))]
                [(std::int64_t{a.sums.bin} * a.sums.temperatures + blockIdx.y) * a.sums.lanes + lane] +=
        sum / (range.end - range.first) / (N * N);
}

}  // namespace

void store_modes(const SumArgs& args, double* modes, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(args.columns), args.sums.temperatures,
                    plane_families(args.dimension, true));
    if (args.counts.whole_planes(args.L, args.dimension))
        launch(mode_kernel<std::uint16_t>, grid, dim3(128), 0, stream, args, modes);
    else
        launch(mode_kernel<std::int32_t>, grid, dim3(128), 0, stream, args, modes);
}

void add_replicon(const SumArgs& args, int replicas, const double* modes, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(args.columns), args.sums.temperatures, 3);
    launch(replicon_kernel, grid, dim3(128), 0, stream, args, replicas, modes);
}

}  // namespace psflip
