#pragma once

#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"
#include "sweep/gauge.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Holds what a block of the fused kernel works on: temperatures [first_slot, first_slot + slots) of some
/// words of one temperature stack, and its shared memory. V is uint4 (wide form, 128 lanes per thread) or
/// uint32_t (narrow form, 32 lanes). By the plain rule, the wide form has spins and couplings in the gauge
/// (gauge.hpp). The class rule has the wide form without the gauge.
template <class Vector, bool Plain = true>
struct FusedBlock {
    using V = Vector;
    static constexpr std::uint32_t words = words_of<V>, lanes = 32 * words;
    static constexpr bool plain = Plain, gauged = plain && words == 4;
    static_assert(plain || words == 4);

    std::uint32_t mailbox, rank;  ///< mailbox: number of the lane group in this launch; rank: number of the
                                  ///< block in the lane group
    std::uint32_t stack, column, replica, first_word, first_slot, slots;
    std::uint32_t edge;  ///< local slot of first_slot: 1 if another block has the previous slot, otherwise 0
    /// Shared memory of the block, in the order of FusedLayout.
    char* memory;
    SharedTiles<V> spins;       ///< of the local slots
    std::uint32_t gap;          ///< words between the last red site and the first black site
    const V* column_couplings;  ///< couplings of the column in device memory; in the gauge its GaugedBonds

    __device__ __forceinline__ FusedBlock(const FusedArgs& a, char* shared) : memory(shared) {
        const auto n = static_cast<std::uint32_t>(a.plan.slots),
                   blocks = static_cast<std::uint32_t>(a.plan.blocks);
        mailbox = blockIdx.x / blocks;
        rank = blockIdx.x - mailbox * blocks;
        const std::uint32_t lane_group = a.first_lane_group + mailbox;
        stack = lane_group / (4 / words);
        first_word = (lane_group - stack * (4 / words)) * words;
        column = stack / a.sweep.replicas;
        replica = stack - column * a.sweep.replicas;
        first_slot = rank * n;
        slots = min(n, a.sweep.temperatures - first_slot);
        edge = rank > 0 ? 1 : 0;
        spins = SharedTiles<V>::at(shared, a.layout.slots);
        gap = words == 4 ? a.layout.colour_words - a.sweep.geometry.colour_sites : 0;
        column_couplings = kept(reinterpret_cast<const V*>(
            gauged ? a.gauged + std::size_t{column} * GaugedBonds::directions * a.sweep.geometry.sites
                   : a.sweep.couplings + std::size_t{column} * 3 * a.sweep.geometry.sites));
    }

    /// Returns the number of the block's first realization in the study.
    __device__ __forceinline__ std::uint32_t realization(const FusedArgs& a) const {
        return a.sweep.first_realization + column * 128 + first_word * 32;
    }
    /// Returns the index of a lane of this block in an array (row, lane) with 128 lanes per row.
    __device__ __forceinline__ std::size_t lane_index(std::size_t row, std::uint32_t lane) const {
        return row * 128 + first_word * 32 + lane;
    }
    /// Returns the index of a lane of this block in an array (stack, slot, lane).
    __device__ __forceinline__ std::size_t slot_index(const FusedArgs& a, std::uint32_t slot,
                                                      std::uint32_t lane) const {
        return lane_index(std::size_t{stack} * a.sweep.temperatures + slot, lane);
    }
    /// Returns the index, in units of V, of the lanes of this block in the i-th 16-byte word of an array.
    __device__ __forceinline__ std::size_t vector_index(std::size_t i) const {
        return i * (4 / words) + first_word / words;
    }
    template <class T>
    __device__ __forceinline__ T* at(unsigned offset) const {
        return reinterpret_cast<T*>(memory + offset);
    }
    /// Returns the coupling of a site in a direction (set bit: -1). In the gauge, `direction` is an index of
    /// GaugedBonds.
    __device__ __forceinline__ V coupling(const FusedArgs& a, std::uint32_t direction,
                                          std::uint32_t site) const {
        const std::uint32_t i = direction * a.sweep.geometry.sites + site;
        if constexpr (words == 4)
            return __ldg(column_couplings + i);
        else
            return at<const V>(a.layout.couplings)[i];
    }
    /// Loads the couplings of a site with neighbours n; in the gauge as load_gauged_bonds.
    __device__ __forceinline__ void load_couplings(const FusedArgs& a, const Neighbours& n, bool seam,
                                                   V (&bond)[6]) const {
        if constexpr (gauged) {
            load_gauged_bonds(column_couplings, a.sweep.geometry.sites, n, seam, bond);
        } else {
#pragma unroll
            for (std::uint32_t d = 0; d < 3; ++d) {
                bond[d] = coupling(a, d, n.own);
                bond[3 + d] = coupling(a, d, n.site[3 + d]);
            }
        }
    }
    /// Returns the neighbours of a site. In the gauge, the neighbour across the seam is site[5].
    __device__ __forceinline__ static Neighbours neighbours(const FusedArgs& a, std::uint32_t colour,
                                                            const Place& place) {
        Neighbours n = neighbours_of(a.sweep.geometry, colour, place);
        if constexpr (gauged) end_last(n, place.z + 1 == a.sweep.geometry.L);
        return n;
    }
    __device__ __forceinline__ static bool at_seam(const FusedArgs& a, const Place& place) {
        return gauged && (place.z == 0 || place.z + 1 == a.sweep.geometry.L);
    }
    /// Returns the shared-memory address of site i of a lattice in a local slot.
    __device__ __forceinline__ std::uint32_t address(const FusedArgs& a, std::uint32_t i,
                                                     std::int32_t slot) const {
        return spins.address(i < a.sweep.geometry.colour_sites ? i : i + gap, slot);
    }
    /// Returns the addresses of a site of a colour with neighbours n, in a local slot and the slots after it.
    __device__ __forceinline__ SiteAddresses<SharedTiles<V>> addresses(Neighbours n, std::uint32_t colour,
                                                                       std::int32_t slot) const {
        n.own += colour ? gap : 0;
#pragma unroll
        for (int i = 0; i < 6; ++i) n.site[i] += colour ? 0 : gap;
        return {spins, n, slot};
    }
    /// Returns the spins v of site i, turned into the gauge or back.
    __device__ __forceinline__ V turned_spins(const FusedArgs& a, const V& v, std::uint32_t i) const {
        if constexpr (gauged)
            return turned(v, coupling(a, GaugedBonds::turn, i));
        else
            return v;
    }
};

