#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// What a block of the ladder kernel has: temperatures [first_slot, first_slot + slots) of the lanes of some
/// words of one unit, and its shared memory.
template <class V>
struct LadderPart {
    static constexpr std::uint32_t words = words_of<V>, lanes = 32 * words;

    std::uint32_t mailbox, rank;  ///< of the ladder in this launch; of the block in the ladder
    std::uint32_t unit, column, replica, first_word, first_slot, slots;
    std::uint32_t edge;  ///< local slot of first_slot: 1 where another block has the one before
    char* memory;
    SharedTiles<V> spins;  ///< by local slot
    const V* column_couplings;

    __device__ __forceinline__ LadderPart(const LadderArgs& a, char* shared) : memory(shared) {
        const auto n = static_cast<std::uint32_t>(a.plan.slots),
                   blocks = static_cast<std::uint32_t>(a.plan.blocks);
        mailbox = blockIdx.x / blocks;
        rank = blockIdx.x - mailbox * blocks;
        const std::uint32_t ladder = a.first_ladder + mailbox;
        unit = ladder / (4 / words);
        first_word = (ladder - unit * (4 / words)) * words;
        column = unit / a.sweep.replicas;
        replica = unit - column * a.sweep.replicas;
        first_slot = rank * n;
        slots = min(n, a.sweep.temperatures - first_slot);
        edge = rank > 0 ? 1 : 0;
        spins = SharedTiles<V>::at(shared, a.layout.slots);
        column_couplings = kept(
            reinterpret_cast<const V*>(a.sweep.couplings + std::size_t{column} * 3 * a.sweep.geometry.sites));
    }

    /// The first realization.
    __device__ __forceinline__ std::uint32_t realization(const LadderArgs& a) const {
        return a.sweep.first_realization + column * 128 + first_word * 32;
    }
    /// Index of an array (row, lane) of 128 lanes.
    __device__ __forceinline__ std::size_t lane_index(std::size_t row, std::uint32_t lane) const {
        return row * 128 + first_word * 32 + lane;
    }
    /// Index of an array (unit, slot, lane).
    __device__ __forceinline__ std::size_t slot_index(const LadderArgs& a, std::uint32_t slot,
                                                      std::uint32_t lane) const {
        return lane_index(std::size_t{unit} * a.sweep.temperatures + slot, lane);
    }
    /// Vector i of an array of 16-byte words in device memory.
    __device__ __forceinline__ std::size_t vector_index(std::size_t i) const {
        return i * (4 / words) + first_word / words;
    }
    template <class T>
    __device__ __forceinline__ T* at(unsigned offset) const {
        return reinterpret_cast<T*>(memory + offset);
    }
    __device__ __forceinline__ V coupling(const LadderArgs& a, std::uint32_t direction,
                                          std::uint32_t site) const {
        const std::uint32_t i = direction * a.sweep.geometry.sites + site;
        if constexpr (words == 4)
            return __ldg(column_couplings + i);
        else
            return at<const V>(a.layout.couplings)[i];
    }
    __device__ __forceinline__ void load_couplings(const LadderArgs& a, const Neighbours& n,
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
__device__ __forceinline__ void load_ladder(const LadderArgs& a, const LadderPart<V>& part) {
    constexpr std::uint32_t lanes = LadderPart<V>::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    const V* const spins = reinterpret_cast<const V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{part.unit} * a.sweep.temperatures + part.first_slot) * sites;
    for (std::uint32_t k = 0; k < part.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            part.spins.store(part.spins.address(i, part.edge + k), 0,
                             spins[part.vector_index(first + k * sites + i)]);
    if constexpr (LadderPart<V>::words < 4)
        for (std::uint32_t i = threadIdx.x; i < 3 * sites; i += blockDim.x)
            part.template at<V>(a.layout.couplings)[i] = part.column_couplings[part.vector_index(i)];
    for (std::uint32_t i = threadIdx.x; i < part.slots * lanes; i += blockDim.x) {
        const std::uint32_t lane = i % lanes;
        const std::uint32_t walker = a.exchange.walker[part.slot_index(a, part.first_slot + i / lanes, lane)];
        const std::uint32_t end = a.exchange.last_end[part.slot_index(a, walker, lane)];
        part.template at<std::uint8_t>(a.layout.label)[part.edge * lanes + i] =
            static_cast<std::uint8_t>(walker + label_ends * end);
        part.template at<std::int32_t>(a.layout.energy)[part.edge * lanes + i] =
            -3 * static_cast<std::int32_t>(sites);
    }
}

/// Writes spins and walkers back.
template <class V>
__device__ __forceinline__ void store_ladder(const LadderArgs& a, const LadderPart<V>& part) {
    constexpr std::uint32_t lanes = LadderPart<V>::lanes;
    const std::uint32_t sites = a.sweep.geometry.sites;
    V* const spins = reinterpret_cast<V*>(a.sweep.spins);
    const std::size_t first = (std::size_t{part.unit} * a.sweep.temperatures + part.first_slot) * sites;
    for (std::uint32_t k = 0; k < part.slots; ++k)
        for (std::uint32_t i = threadIdx.x; i < sites; i += blockDim.x)
            spins[part.vector_index(first + k * sites + i)] =
                part.spins.load(part.spins.address(i, part.edge + k), 0);
    for (std::uint32_t i = threadIdx.x; i < part.slots * lanes; i += blockDim.x) {
        const std::uint32_t lane = i % lanes,
                            label = part.template at<std::uint8_t>(a.layout.label)[part.edge * lanes + i];
        a.exchange.walker[part.slot_index(a, part.first_slot + i / lanes, lane)] =
            static_cast<std::uint8_t>(label % label_ends);
        a.exchange.last_end[part.slot_index(a, label % label_ends, lane)] =
            static_cast<std::uint8_t>(label / label_ends);
    }
}

}  // namespace psflip
