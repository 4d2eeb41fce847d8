#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// What a block of the fused kernel has: temperatures [first_slot, first_slot + slots) of the lanes of some
/// words of one stack, and its shared memory.
template <class V>
struct FusedBlock {
    static constexpr std::uint32_t words = words_of<V>, lanes = 32 * words;

    std::uint32_t mailbox, rank;  ///< of the strand in this launch; of the block in the strand
    std::uint32_t stack, column, replica, first_word, first_slot, slots;
    std::uint32_t edge;  ///< local slot of first_slot: 1 where another block has the one before
    char* memory;
    SharedTiles<V> spins;  ///< by local slot
    const V* column_couplings;

    __device__ __forceinline__ FusedBlock(const FusedArgs& a, char* shared) : memory(shared) {
        const auto n = static_cast<std::uint32_t>(a.plan.slots),
                   blocks = static_cast<std::uint32_t>(a.plan.blocks);
        mailbox = blockIdx.x / blocks;
        rank = blockIdx.x - mailbox * blocks;
        const std::uint32_t strand = a.first_strand + mailbox;
        stack = strand / (4 / words);
        first_word = (strand - stack * (4 / words)) * words;
        column = stack / a.sweep.replicas;
        replica = stack - column * a.sweep.replicas;
        first_slot = rank * n;
        slots = min(n, a.sweep.temperatures - first_slot);
        edge = rank > 0 ? 1 : 0;
        spins = SharedTiles<V>::at(shared, a.layout.slots);
        column_couplings = kept(
            reinterpret_cast<const V*>(a.sweep.couplings + std::size_t{column} * 3 * a.sweep.geometry.sites));
    }

    /// The first realization.
    __device__ __forceinline__ std::uint32_t realization(const FusedArgs& a) const {
        return a.sweep.first_realization + column * 128 + first_word * 32;
    }
    /// Index of an array (row, lane) of 128 lanes.
    __device__ __forceinline__ std::size_t lane_index(std::size_t row, std::uint32_t lane) const {
        return row * 128 + first_word * 32 + lane;
    }
    /// Index of an array (stack, slot, lane).
    __device__ __forceinline__ std::size_t slot_index(const FusedArgs& a, std::uint32_t slot,
                                                      std::uint32_t lane) const {
        return lane_index(std::size_t{stack} * a.sweep.temperatures + slot, lane);
    }
    /// Vector i of an array of 16-byte words in device memory.
    __device__ __forceinline__ std::size_t vector_index(std::size_t i) const {
        return i * (4 / words) + first_word / words;
    }
    template <class T>
    __device__ __forceinline__ T* at(unsigned offset) const {
        return reinterpret_cast<T*>(memory + offset);
    }
    __device__ __forceinline__ V coupling(const FusedArgs& a, std::uint32_t direction,
                                          std::uint32_t site) const {
        const std::uint32_t i = direction * a.sweep.geometry.sites + site;
        if constexpr (words == 4)
            return __ldg(column_couplings + i);
        else
            return at<const V>(a.layout.couplings)[i];
    }
    __device__ __forceinline__ void load_couplings(const FusedArgs& a, const Neighbours& n,
                                                   V (&bond)[6]) const {
#pragma unroll
        for (std::uint32_t d = 0; d < 3; ++d) {
            bond[d] = coupling(a, d, n.own);
            bond[3 + d] = coupling(a, d, n.site[3 + d]);
        }
    }
};

/// Reads spins, couplings and walkers; energies start at -3N.
template <class V>
__device__ __forceinline__ void load_block(const FusedArgs& a, const FusedBlock<V>& held) {
    constexpr std::uint32_t lanes = FusedBlock<V>::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    const V* const spins = reinterpret_cast<const V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{held.stack} * a.sweep.temperatures + held.first_slot) * sites;
    for (std::uint32_t k = 0; k < held.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            held.spins.store(held.spins.address(i, held.edge + k), 0,
                             spins[held.vector_index(first + k * sites + i)]);
    if constexpr (FusedBlock<V>::words < 4)
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
    }
}

/// Writes spins and walkers back.
template <class V>
__device__ __forceinline__ void store_block(const FusedArgs& a, const FusedBlock<V>& held) {
    constexpr std::uint32_t lanes = FusedBlock<V>::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    V* const spins = reinterpret_cast<V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{held.stack} * a.sweep.temperatures + held.first_slot) * sites;
    for (std::uint32_t k = 0; k < held.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            spins[held.vector_index(first + k * sites + i)] =
                held.spins.load(held.spins.address(i, held.edge + k), 0);
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
