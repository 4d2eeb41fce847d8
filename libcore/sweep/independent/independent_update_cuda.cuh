#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/cuda/shared_memory_cuda.cuh"
#include "sweep/independent/undecided_lanes_cuda.cuh"

namespace psflip {

/// Gives access to the lattices of several slots, one after the other. Addresses of a site and its neighbours
/// stay in registers. The address of the slot is equal in all threads.
template <class Lattices, int Degree = 6>
struct SlotLattices;

/// Gives access to lattices in shared memory.
template <int Degree>
struct SlotLattices<SharedLattices, Degree> {
    struct Addresses {
        std::uint32_t own, near[Degree];
    };
    const SharedLattices& all;
    std::uint32_t offset = 0;  ///< offset of the present slot in bytes

    __device__ __forceinline__ Addresses addresses(const NearSites<Degree>& n) const {
        Addresses at;
        at.own = all.address(n.own, 0);
#pragma unroll
        for (int i = 0; i < Degree; ++i) at.near[i] = all.address(n.near[i], 0);
        return at;
    }
    /// Must be called before the first slot of a site.
    __device__ __forceinline__ void begin(const Addresses&) {}
    /// Loads the words of the present slot; `more`: another slot follows.
    __device__ __forceinline__ void load(const Addresses& at, bool, NearSpins<Degree>& spins) const {
#pragma unroll
        for (int i = 0; i < Degree; ++i) spins.near[i] = all.load(at.near[i] + offset, 0);
        spins.own = all.load(at.own + offset, 0);
    }
    __device__ __forceinline__ void store(const Addresses& at, const uint4& v) const {
        all.store(at.own + offset, 0, v);
    }
    __device__ __forceinline__ void next_slot() {
        offset += SharedLattices::slot_bytes;
    }
    /// Flips the spins `bits` in word w (0 to 3) of the site at `own`, k slots after the first.
    __device__ __forceinline__ void flip(std::uint32_t own, std::uint32_t k, std::uint32_t w,
                                         std::uint32_t bits) const {
        all.flip(own + 4 * w, k, bits);
    }
};

/// Gives access to lattices in device memory. The words of the next slot are copied to shared memory, without
/// registers, during the update of the present slot.
template <int Degree>
struct SlotLattices<GlobalLattices, Degree> {
    struct Addresses {
        std::uint32_t own, near[Degree];  ///< in bytes, at most 2^28
    };
    static constexpr unsigned words = Degree + 1, threads = 256;  ///< threads: of a block

    const GlobalLattices& all;
    uint4* stage;                                    ///< (word, thread)
    char* slot = reinterpret_cast<char*>(all.base);  ///< lattice of the present slot

    __device__ __forceinline__ Addresses addresses(const NearSites<Degree>& n) const {
        Addresses at;
        at.own = 16 * n.own;
#pragma unroll
        for (int i = 0; i < Degree; ++i) at.near[i] = 16 * n.near[i];
        return at;
    }
    __device__ __forceinline__ void begin(const Addresses& at) {
        copy(at, slot);
    }
    __device__ __forceinline__ void load(const Addresses& at, bool more, NearSpins<Degree>& spins) const {
        all_copies_done();
        const uint4* const mine = stage + threadIdx.x;
#pragma unroll
        for (unsigned i = 0; i < Degree; ++i) spins.near[i] = mine[i * threads];
        spins.own = mine[Degree * threads];
        if (more) copy(at, slot + std::size_t{16} * all.sites);
    }
    __device__ __forceinline__ void store(const Addresses& at, const uint4& v) const {
        *reinterpret_cast<uint4*>(slot + at.own) = v;
    }
    __device__ __forceinline__ void next_slot() {
        slot += std::size_t{16} * all.sites;
    }
    __device__ __forceinline__ void flip(std::uint32_t own, std::uint32_t k, std::uint32_t w,
                                         std::uint32_t bits) const {
        char* const lattice = reinterpret_cast<char*>(all.base + static_cast<std::size_t>(k) * all.sites);
        atomicXor(reinterpret_cast<unsigned*>(lattice + own) + w, bits);
    }

  private:
    __device__ __forceinline__ void copy(const Addresses& at, const char* from) const {
        uint4* const mine = stage + threadIdx.x;
#pragma unroll
        for (unsigned i = 0; i < Degree; ++i) copy(mine + i * threads, from + at.near[i]);
        copy(mine + Degree * threads, from + at.own);
    }
    __device__ __forceinline__ static void copy(uint4* to, const char* from) {
        copy_through_l1(shared_address(to), reinterpret_cast<const uint4*>(from));
    }
};

/// Shared memory of a block for share 1: what threads keep of their sites, the queue, and a table for each
/// lattice.
template <class Rule>
struct IndependentMemory {
    static constexpr int bytes_per_thread = 16 * Rule::kept_vectors + UndecidedLanes<Rule>::bytes_per_thread;

    uint4* kept;   ///< of this thread
    uint4* queue;  ///< of the block
    typename Rule::Table* tables;

    /// `memory` has bytes_per_thread for each thread of the block, then the tables.
    __device__ __forceinline__ explicit IndependentMemory(uint4* memory)
        : kept(memory + threadIdx.x * Rule::kept_vectors),
          queue(memory + blockDim.x * Rule::kept_vectors),
          tables(reinterpret_cast<typename Rule::Table*>(
              queue + blockDim.x * UndecidedLanes<Rule>::bytes_per_thread / 16)) {}
};

/// Updates one site in `count` lattices with a random number for every spin. `tables` has a table for each
/// lattice, and d determines the random numbers of the site. All threads of a warp must call it together.
/// Threads that are not `valid` also need a site, but leave it unchanged. Afterwards `undecided` has the
/// undecided lanes.
template <class Rule, class Lattices>
__device__ __forceinline__ void update_independent(
    const typename Rule::Args& args, const typename Rule::Table* tables, UndecidedLanes<Rule>& undecided,
    SlotLattices<Lattices, Rule::degree> lattices, std::uint32_t count, NearSites<Rule::degree> n,
    const typename Rule::Site& site, const SiteDraw& d, bool valid) {
    const PhiloxKeys keys{d.seed};
    if (!valid) n.own = n.near[0];  // reading the own word would race with the site's own thread
    const auto at = lattices.addresses(n);
    const SiteRounds<site_words> rounds(keys, d.site, d.first_realization / 32);
    lattices.begin(at);
#pragma unroll 1
    for (std::uint32_t k = 0; k < count; ++k) {
        NearSpins<Rule::degree> spins;
        lattices.load(at, k + 1 < count, spins);
        typename Rule::Lanes lanes[site_words];
        Rule::start(args, spins, site, {valid ? ~0u : 0u}, lanes);
        compare_two_digits(tables[k], rounds, keys, lanes);
#pragma unroll
        for (int w = 0; w < site_words; ++w)
            word_ref(spins.own, w) = lanes[w].flipped(word_of(spins.own, w)).bits;
        if (valid) lattices.store(at, spins.own);
        undecided.add(tables, lattices, keys, d, k, at.own, lanes);
        lattices.next_slot();
    }
}

}  // namespace psflip
