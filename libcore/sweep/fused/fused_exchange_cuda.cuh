#pragma once

#include "model/bond_energy.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/fused/fused_messages_cuda.cuh"

namespace psflip {

/// Exchanges temperatures in the fused kernel: the part of one block in one exchange, in four steps. All
/// threads of the block must call each step, and a barrier of the block must follow:
///
///   energies  counts energies and magnetisations; sends the spins of a temperature whose partner is in
///             another block
///   receive   sends energies, magnetisations and labels of this temperature; stores the messages of
///             other blocks
///   decide    decides every pair with a temperature in this block, and exchanges energies and labels; two
///             blocks decide a pair between them with equal results
///   finish    exchanges spins by masks; records ends of the ladder; resets energies for the next burst
template <class Block>
struct FusedExchange {
    using V = typename Block::V;
    static constexpr std::uint32_t words = Block::words, lanes = Block::lanes;

    const FusedArgs& a;
    const Block& held;
    std::uint64_t completed;
    FusedMessages<Block> messages;
    std::uint32_t begin, end;              ///< local slots of the pairs: [begin, end)
    std::int32_t *energy, *magnetisation;  ///< magnetisation: null if no field needs it
    std::uint8_t* label;

    __device__ __forceinline__ FusedExchange(const FusedArgs& args, const Block& p, std::uint64_t done,
                                             int burst)
        : a(args), held(p), completed(done), messages(args, p, burst) {
        const std::uint32_t parity = done / static_cast<std::uint32_t>(a.sweeps_per_swap) % 2;
        begin = (slot_of(0) + parity) % 2;
        end = held.edge + held.slots + (held.rank + 1 < static_cast<std::uint32_t>(a.plan.blocks) ? 1 : 0);
        end -= (end - begin) % 2;
        energy = held.template at<std::int32_t>(a.layout.energy);
        magnetisation = !Block::plain && a.plan.magnetisations
                            ? held.template at<std::int32_t>(a.layout.magnetisation)
                            : nullptr;
        label = held.template at<std::uint8_t>(a.layout.label);
    }

    __device__ __forceinline__ void energies() const {
        if (across_low()) messages.send_spins(held.rank - 1, 1, 1);
        if (across_high()) messages.send_spins(held.rank, 0, last());
        count_energies();
    }

    __device__ __forceinline__ void receive() const {
        if (across_low()) messages.send_lanes(held.rank - 1, 1, 1);
        if (across_high()) messages.send_lanes(held.rank, 0, last());
        if (across_low()) messages.receive(held.rank - 1, 0, 0);
        if (across_high()) messages.receive(held.rank, 1, last() + 1);
    }

    __device__ __forceinline__ void decide() const {
        const std::uint32_t lane = threadIdx.x % 32, warps = blockDim.x / 32;
        for (std::uint32_t task = threadIdx.x / 32; task < (end - begin) / 2 * words; task += warps) {
            const std::uint32_t w = task % words, cold = begin + task / words * 2,
                                at = cold * lanes + w * 32 + lane;
            const std::int32_t cold_energy = energy[at], hot_energy = energy[at + lanes];
            const bool accepted =
                accepted_pair(cold, at, (held.first_word + w) * 32 + lane, cold_energy, hot_energy);
            if (accepted) {
                energy[at] = hot_energy;
                energy[at + lanes] = cold_energy;
                const std::uint8_t moved = label[at];
                label[at] = label[at + lanes];
                label[at + lanes] = moved;
                if (own(cold))
                    count(a.exchange.accepted,
                          std::size_t{held.stack} * (a.sweep.temperatures - 1) + slot_of(cold),
                          w * 32 + lane);
            }
            const std::uint32_t mask = __ballot_sync(~0u, accepted);
            if (lane == 0) held.template at<std::uint32_t>(a.layout.mask)[cold * words + w] = mask;
        }
    }

    /// wanted: also writes energies and magnetisations to device memory, at the end of a launch.
    __device__ __forceinline__ void finish(bool wanted) const {
        for (std::uint32_t cold = begin; cold < end; cold += 2) exchange_spins(cold);
        note_ends();
        for (std::uint32_t i = threadIdx.x; i < held.slots * lanes; i += blockDim.x) {
            std::int32_t& E = energy[held.edge * lanes + i];
            if (wanted) a.exchange.energy[held.slot_index(a, held.first_slot + i / lanes, i % lanes)] = E;
            E = -3 * static_cast<std::int32_t>(a.sweep.geometry.sites);
            if (Block::plain || !magnetisation) continue;
            std::int32_t& M = magnetisation[held.edge * lanes + i];
            if (wanted)
                a.exchange.magnetisation[held.slot_index(a, held.first_slot + i / lanes, i % lanes)] = M;
            M = -static_cast<std::int32_t>(a.sweep.geometry.sites);
        }
    }

  private:
    __device__ __forceinline__ std::uint32_t slot_of(std::uint32_t local) const {
        return held.first_slot + local - held.edge;
    }
    __device__ __forceinline__ bool own(std::uint32_t local) const {
        return local >= held.edge && local < held.edge + held.slots;
    }
    __device__ __forceinline__ std::uint32_t last() const { return held.edge + held.slots - 1; }
    /// Return whether the first temperature of the block exchanges with the previous block, and whether the
    /// last temperature exchanges with the next block.
    __device__ __forceinline__ bool across_low() const { return held.edge == 1 && begin == 0; }
    __device__ __forceinline__ bool across_high() const { return end > last() + 1; }

