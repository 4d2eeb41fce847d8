#pragma once

#include <type_traits>

#include "sweep/demon/demon_chain_cuda.cuh"
#include "word/lane_count_cuda.cuh"

// Copies lattices between device memory and the shared memory of a block, and adds counts to lanes.
namespace psflip {

__device__ __forceinline__ unsigned layer_of(const DemonChains& chains, unsigned z) {
    return chains.planes == 1 ? z : z / static_cast<unsigned>(chains.planes);
}

/// Calls visit(site, place, is_first_row) for the sites of a thread. `place` is the index of the word of slot
/// 0 in shared memory. Sites of the first row, y = 0, also have a copy there (SharedSlots).
template <int Slots, int Words, class Visit>
__device__ __forceinline__ void for_each_site(const Geometry& g, const ChainSizes& s, const Visit& visit) {
#pragma unroll 4
    for (std::uint32_t site = threadIdx.x; site < g.sites; site += blockDim.x) {
        const std::uint32_t colour = site >= g.colour_sites;
        const Place p = place_of(g, colour, site - colour * g.colour_sites);
        visit(site,
              Slots * (s.plane_place(colour, p.z, layer_of(s.chains, p.z)) + p.h * s.column + Words * p.y),
              p.y == 0);
    }
}

/// Names the lattices of a block of a resident kernel. A thread serves a chain of Slots lattices. Grid: x =
/// (column, replica, group of slots, words of a column), from first_stack on.
template <int Slots, int Words>
struct DemonBlock {
    std::uint32_t number, slots, groups;  ///< number of the stack; slots, and groups of Slots slots
    DemonStack stack;
    std::size_t lattice;    ///< number of the first lattice
    std::uint32_t* device;  ///< first word of the block in this lattice

    __device__ __forceinline__ DemonBlock(const SweepArgs& a, const DemonLaunch& l) {
        constexpr std::uint32_t cuts = 4 / Words;
        const std::uint32_t block = blockIdx.x / cuts, blocks = (a.temperatures + l.slots - 1) / l.slots,
                            in_slice = block / blocks, first_slot = (block - in_slice * blocks) * l.slots;
        number = l.first_stack + in_slice;
        slots = min(l.slots, a.temperatures - first_slot);
        groups = (slots + Slots - 1) / Slots;
        stack = {number / a.replicas, number % a.replicas, first_slot, (blockIdx.x - block * cuts) * Words};
        lattice = static_cast<std::size_t>(number) * a.temperatures + first_slot;
        device = reinterpret_cast<std::uint32_t*>(a.spins + lattice * a.geometry.sites) + stack.first_word;
    }
    /// Calls serve(number of the chain, colour, sweep, stack, first slot in the block, lattices) for the
    /// chains of a thread. first_address: of the lattices in shared memory.
    template <class Serve>
    __device__ __forceinline__ void sweep(const DemonLaunch& l, std::uint32_t first_address,
                                          const Serve& serve) const {
        for (int s = 0; s < l.sweeps; ++s)
#pragma unroll 1
            for (unsigned colour = 0; colour < 2; ++colour) {
#pragma unroll 1
                for (std::uint32_t task = threadIdx.x; task < groups * l.sizes.number; task += blockDim.x) {
                    const std::uint32_t group = task / l.sizes.number, slot = group * Slots;
                    serve(task - group * l.sizes.number, colour, l.first_sweep + s,
                          DemonStack{stack.column, stack.replica, stack.first_slot + slot, stack.first_word},
                          slot, SharedSlots<Slots, Words>{first_address + slot * 8 * l.sizes.colour});
                }
                __syncthreads();
            }
    }
};

/// Holds the words of a site that belong to a block.
template <int Words>
using SiteVector =
    std::conditional_t<Words == 4, uint4, std::conditional_t<Words == 2, uint2, std::uint32_t>>;

/// Reads the lattices of a block and carries out the pending exchange between its slots.
template <int Slots, int Words>
__device__ __forceinline__ void load_lattices(const SweepArgs& a, const DemonLaunch& l,
                                              const DemonBlock<Slots, Words>& block, std::uint32_t* shared) {
    using Vector = SiteVector<Words>;
    const Geometry& g = a.geometry;
    const DemonStack& stack = block.stack;
    const std::uint32_t slots = block.slots;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const bool is_cold = (stack.first_slot + slot) % 2 == static_cast<std::uint32_t>(l.pending.parity);
        const bool paired = l.pending.mask && (is_cold ? slot + 1 < slots : slot > 0);
        const std::uint32_t cold = stack.first_slot + slot - (is_cold ? 0 : 1);
        std::uint32_t mask[Words]{};
        if (paired) {
            const auto* const masks = reinterpret_cast<const std::uint32_t*>(
                l.pending.mask + static_cast<std::size_t>(block.number) * l.pending.steps +
                (cold + l.pending.parity) / 2);
#pragma unroll
            for (int w = 0; w < Words; ++w) mask[w] = masks[stack.first_word + w];
        }
        const std::uint32_t* const own = block.device + std::size_t{4} * slot * g.sites;
        const std::uint32_t* const other = is_cold ? own + 4 * g.sites : own - 4 * g.sites;
        std::uint32_t* const to = shared + slot / Slots * Slots * 2 * l.sizes.colour + slot % Slots;
        for_each_site<Slots, Words>(
            g, l.sizes, [&](std::uint32_t site, std::uint32_t place, bool is_first_row) {
                Vector v = *reinterpret_cast<const Vector*>(own + 4 * site);
                if (paired) {
                    const Vector w = *reinterpret_cast<const Vector*>(other + 4 * site);
#pragma unroll
                    for (int i = 0; i < Words; ++i)
                        word_ref(v, i) ^= (word_of(v, i).bits ^ word_of(w, i).bits) & mask[i];
                }
#pragma unroll
                for (int i = 0; i < Words; ++i) {
                    to[place + i * Slots] = word_of(v, i).bits;
                    if (is_first_row) to[place + (Words * g.L + i) * Slots] = word_of(v, i).bits;
                }
            });
    }
}

