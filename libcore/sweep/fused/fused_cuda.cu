// Carries out many bursts of sweeps with their exchanges in one launch, for lattices with at most 512 sites
// of a colour.
//
//   device memory --load_block--> shared memory: the temperatures of a block
//     bursts times | sweeps_per_swap times: red | barrier of the thread group | black | barrier
//                  | exchange (fused_exchange_cuda.cuh); neighbouring blocks send each other the spins,
//                  | energies and labels of the temperatures at their edges
//   device memory <--store_block--
//
// The wide form has 128 lanes per thread. It suits large batches, in which a block can have all temperatures
// of a lane group. The narrow form has 32 lanes per thread. The four words of a column go to different
// blocks, so that one column of 24 temperatures and 2 replicas makes 96 blocks of two temperatures each.
//
// By the plain rule, wide threads have spins and couplings in the gauge (gauge.hpp). Spins are turned over
// when a block loads and stores them. Threads keep the couplings and the neighbours' addresses of their two
// sites in 48 registers. An update takes the rule, its random numbers, 7 reads and 1 write of shared memory
// and nothing else. The narrow form draws random numbers for each word, which is half of its logic
// operations. A step is bound by latency. Hence the acceptance of the next site is made while the words of
// this site are loaded.

#include "base/cuda_check.cuh"
#include "sweep/fused/fused_periods_cuda.cuh"

namespace psflip {

namespace {

template <class V, class Sweeper>
__global__ void __launch_bounds__(fused_threads, 1) fused_kernel(const __grid_constant__ FusedArgs a) {
    run_periods<FusedBlock<V>>(a, [&](const auto& held, const ThreadGroup& group, std::uint64_t sweep) {
        Sweeper{a, held, group}.run(sweep, a.sweeps_per_swap);
    });
}

using Kernel = void (*)(FusedArgs);

Kernel plain_kernel(int share, const FusedPlan& plan) {
    const int each = plan.slots / plan.thread_groups;
    if (plan.words == 1)
        return each == 1   ? fused_kernel<std::uint32_t, NarrowSweeper<1>>
               : each == 2 ? fused_kernel<std::uint32_t, NarrowSweeper<2>>
                           : fused_kernel<std::uint32_t, NarrowSweeper<4>>;
    return with_share(share, [](auto n) -> Kernel { return fused_kernel<uint4, WideSweeper<n.value>>; });
}

const void* kernel_for(const SweepRule& rule, int share, const FusedPlan& plan) {
    return rule.plain ? reinterpret_cast<const void*>(plain_kernel(share, plan))
                      : fused_class_kernel(rule, share);
}

}  // namespace

std::int64_t fused_blocks_at_once(const SweepRule& rule, int share, const FusedPlan& plan, int device) {
    const void* const kernel = kernel_for(rule, share, plan);
    int blocks = 0, multiprocessors = 0, shared = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    cudaFuncAttributes attributes;
    PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared - static_cast<int>(attributes.sharedSizeBytes)));
    PSFLIP_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, plan.threads(), plan.shared_bytes));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return std::int64_t{blocks} * multiprocessors;
}

void launch_fused(const FusedArgs& args, const ClassArgs& table, const SweepRule& rule,
                  std::int64_t lane_groups, cudaStream_t stream) {
    const FusedPlan& plan = args.plan;
    cudaLaunchAttribute together;
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(lane_groups * plan.blocks));
    config.blockDim = dim3(plan.threads());
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = plan.blocks > 1 ? 1 : 0;
    const void* parameters[] = {&args, &table};
    PSFLIP_CUDA(cudaLaunchKernelExC(&config, kernel_for(rule, static_cast<int>(args.share), plan),
                                    const_cast<void**>(parameters)));
}

}  // namespace psflip