    /// Returns whether a pair accepts, and exchanges its magnetisations if it does. at: place of a lane of
    /// the colder slot.
    __device__ __forceinline__ bool accepted_pair(std::uint32_t cold, std::uint32_t at, std::uint32_t lane,
                                                  std::int32_t cold_energy, std::int32_t hot_energy) const {
        if constexpr (Block::plain) {
            return accepts(a.exchange, held.stack, lane, slot_of(cold), (hot_energy - cold_energy) >> 2,
                           completed);
        } else {
            std::int64_t dM = 0;
            std::int32_t cold_M = 0, hot_M = 0;
            if (magnetisation) {
                cold_M = magnetisation[at], hot_M = magnetisation[at + lanes];
                dM = energy_rise(cold_M, hot_M, 1);
            }
            const bool accepted =
                accepts_by_rule(a.exchange, held.stack, lane, slot_of(cold),
                                energy_rise(cold_energy, hot_energy, a.exchange.energy_unit), dM, completed);
            if (accepted && magnetisation) magnetisation[at] = hot_M, magnetisation[at + lanes] = cold_M;
            return accepted;
        }
    }

    /// Adds twice the number of unsatisfied bonds to the energies of the block, which begin at -3N, and twice
    /// the number of spins +1 to its magnetisations.
    __device__ __forceinline__ void count_energies() const {
        if constexpr (Block::plain)
            count_unsatisfied_bonds();
        else
            count_all();
    }
    __device__ __forceinline__ void count_all() const {
        constexpr std::uint32_t piece_sites = 32 * model_count_sites;
        const Geometry& g = a.sweep.geometry;
        const std::uint32_t pieces = (g.colour_sites + piece_sites - 1) / piece_sites;
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < held.slots * pieces; task += blockDim.x / 32) {
            const std::uint32_t piece = task / held.slots, local = held.edge + task - piece * held.slots,
                                first = piece * piece_sites;
            ModelCounter<6, false> counter;
            counter.clear();
#pragma unroll 1
            for (std::uint32_t i = first + threadIdx.x % 32; i < min(first + piece_sites, g.colour_sites);
                 i += 32) {
                const Neighbours n = neighbours_of(g, 0, place_of(g, 0, i));
                SiteVectors<V> site{};
                site.load(held.spins, held.addresses(n, 0, local), 0);
                NearSpins<6> spins;
                spins.own = site.own;
#pragma unroll
                for (int d = 0; d < 6; ++d) spins.near[d] = site.near[d];
                counter.add(g, spins, held.spins.load(held.address(a, g.colour_sites + i, local), 0),
                            NearSites<6>(n), held.column_couplings, nullptr);
            }
            counter.finish(local * lanes, energy, magnetisation);
        }
    }
    __device__ __forceinline__ void count_unsatisfied_bonds() const {
        const Geometry& g = a.sweep.geometry;
        const std::uint32_t piece_sites = 32 * a.plan.bond_sites,
                            pieces = (g.colour_sites + piece_sites - 1) / piece_sites;
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < held.slots * pieces; task += blockDim.x / 32) {
            const std::uint32_t piece = task / held.slots, local = held.edge + task - piece * held.slots;
            const std::uint32_t first = piece * piece_sites;
            count_bonds<V, 1>(
                first, min(first + piece_sites, g.colour_sites),
                [&](std::uint32_t i, SiteVectors<V>(&vectors)[1], V(&bond)[6]) {
                    const Place place = place_of(g, 0, i);
                    const Neighbours n = held.neighbours(a, 0, place);
                    held.load_couplings(a, n, held.at_seam(a, place), bond);
                    vectors[0].load(held.spins, held.addresses(n, 0, local), 0);
                },
                [&](int, const auto& n) {
                    add_counts(energy + local * lanes + threadIdx.x % 32 * words, n, 2);
                });
        }
    }

    /// Adds 1 to a count in an array (row, lane) of 128 lanes.
    __device__ __forceinline__ void count(std::int64_t* counts, std::size_t row, std::uint32_t lane) const {
        atomicAdd(reinterpret_cast<unsigned long long*>(counts) + held.lane_index(row, lane), 1ull);
    }

    __device__ __forceinline__ void exchange_spins(std::uint32_t cold) const {
        const V mask = held.template at<const V>(a.layout.mask)[cold];
        std::uint32_t any = 0;
#pragma unroll
        for (int w = 0; w < words; ++w) any |= word_of(mask, w).bits;
        if (any == 0) return;
        for (std::uint32_t i = threadIdx.x; i < a.sweep.geometry.sites; i += blockDim.x) {
            const std::uint32_t at = held.address(a, i, cold);
            V p = held.spins.load(at, 0), q = held.spins.load(at, 1);
            exchange_words(p, q, mask);
            held.spins.store(at, 0, p);
            held.spins.store(at, 1, q);
        }
    }

    /// Records the last ends of walkers at the ends of the ladder. A round trip ends when a walker that was
    /// last at the hottest slot arrives at slot 0.
    __device__ __forceinline__ void note_ends() const {
        const bool coldest = held.rank == 0, hottest = held.first_slot + held.slots == a.sweep.temperatures;
        for (std::uint32_t lane = threadIdx.x; lane < lanes; lane += blockDim.x) {
            if (coldest) {
                std::uint8_t& here = label[held.edge * lanes + lane];
                if (here / label_ends == 2) count(a.exchange.round_trips, held.stack, lane);
                here = here % label_ends + label_ends;
            }
            if (hottest) {
                std::uint8_t& here = label[last() * lanes + lane];
                if (here / label_ends == 1) here += label_ends;
            }
        }
    }
};

}  // namespace psflip
