// Plain checkerboard sweeps of many small lattices whose subdomains are lanes: a block has a lattice in
// shared memory and does all sweeps of a burst in one launch.
//
//   device memory --spins--> shared memory
//   sweeps x (red, black): as in sites_streaming_cuda.cu, with a barrier behind each colour
//   shared memory --spins--> device memory
//
// Couplings come from device memory through the caches. Per colour a barrier and the pauses of one row after
// the other stand where the streaming kernel has a launch.

#include "base/cuda_check.cuh"
#include "sweep/sites/site_sweep_cuda.cuh"

namespace psflip {
namespace {

constexpr unsigned max_threads = 512;  ///< leaves each 128 registers

template <int Degree, bool Glass>
__global__ void __launch_bounds__(max_threads, 1)
    sites_resident(const __grid_constant__ BatchArgs batch, std::uint32_t rows, std::uint64_t first_sweep,
                   std::uint32_t steps) {
    extern __shared__ uint4 memory[];
    __shared__ StepNumbers numbers[2];
    uint4* const spins = memory;
    const ResidentLattice a(batch, spins);
    uint4* const from = BatchLattice(batch).spins;
    const std::uint32_t indices = 2 * a.colour_words;
    for (std::uint32_t i = threadIdx.x; i < indices; i += blockDim.x) spins[i] = from[i];
    set_numbers(a, first_sweep, numbers[0]);
    __syncthreads();
#pragma unroll 1
    for (std::uint32_t half = 0; half < 2 * steps; ++half) {
        const std::uint32_t step = half / 2;
        if (half % 2 == 0) set_numbers(a, first_sweep + step + 1, numbers[(step + 1) % 2]);
        sweep_rows<Degree, Glass, lane_words>(a, numbers[step % 2], half % 2, rows, PlaneRange{0, a.nz},
                                              memory + indices);
        __syncthreads();
    }
    for (std::uint32_t i = threadIdx.x; i < indices; i += blockDim.x) from[i] = spins[i];
}

}  // namespace

LatticeBlock plan_lattice_block(const SitesShape& shape, int device) {
    LatticeBlock plan{1, 0, 0};
    while (plan.rows < shape.ny &&
           (shape.ny % plan.rows != 0 || shape.colour_words / plan.rows > max_threads))
        ++plan.rows;
    plan.threads = (shape.colour_words / plan.rows + 31) / 32 * 32;
    plan.shared_bytes = 2 * sizeof(uint4) * shape.colour_words +
                        plan.threads * WarpLeftovers<6, lane_words>::bytes_per_thread;
    int max_bytes = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&max_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    constexpr std::size_t numbers_bytes = 1024;  // a bound
    const bool fits = plan.threads <= max_threads &&
                      plan.shared_bytes + numbers_bytes <= static_cast<std::size_t>(max_bytes);
    return fits ? plan : LatticeBlock{};
}

void launch_batch_resident(const BatchArgs& batch, int degree, const LatticeBlock& plan,
                           std::uint32_t lattices, std::uint64_t sweep, int steps, cudaStream_t stream) {
    const auto kernel = with_degree(degree, batch.couplings != nullptr,
                                    [&]<int Degree, bool Glass>() { return sites_resident<Degree, Glass>; });
    PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(plan.shared_bytes)));
    launch(kernel, dim3(1, lattices), dim3(plan.threads), plan.shared_bytes, stream, batch, plan.rows, sweep,
           static_cast<std::uint32_t>(steps));
}

}  // namespace psflip
