#pragma once

#include <cstdint>

namespace psflip {

/// Lets warps work between the arrival at a barrier and the wait for all warps of the block. `state` is a
/// barrier object in shared memory. Devices below compute capability 8 have no such barrier: there, warps
/// meet in wait().
struct SplitBarrier {
    std::uint32_t state;
    std::uint32_t parity = 0;

    /// All threads must call it and meet before the first arrival.
    __device__ __forceinline__ explicit SplitBarrier(std::uint64_t* state_)
        : state(static_cast<std::uint32_t>(__cvta_generic_to_shared(state_))) {
#if __CUDA_ARCH__ >= 800
        if (threadIdx.x == 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(state), "r"(blockDim.x / 32) : "memory");
#endif
    }
    /// All threads of a warp must call it. What they wrote before is visible after the wait.
    __device__ __forceinline__ void arrive() const {
        __syncwarp();
#if __CUDA_ARCH__ >= 800
        if (threadIdx.x % 32 == 0)
            asm volatile("{ .reg .b64 now; mbarrier.arrive.shared.b64 now, [%0]; }" ::"r"(state) : "memory");
#endif
    }
    /// Waits until all warps of the block have arrived. All threads of the block must call it.
    __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ < 800
        __syncthreads();
#else
        std::uint32_t done;
        do {
#if __CUDA_ARCH__ >= 900
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(state), "r"(parity)
                : "memory");
#else
            asm volatile(
                "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(state), "r"(parity)
                : "memory");
#endif
        } while (done == 0);
        parity ^= 1;
#endif
    }
};

}  // namespace psflip
