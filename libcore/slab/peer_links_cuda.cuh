// Defines how kernels of slabs write halos into the GPUs of neighbours, and wait for each other.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"

namespace psflip {

/// Names the ends of a slab and the neighbours there.
enum Side { below, above };
inline constexpr int sides = 2;

/// Holds what kernels need to write into the halos of neighbours on other GPUs. It is passed by value.
/// Launches that touch halos have numbers 1, 2, ..., equal on all ranks.
///
/// In a launch, the blocks with sites at an end of the slab first wait until the neighbour there has finished
/// the previous launch (await). They update their sites and also write them into the neighbour's halo. The
/// last of these blocks publishes that this side of the launch is finished. Nothing else waits, so blocks in
/// the middle hide the way to the neighbour. Only its own host launches on a GPU, and every GPU has one slab.
/// So a launch that others wait for is running or will be launched.
///
/// Why one copy of a halo suffices. "The neighbour has finished side s of launch n" means that its blocks at
/// the end that faces this slab (i) have written this slab's halo for launch n, and (ii) have read their own
/// halo, which this slab writes, for the last time in launch n. A launch of a colour reads the halo of the
/// other colour and writes its own colour's halo. So in launch n + 1 this slab reads what (i) wrote, and by
/// (ii) overwrites what the neighbour no longer reads; in launch n + 1 the neighbour reads the other colour.
/// A launch of both colours reads one array and writes another: in launch n + 1 it writes the array that the
/// neighbour read in launch n. Tiles of lanes = sites have a colour, too. Their launches change both colours
/// of sites, but only in tiles of one colour, and read the halo in tiles of the other colour.
///
/// Both hold for each side by itself. With two ranks the neighbours at both ends are one rank with two words.
/// In a slab of two planes each plane is at one end only. If a launch makes both colours, each plane is at
/// both ends, and its blocks wait for both sides and write to both. In the sliced order red sites are at the
/// lower end only and black sites at the upper end. Each side then publishes in every second launch: the
/// launch before the launch of the other end.
///
/// Kernels outside of bursts (exchanges of temperatures, energies, measurements) read and write halos between
/// settle and ready. settle waits for both neighbours; ready is a launch after which they may write again.
struct PeerLinks {
    struct Neighbour {
        uint4* spins;                       ///< array of the neighbour: (lattice, site of its held planes)
        std::uint32_t sites, colour_sites;  ///< of the neighbour's held planes
        std::uint32_t shift;      ///< index of a site in its colour there, minus its index in its colour here
        std::uint64_t* finished;  ///< the neighbour's word for launches of this rank
    };
    Neighbour at[sides];
    const std::uint64_t* finished;  ///< by side: the last launch that the neighbour has finished
    std::uint32_t* blocks_done;     ///< by side: blocks of the present launch that have called publish
    std::uint32_t* failed;          ///< 1 after a neighbour did not answer; also on the host
    std::uint32_t* failed_on_host;
    std::uint64_t number;  ///< number of this launch

#ifdef __CUDACC__
    /// Waits for the neighbour at a side. All threads of a block must call it.
    __device__ __forceinline__ void await(int side) const {
        if (threadIdx.x == 0) wait_for(side, number - 1);
        __syncthreads();
    }

    /// Returns the address, in the neighbour's halo, of the site that has index `i` in its colour here.
    __device__ __forceinline__ uint4* place(int side, std::size_t lattice, std::uint32_t colour,
                                            std::uint32_t i) const {
        const Neighbour& to = at[side];
        return to.spins + lattice * to.sites + colour * to.colour_sites + (i + to.shift);
    }

    /// Publishes that this side of the launch is finished. All threads of each of the `blocks` blocks at that
    /// end must call it.
    __device__ __forceinline__ void publish(int side, std::uint32_t blocks) const {
        __syncthreads();
        if (threadIdx.x != 0) return;
        fence();
        if (atomicInc(blocks_done + side, blocks - 1) != blocks - 1) return;
        fence();
        asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(at[side].finished), "l"(number) : "memory");
    }

    __device__ __forceinline__ void signal(int side) const {
        asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(at[side].finished), "l"(number) : "memory");
    }

    /// Waits until the neighbour has finished a launch, but at most 20 seconds. If the time is over, marks
    /// the failure and returns.
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

    /// Orders what the block wrote and read before what follows, for all GPUs. It is weaker than
    /// __threadfence_system, which also orders all such fences among themselves.
    __device__ __forceinline__ static void fence() {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    }

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
