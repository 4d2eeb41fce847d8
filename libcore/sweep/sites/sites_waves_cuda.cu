// Sweeps of large ferromagnets in two dimensions by demons, both colours in one launch (site_waves_cuda.cuh).
//
//   device memory --rows of both colours--> L2 --> registers: red --> L2 --> registers: black
//                                                                            --> L2 --> device memory
//
// Bytes of device memory per 128 spins of both colours: 16 read and 16 written, where one launch per colour
// reads 32. A thread has one word, so that the rows of all threads fit into L2.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "sweep/sites/site_waves_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 128;

__device__ __forceinline__ std::uint32_t acquired(const std::uint32_t* from) {
    std::uint32_t value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

template <int Words>
__global__ void __launch_bounds__(threads, 8)
    sites_waves(const __grid_constant__ WaveArgs a, std::uint32_t rows,
                const __grid_constant__ WaveLaunch launch) {
    __shared__ SiteDemonTable table;
    __shared__ std::uint32_t ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(launch.progress, 1u);
    __syncthreads();
    const WaveTask task(launch, ticket);
    std::uint32_t* const finished = launch.progress + 1;
    table.fill(a, launch.first_sweep + task.half / 2);
    if (threadIdx.x < 3) {
        const std::uint32_t* const at = finished + task.neighbour(launch, threadIdx.x);
        while (acquired(at) < task.half * launch.blocks) __nanosleep(100);
    }
    __syncthreads();
    serve_task<Words>(a, rows, task, table);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(finished + task.segment, 1u);
    }
}

std::uint32_t blocks_of_segment(const SitesShape& args, int words) {
    return blocks_for(static_cast<long long>(args.row_words) * (lane_words / words), threads);
}

}  // namespace

std::uint32_t wave_lag(const SitesArgs& args, const SweepRule& rule, int device) {
    const DemonChains chains = site_chains(args, rule);
    int l2 = 0, blocks = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    PSFLIP_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sites_waves<1>, threads, 0));
    const auto at_once = static_cast<std::uint32_t>(blocks * cuda_multiprocessors(device)),
               segments = static_cast<std::uint32_t>(chains.segments()),
               lag = 3 + (at_once + 2 * blocks_of_segment(args, 1) - 1) / (2 * blocks_of_segment(args, 1));
    const std::size_t row_bytes = 2 * sizeof(uint4) * args.row_words, lattice = row_bytes * args.ny,
                      window = row_bytes * static_cast<std::size_t>(chains.rows) * 2 * lag;
    const bool pays = fits_waves(args, rule, args.couplings != nullptr, lag) &&
                      lattice > static_cast<std::size_t>(l2) && window < static_cast<std::size_t>(l2);
    return pays ? lag : 0;
}

bool fits_waves(const SitesShape& shape, const SweepRule& rule, bool glass, std::uint32_t lag) {
    const DemonChains chains = site_chains(shape, rule);
    return rule.degree == 4 && !glass && chains.rows % 2 == 0 && lag >= 3 &&
           lag + 2 <= static_cast<std::uint32_t>(chains.segments());
}

void launch_sites_waves(const SitesArgs& args, const SweepRule& rule, const ThreadPlan& plan,
                        std::uint64_t first_sweep, int sweeps, std::uint32_t* progress, cudaStream_t stream) {
    const DemonChains chains = site_chains(args, rule);
    const auto segments = static_cast<std::uint32_t>(chains.segments());
    PSFLIP_CUDA(cudaMemsetAsync(progress, 0, (1 + segments) * sizeof(std::uint32_t), stream));
    const WaveLaunch wave{segments,    blocks_of_segment(args, plan.words),
                          plan.lag,    static_cast<std::uint32_t>(sweeps),
                          first_sweep, progress};
    launch(plan.words == 2 ? sites_waves<2> : sites_waves<1>, dim3(wave.tickets()), dim3(threads), 0, stream,
           WaveArgs{args}, static_cast<std::uint32_t>(chains.rows), wave);
}

}  // namespace psflip
