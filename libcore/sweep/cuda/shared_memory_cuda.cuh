#pragma once

#include <cstdint>

namespace psflip {

// Loads, stores and copies by addresses in the shared window.

/// Returns the address in the shared window of a generic pointer.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Loads a vector of 4 or 16 bytes from shared memory. The address must be a multiple of its size.
template <class V>
__device__ __forceinline__ V load_shared(std::uint32_t address);
template <>
__device__ __forceinline__ uint4 load_shared<uint4>(std::uint32_t address) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
}
template <>
__device__ __forceinline__ std::uint32_t load_shared<std::uint32_t>(std::uint32_t address) {
    std::uint32_t v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
    return v;
}
__device__ __forceinline__ void store_shared(std::uint32_t address, const uint4& v) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
}
__device__ __forceinline__ void store_shared(std::uint32_t address, std::uint32_t v) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}

// Copies of 16 bytes from device to shared memory need no registers while they are under way. Devices before
// compute capability 8.0 copy through registers, so they have nothing to wait for.

/// Copies past L1, for words that no other thread of the multiprocessor reads. end_of_copies must follow the
/// last copy at once. If the wait marked the end, it would also wait for later loads.
__device__ __forceinline__ void copy_past_l1(std::uint32_t to, const uint4* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    store_shared(to, __ldcg(from));
#endif
}

/// Copies through L1, for words that several threads read.
__device__ __forceinline__ void copy_through_l1(std::uint32_t to, const uint4* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from))
                 : "memory");
#else
    store_shared(to, *from);
#endif
}

/// Marks the end of a group of copies of this thread.
__device__ __forceinline__ void end_of_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for the copies of this thread before end_of_copies.
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
