#pragma once

#include <cstdint>

namespace psflip {

/// A vector of 4 or 16 bytes at an address of the shared window.
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

}  // namespace psflip
