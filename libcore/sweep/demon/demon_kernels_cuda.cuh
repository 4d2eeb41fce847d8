#pragma once

#include <cstdint>

#include "model/demons.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/demon/demon_places_cuda.cuh"

namespace psflip {

/// Planes of the thresholds of a slot's demons: (call, threshold, plane) of all bits or none. A block keeps
/// them in shared memory.
struct DemonTable {
    static constexpr int calls = 8;
    uint4 planes[calls][max_demon];

    __device__ __forceinline__ void fill(const Thresholds& t, unsigned first, unsigned step) {
        for (unsigned i = first; i < calls * max_demon; i += step) {
            const unsigned call = i / max_demon, c = i - call * max_demon;
            const auto digit = static_cast<std::int32_t>((c == 0   ? t.c4
                                                          : c == 1 ? t.c8
                                                                   : t.c12)
                                                         << (4 * call));
            const auto plane = [digit](int k) { return static_cast<std::uint32_t>((digit << k) >> 31); };
            planes[call][c] = {plane(0), plane(1), plane(2), plane(3)};
        }
    }
};

/// Holds what both kernels get in addition to SweepArgs.
struct DemonLaunch {
    ChainSizes sizes;
    int sweeps;
    std::uint64_t first_sweep;
    // The streaming kernel alone.
    std::uint32_t first_column, first_slot, colour;
    // The resident kernel alone.
    std::uint32_t slots;        ///< per block
    std::uint32_t first_stack;  ///< of the batch slice
    PendingExchange pending;
    std::int32_t* energy;  ///< (stack, slot, lane); null: not wanted
};

/// A kernel of demons.
using DemonKernelFunction = void (*)(SweepArgs, DemonLaunch);

/// Returns the kernel that sweeps one colour from device memory, for 4 or 6 neighbours and 1, 2 or 4 slots
/// per thread. Grid: x = chains, in blocks of streaming_demon_threads; y = (replica, group of slots from
/// first_slot on); z = column - first_column.
DemonKernelFunction streaming_demons(int degree, int slots);
inline constexpr int streaming_demon_threads = 128;

/// Returns the kernel of a burst in shared memory, for 1, 2 or 4 slots per thread and words of a site per
/// block. Grid: x = (column, replica, group of slots, words of a column), from first_stack on.
DemonKernelFunction resident_demons(int degree, int slots, int words);

/// Returns the maximum number of threads of a resident block, so that the words of all slots stay in
/// registers.
constexpr int max_resident_demon_threads(int slots) {
    return slots == 1 ? 1024 : slots == 2 ? 768 : 512;
}

/// Returns the words of SharedBonds::seams, a multiple of 4.
PSFLIP_HD std::uint32_t seam_space(const ChainSizes& s) {
    return 4 * s.plane;
}

}  // namespace psflip