/// Loads spins, couplings and walkers from device memory. All threads of the block must call it; a barrier
/// must follow. Energies start at -3N for N sites, and magnetisations at -N.
template <class Block>
__device__ __forceinline__ void load_block(const FusedArgs& a, const Block& held) {
    using V = typename Block::V;
    constexpr std::uint32_t lanes = Block::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    const V* const spins = reinterpret_cast<const V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{held.stack} * a.sweep.temperatures + held.first_slot) * sites;
    for (std::uint32_t k = 0; k < held.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            held.spins.store(held.address(a, i, held.edge + k), 0,
                             held.turned_spins(a, spins[held.vector_index(first + k * sites + i)], i));
    if constexpr (Block::words < 4)
        for (std::uint32_t i = threadIdx.x; i < 3 * sites; i += blockDim.x)
            held.template at<V>(a.layout.couplings)[i] = held.column_couplings[held.vector_index(i)];
    for (std::uint32_t i = threadIdx.x; i < held.slots * lanes; i += blockDim.x) {
        const std::uint32_t lane = i % lanes;
        const std::uint32_t walker = a.exchange.walker[held.slot_index(a, held.first_slot + i / lanes, lane)];
        const std::uint32_t end = a.exchange.last_end[held.slot_index(a, walker, lane)];
        held.template at<std::uint8_t>(a.layout.label)[held.edge * lanes + i] =
            static_cast<std::uint8_t>(walker + label_ends * end);
        held.template at<std::int32_t>(a.layout.energy)[held.edge * lanes + i] =
            -3 * static_cast<std::int32_t>(sites);
        if (!Block::plain && a.plan.magnetisations)
            held.template at<std::int32_t>(a.layout.magnetisation)[held.edge * lanes + i] =
                -static_cast<std::int32_t>(sites);
    }
}

/// Stores in device memory spins, walkers, and the end of the ladder that each walker visited last. All
/// threads of the block must call it.
template <class Block>
__device__ __forceinline__ void store_block(const FusedArgs& a, const Block& held) {
    using V = typename Block::V;
    constexpr std::uint32_t lanes = Block::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    V* const spins = reinterpret_cast<V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{held.stack} * a.sweep.temperatures + held.first_slot) * sites;
    for (std::uint32_t k = 0; k < held.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            spins[held.vector_index(first + k * sites + i)] =
                held.turned_spins(a, held.spins.load(held.address(a, i, held.edge + k), 0), i);
    for (std::uint32_t i = threadIdx.x; i < held.slots * lanes; i += blockDim.x) {
        const std::uint32_t lane = i % lanes,
                            label = held.template at<std::uint8_t>(a.layout.label)[held.edge * lanes + i];
        a.exchange.walker[held.slot_index(a, held.first_slot + i / lanes, lane)] =
            static_cast<std::uint8_t>(label % label_ends);
        a.exchange.last_end[held.slot_index(a, label % label_ends, lane)] =
            static_cast<std::uint8_t>(label / label_ends);
    }
}

}  // namespace psflip
