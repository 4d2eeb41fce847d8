// Gives kernels access to the spins of neighbouring slots, in shared memory, in clusters of blocks, or in
// device memory.
#pragma once

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "sweep/cuda/shared_memory_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Holds spins of neighbouring slots in shared memory, in tiles of 128 bytes: (site / n, slot, site % n) with
/// n = 128 / sizeof(V). The slots of a site are 128 bytes apart for every lattice, so an unrolled loop
/// reaches them by constant offsets. Consecutive sites fall into different banks.
template <class V>
struct SharedTiles {
    using Address = std::uint32_t;
    static constexpr std::uint32_t slot_bytes = 128;
    std::uint32_t base;   ///< address of the first slot, in the shared window
    std::uint32_t extra;  ///< bytes of the other slots of n sites: (slots - 1) * slot_bytes

    __device__ __forceinline__ static SharedTiles at(const void* p, std::uint32_t slots) {
        return {kept(shared_address(p)), kept((slots - 1) * slot_bytes)};
    }
    /// Returns the address of site i in slot k relative to the first slot. k may be negative.
    __device__ __forceinline__ Address address(std::uint32_t i, std::int32_t k) const {
        constexpr std::uint32_t tile_sites = slot_bytes / sizeof(V);
        return base + k * slot_bytes + i / tile_sites * extra + i * sizeof(V);
    }
    /// Returns the address of site i as the neighbour of the present site in a direction.
    __device__ __forceinline__ Address near_address(int, std::uint32_t i, std::int32_t k) const {
        return address(i, k);
    }

    /// Returns the word k slots after `a`.
    __device__ __forceinline__ V load(Address a, std::uint32_t k) const {
        return load_shared<V>(a + k * slot_bytes);
    }
    __device__ __forceinline__ V load_near(int, Address a, std::uint32_t k) const { return load(a, k); }
    __device__ __forceinline__ void store(Address a, std::uint32_t k, const V& v) const {
        store_shared(a + k * slot_bytes, v);
    }
    /// Flips bits of the 32-bit word k slots after `a`, atomically.
    __device__ __forceinline__ void flip(Address a, std::uint32_t k, std::uint32_t bits) const {
        asm volatile("red.shared.xor.b32 [%0], %1;" ::"r"(a + k * slot_bytes), "r"(bits) : "memory");
    }
};
using SharedLattices = SharedTiles<uint4>;

/// Holds slabs of the lattices of neighbouring slots, one slab in the shared memory of each block of a
/// cluster. Slabs consist of layers: z planes or, with Degree = 4 neighbours, rows. Sites of the first and
/// last layer of a slab have a neighbour in the slab of another block. Needs compute capability 9; plans
/// check this.
template <int Degree>
struct ClusterTiles : SharedLattices {
    static constexpr int up = Degree / 2 - 1, down = Degree - 1;  ///< directions between layers
    std::uint32_t up_rank, down_rank;                             ///< blocks with the next slabs
    std::uint64_t window;                                         ///< generic address of the cluster's window
    bool up_remote = false, down_remote = false;  ///< whether neighbours of the present layer are remote

    __device__ __forceinline__ ClusterTiles(const SharedLattices& shared, std::uint32_t up_block,
                                            std::uint32_t down_block)
        : SharedLattices(shared), up_rank(up_block), down_rank(down_block) {
#if __CUDA_ARCH__ >= 900
        const Address mapped = of_rank(base, up_rank);
        asm("cvta.shared::cluster.u64 %0, %1;" : "=l"(window) : "l"(std::uint64_t{mapped}));
        window -= mapped;
#else
        __trap();
#endif
    }

