#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"

namespace psflip {

/// The ends of a slab, and the neighbours there.
enum Side { below, above };
inline constexpr int sides = 2;

/// What kernels need to write into the halos of neighbours on other GPUs, by value. Launches of all ranks
/// that touch halos have numbers, 1, 2, ..., the same on all ranks.
///
/// Within a launch, for each side: the blocks whose sites lie at that end wait until the neighbour has
/// finished the launch before (await), update their sites and write them also into its halo, and the last of
/// them tells the neighbour that this side of the launch is finished (publish). Nothing else waits, so that
/// the way to the neighbour is hidden behind the blocks in the middle; nobody but the host of a GPU launches,
/// and every GPU has one slab, so that what is waited for is running or will be launched.
///
/// Why one copy of a halo suffices. "The neighbour has finished side s of launch n" says that its blocks at
/// the end that faces this slab (i) have written what this slab's halo gets in launch n, and (ii) read their
/// own halo, which this slab writes, for the last time in launch n. A launch of a colour reads the halo of
/// the other colour and writes that of its own. So in launch n + 1 this slab reads what (i) wrote, and
/// overwrites what the neighbour read until launch n, by (ii) no more; what the neighbour reads in launch
/// n + 1 is of the other colour. A launch that makes both colours reads one array and writes another: in
/// launch n + 1 it writes the array that the neighbour read in launch n. Both hold for each side by itself:
/// with two ranks the neighbours at both ends are one rank with two words for what is finished; in a slab of
/// two planes each is at one end only (where a launch makes both colours, at both: its blocks wait for both
/// sides, and write to both). In the sliced order red sites are at the lower end only and black ones at the
/// upper end, so that each side is heard of in every second launch: the one before that of the other end.
/// Kernels outside of bursts (exchanges of temperatures, energies, measurements) read and write halos between
/// settle, which waits for both neighbours, and ready, a launch of its own that says that they may write
/// again.
struct PeerLinks {
    struct Neighbour {
        uint4* spins;                       ///< its array: (lattice, site of its held planes)
        std::uint32_t sites, colour_sites;  ///< of its held planes
        std::uint32_t shift;                ///< from a place within a colour here to the same site there
        std::uint64_t* finished;            ///< its word for this rank's launches
    };
    Neighbour at[sides];
    const std::uint64_t* finished;  ///< by side: the last launch that the neighbour has finished
    std::uint32_t* blocks_done;     ///< by side: blocks of the present launch
    std::uint32_t* failed;          ///< 1 after a neighbour has not answered; here and on the host
    std::uint32_t* failed_on_host;
    std::uint64_t number;  ///< of this launch

#ifdef __CUDACC__
    /// By all threads of a block.
    __device__ __forceinline__ void await(int side) const {
        if (threadIdx.x == 0) wait_for(side, number - 1);
        __syncthreads();
    }

    /// The site in the neighbour's halo, of which there is place `i` within the colour here.
    __device__ __forceinline__ uint4* place(int side, std::size_t lattice, std::uint32_t colour,
                                            std::uint32_t i) const {
        const Neighbour& to = at[side];
        return to.spins + lattice * to.sites + colour * to.colour_sites + (i + to.shift);
    }

    /// By all threads of each of the `blocks` blocks at that end.
    __device__ __forceinline__ void publish(int side, std::uint32_t blocks) const {
        __syncthreads();
        if (threadIdx.x != 0) return;
        __threadfence_system();
        if (atomicInc(blocks_done + side, blocks - 1) != blocks - 1) return;
        __threadfence_system();
        tell(side);
    }

    __device__ __forceinline__ void tell(int side) const {
        asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(at[side].finished), "l"(number) : "memory");
    }

    /// Until the neighbour has finished a launch, or has not for 20 seconds.
    __device__ __forceinline__ void wait_for(int side, std::uint64_t launch) const {
        if (seen(side) >= launch) return;
        const std::uint64_t start = clock_ns();
        while (seen(side) < launch) {
            const bool given_up = *reinterpret_cast<volatile std::uint32_t*>(failed) != 0;
            if (!given_up && clock_ns() - start < patience_ns) continue;
            *reinterpret_cast<volatile std::uint32_t*>(failed) = 1;
            *reinterpret_cast<volatile std::uint32_t*>(failed_on_host) = 1;
            return;
        }
    }

  private:
    static constexpr std::uint64_t patience_ns = 20'000'000'000;

    __device__ __forceinline__ std::uint64_t seen(int side) const {
        std::uint64_t value;
        asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(finished + side) : "memory");
        return value;
    }
    __device__ __forceinline__ static std::uint64_t clock_ns() {
        std::uint64_t value;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(value));
        return value;
    }
#endif
};

}  // namespace psflip
