#pragma once

#include <cstdint>

#include "sweep/cuda/shared_memory_cuda.cuh"

namespace psflip {

// Copies of 16 bytes from device to shared memory that need no registers while they are under way. Devices
// before compute capability 8.0 load and store instead, and have nothing to wait for.

/// The shared-memory address of a generic pointer.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Past the first cache, for words that no other thread of the multiprocessor reads. end_of_copies must
/// follow the last copy at once: left to the wait, the mark of their end would also wait for what is loaded
/// later.
__device__ __forceinline__ void copy_past_l1(std::uint32_t to, const uint4* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    store_shared(to, __ldcg(from));
#endif
}

/// Through the first cache, for words that several threads read.
__device__ __forceinline__ void copy_through_l1(std::uint32_t to, const uint4* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from))
                 : "memory");
#else
    store_shared(to, *from);
#endif
}

__device__ __forceinline__ void end_of_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for the copies before end_of_copies.
__device__ __forceinline__ void copies_done() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}

/// Waits for all copies of this thread.
__device__ __forceinline__ void all_copies_done() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace psflip