    __device__ __forceinline__ Address near_address(int direction, std::uint32_t i, std::int32_t k) const {
        const Address a = address(i, k);
        if (direction == up && up_remote) return of_rank(a, up_rank);
        if (direction == down && down_remote) return of_rank(a, down_rank);
        return a;
    }
    __device__ __forceinline__ uint4 load_near(int direction, Address a, std::uint32_t k) const {
        return (direction == up && up_remote) || (direction == down && down_remote) ? load_remote(a, k)
                                                                                    : load(a, k);
    }
    /// Waits for all threads of the cluster. Each thread then sees what all others wrote before. All threads
    /// must call it.
    __device__ __forceinline__ static void barrier() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#else
        __trap();
#endif
    }

    /// arrive() and wait() are the halves of barrier(). Between them, a thread may touch only memory that no
    /// other block touches. One warp publishes what the block wrote, so that other warps need not wait for
    /// it. Threads of a warp may call wait() separately.
    __device__ __forceinline__ static void arrive() {
#if __CUDA_ARCH__ >= 900
        __syncthreads();
        if (threadIdx.x < 32) asm volatile("fence.acq_rel.cluster;" ::: "memory");
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
        __trap();
#endif
    }
    __device__ __forceinline__ static void wait() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.wait;" ::: "memory");
#else
        __trap();
#endif
    }

  private:
    /// Returns the address of the same word in another block, in the cluster's window.
    __device__ __forceinline__ static Address of_rank(Address a, std::uint32_t rank) {
        Address mapped = 0;
#if __CUDA_ARCH__ >= 900
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(a), "r"(rank));
#else
        __trap();
#endif
        return mapped;
    }
    /// Loads by a generic address, because a load from the window of the cluster would compute its base each
    /// time.
    __device__ __forceinline__ uint4 load_remote(Address a, std::uint32_t k) const {
        uint4 v{};
        asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(window + a + k * std::uint64_t{slot_bytes})
                     : "memory");
        return v;
    }
};

/// Gives access to spins of neighbouring slots in device memory: (slot, site).
struct GlobalLattices {
    using Address = uint4*;
    uint4* base;
    std::uint32_t sites;

    __device__ __forceinline__ Address address(std::uint32_t i, std::int32_t k) const {
        return base + static_cast<std::ptrdiff_t>(k) * sites + i;
    }
    __device__ __forceinline__ Address near_address(int, std::uint32_t i, std::int32_t k) const {
        return address(i, k);
    }
    __device__ __forceinline__ Address next_quad(Address a) const {
        return a + 4 * static_cast<std::size_t>(sites);
    }
    __device__ __forceinline__ uint4 load(Address a, std::uint32_t k) const {
        return a[static_cast<std::size_t>(k) * sites];
    }
    __device__ __forceinline__ uint4 load_near(int, Address a, std::uint32_t k) const { return load(a, k); }
    __device__ __forceinline__ void store(Address a, std::uint32_t k, const uint4& v) const {
        a[static_cast<std::size_t>(k) * sites] = v;
    }
};

/// Holds the addresses of a site and its neighbours in the first slot of a quad.
template <class Lattices>
struct SiteAddresses {
    typename Lattices::Address own, near[6];

    SiteAddresses() = default;
    __device__ __forceinline__ SiteAddresses(const Lattices& lattices, const Neighbours& n, std::int32_t slot)
        : own(lattices.address(n.own, slot)) {
#pragma unroll
        for (int i = 0; i < 6; ++i) near[i] = lattices.near_address(i, n.site[i], slot);
    }
    __device__ __forceinline__ void next_quad(const Lattices& lattices) {
        own = lattices.next_quad(own);
#pragma unroll
        for (int i = 0; i < 6; ++i) near[i] = lattices.next_quad(near[i]);
    }
};

/// Holds the spin words of a site and its neighbours in one slot.
template <class V>
struct SiteVectors {
    V own, near[6];

    template <class Lattices>
    __device__ __forceinline__ void load(const Lattices& lattices, const SiteAddresses<Lattices>& at,
                                         std::uint32_t k) {
#pragma unroll
        for (int i = 0; i < 6; ++i) near[i] = lattices.load_near(i, at.near[i], k);
        own = lattices.load(at.own, k);
    }
};
using SiteWords = SiteVectors<uint4>;

}  // namespace psflip
