#pragma once

#include "sweep/lattices_cuda.cuh"

namespace psflip {

/// The lattice of one slot out of several, for loops over slots that are not unrolled: addresses of sites
/// stay in registers, and what belongs to the slot is the same in all threads. SharedLattices,
/// ClusterLattices.
template <class Lattices>
struct SlotLattices {
    using Address = std::uint32_t;
    const Lattices& all;
    std::uint32_t offset = 0;  ///< of the present slot, in bytes

    __device__ __forceinline__ Address address(std::uint32_t i) const { return all.address(i, 0); }
    __device__ __forceinline__ Address near_address(int direction, std::uint32_t i) const {
        return all.near_address(direction, i, 0);
    }
    __device__ __forceinline__ void next_slot() { offset += Lattices::slot_bytes; }
    __device__ __forceinline__ uint4 load(Address a) const { return all.load(a + offset, 0); }
    __device__ __forceinline__ uint4 load_near(int direction, Address a) const {
        return all.load_near(direction, a + offset, 0);
    }
    __device__ __forceinline__ void store(Address a, const uint4& v) const { all.store(a + offset, 0, v); }
    /// Flips the spins `bits` in word w (0 to 3) of site i, k slots after the first.
    __device__ __forceinline__ void flip(std::uint32_t i, std::uint32_t k, std::uint32_t w,
                                         std::uint32_t bits) const {
        all.flip(i, k, w, bits);
    }
};

template <>
struct SlotLattices<GlobalLattices> {
    using Address = std::uint32_t;  ///< in bytes, at most 2^28
    const GlobalLattices& all;
    char* slot = reinterpret_cast<char*>(all.base);  ///< lattice of the present slot

    __device__ __forceinline__ Address address(std::uint32_t i) const { return 16 * i; }
    __device__ __forceinline__ Address near_address(int, std::uint32_t i) const { return address(i); }
    __device__ __forceinline__ void next_slot() { slot += std::size_t{16} * all.sites; }
    __device__ __forceinline__ uint4 load(Address a) const {
        return *reinterpret_cast<const uint4*>(slot + a);
    }
    __device__ __forceinline__ uint4 load_near(int, Address a) const { return load(a); }
    __device__ __forceinline__ void store(Address a, const uint4& v) const {
        *reinterpret_cast<uint4*>(slot + a) = v;
    }
    __device__ __forceinline__ void flip(std::uint32_t i, std::uint32_t k, std::uint32_t w,
                                         std::uint32_t bits) const {
        const std::size_t word = static_cast<std::size_t>(k) * all.sites + i;
        atomicXor(reinterpret_cast<unsigned*>(all.base + word) + w, bits);
    }
};

}  // namespace psflip