template <int Slots, int Words>
__device__ __forceinline__ void store_lattices(const Geometry& g, const DemonLaunch& l,
                                               const DemonBlock<Slots, Words>& block,
                                               const std::uint32_t* shared) {
    for (std::uint32_t slot = 0; slot < block.slots; ++slot) {
        const std::uint32_t* const from = shared + slot / Slots * Slots * 2 * l.sizes.colour + slot % Slots;
        for_each_site<Slots, Words>(g, l.sizes, [&](std::uint32_t site, std::uint32_t place, bool) {
            SiteVector<Words> v;
#pragma unroll
            for (int i = 0; i < Words; ++i) word_ref(v, i) = from[place + i * Slots];
            *reinterpret_cast<SiteVector<Words>*>(block.device + std::size_t{4} * slot * g.sites + 4 * site) =
                v;
        });
    }
}

/// Sums counters over the threads of a warp that count the same word of a site. If is_wanted, adds twice
/// these sums to the numbers of the lanes. `to` points to lane 0 of the first word of the block.
template <int Words, int Planes>
__device__ __forceinline__ void add_lanes(const BitCounter<DeviceWord, Planes>& counter, bool is_wanted,
                                          std::int32_t* to) {
    DeviceWord sum[Planes + 5];
#pragma unroll
    for (int p = 0; p < Planes + 5; ++p)
        sum[p] = p < Planes ? counter.plane[p < Planes ? p : 0] : DeviceWord{0};
    add_across<Planes>(sum, 16);
    add_across<Planes + 1>(sum, 8);
    add_across<Planes + 2>(sum, 4);
    if (Words < 4) add_across<Planes + 3>(sum, 2);
    if (Words < 2) add_across<Planes + 4>(sum, 1);
    const std::uint32_t lane = threadIdx.x % 32, word = lane % Words, part = lane / Words;
    if (is_wanted && part < 8) add_counts(to + 32 * word + 4 * part, four_lanes(sum, part), 2);
}

}  // namespace psflip
