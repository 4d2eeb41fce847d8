#pragma once

#include <cstdint>

#include "model/demons.hpp"
#include "random/purposes.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/demon/demon_places_cuda.cuh"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// Holds the bit planes of the `Count` thresholds of one slot: (Philox call, threshold, plane of the call). A
/// plane is all ones or 0. A block keeps the planes in shared memory.
template <int Count>
struct ThresholdPlanes {
    static constexpr int calls = 8, rows = calls * Count;
    uint4 planes[calls][Count];

    __device__ __forceinline__ uint4 operator()(int call, int c) const { return planes[call][c]; }
    /// Fills row call * Count + c of the planes. threshold(c) must return threshold c.
    template <class Threshold>
    __device__ __forceinline__ void fill_row(unsigned row, const Threshold& threshold) {
        const unsigned call = row / Count, c = row - call * Count;
        const auto digit = static_cast<std::int32_t>(threshold(c) << (4 * call));
        const auto plane = [digit](int k) { return static_cast<std::uint32_t>((digit << k) >> 31); };
        planes[call][c] = {plane(0), plane(1), plane(2), plane(3)};
    }
};

/// Holds the planes of models without a field and absent bonds.
struct DemonTable : ThresholdPlanes<max_demon> {
    __device__ __forceinline__ void fill(const Thresholds& t, unsigned first, unsigned step) {
        for (unsigned i = first; i < rows; i += step)
            fill_row(i, [&t](unsigned c) { return c == 0 ? t.c4 : c == 1 ? t.c8 : t.c12; });
    }
};

/// Holds the arguments of the streaming and the resident kernel, in addition to SweepArgs.
struct DemonLaunch {
    ChainSizes sizes;
    int sweeps;
    std::uint64_t first_sweep;
    // Only for the streaming kernel:
    std::uint32_t first_column, first_slot, colour;
    // Only for the resident kernel:
    std::uint32_t slots;        ///< slots per block
    std::uint32_t first_stack;  ///< first stack of the batch slice
    PendingExchange pending;
    std::int32_t* energy;         ///< (stack, slot, lane); null: not computed
    std::int32_t* magnetisation;  ///< (stack, slot, lane), in a field
};

/// Holds the additional arguments of kernels for models with a field or absent bonds. Pointers refer to
/// device memory.
struct DemonModel {
    const uint4* absent;        ///< (column, direction, site): absent bonds; null: no bond is absent
    const std::int32_t* bonds;  ///< (column, lane): number of present bonds
    std::uint32_t downward;     ///< all ones if the field is negative
    /// (slot): thresholds of demons of bonds; from index max_bond_demon on, thresholds of field demons.
    std::uint32_t thresholds[max_temperatures][max_bond_demon + max_field_demon];
};

/// Points to a kernel of demons.
using DemonKernelFunction = void (*)(SweepArgs, DemonLaunch);
/// Points to a kernel of demons of models with a field or absent bonds.
using DemonModelFunction = void (*)(SweepArgs, DemonLaunch, DemonModel);

/// Returns the kernel that sweeps one colour from device memory, for 4 or 6 neighbours and 1, 2 or 4 slots
/// per thread. Grid: x = chains, in blocks of streaming_demon_threads; y = (replica, group of slots from
/// first_slot on); z = column - first_column.
DemonKernelFunction streaming_demons(int degree, int slots);
inline constexpr int streaming_demon_threads = 128;

/// Returns the streaming kernel for models with a field or absent bonds, for 1 or 4 slots per thread.
DemonModelFunction streaming_model_demons(const SweepRule& rule, int slots);

/// Returns the kernel of a burst in shared memory. slots (per thread) and words (of a site, per block): 1, 2
/// or 4. Grid: x = (column, replica, slots of a block, words of a block), from first_stack on.
DemonKernelFunction resident_demons(int degree, int slots, int words);

/// Returns the resident kernel for models with a field or absent bonds. A thread has two slots.
DemonModelFunction resident_model_demons(const SweepRule& rule, int words);
inline constexpr int resident_model_slots = 2, max_resident_model_threads = 512;

/// Returns the number of words of bonds and absent bonds that a block of this kernel holds per site and 32
/// lanes.
constexpr int model_bond_words(const SweepRule& rule) {
    return rule.degree / 2 * (rule.absent ? 2 : 1);
}
/// Returns the bytes of ModelTables, the threshold planes of one slot.
constexpr std::size_t model_table_bytes(const SweepRule& rule) {
    return (rule.absent ? sizeof(ThresholdPlanes<max_bond_demon>) : sizeof(ThresholdPlanes<max_demon>)) +
           sizeof(ThresholdPlanes<max_field_demon>);
}

/// Returns the maximum number of threads of a resident block that leaves enough registers for `slots` slots
/// per thread.
constexpr int max_resident_demon_threads(int slots) {
    return slots == 1 ? 1024 : slots == 2 ? 768 : 512;
}

/// Returns the number of words of SharedBonds::seams, a multiple of 4.
PSFLIP_HD std::uint32_t seam_space(const ChainSizes& s) {
    return 4 * s.plane;
}

}  // namespace psflip
