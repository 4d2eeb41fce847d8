#pragma once

#include "sweep/cuda/site_update_cuda.cuh"
#include "sweep/fused/fused_block_cuda.cuh"

namespace psflip {

/// A team of threads, one for each site of a colour, and the temperatures it sweeps.
struct FusedTeam {
    std::uint32_t number, threads, first_slot, slots, local_slot;
    bool active;
    Place place;  ///< of this thread's site in a colour

    template <class V>
    __device__ __forceinline__ FusedTeam(const FusedArgs& a, const FusedBlock<V>& held) {
        threads = a.plan.team_threads;
        number = threadIdx.x / threads;
        const std::uint32_t each = a.plan.slots / a.plan.teams, begin = min(number * each, held.slots);
        first_slot = held.first_slot + begin;
        slots = min(each, held.slots - begin);
        local_slot = held.edge + begin;
        const std::uint32_t thread = threadIdx.x - number * threads;
        active = thread < a.sweep.geometry.colour_sites && slots > 0;
        place = place_of(a.sweep.geometry, 0, active ? thread : 0);
    }
    __device__ __forceinline__ void barrier() const {
        asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "r"(threads) : "memory");
    }
};

/// A site of a thread with its neighbours' words, from local slot `first` on, and its couplings.
template <class V>
struct FusedSite {
    SiteAddresses<SharedTiles<V>> at;
    std::uint32_t standard;
    V bond[6];

    __device__ __forceinline__ FusedSite(const FusedArgs& a, const FusedBlock<V>& held, Place place,
                                         std::uint32_t colour, std::int32_t first) {
        place.parity ^= colour;
        const Neighbours n = neighbours_of(a.sweep.geometry, colour, place);
        at = {held.spins, n, first};
        standard = standard_site(a.sweep.geometry, place);
        held.load_couplings(a, n, bond);
    }
};

/// Sweeps of a team that goes through its temperatures one after the other, 128 lanes at a time.
template <int Share>
struct WideSweeper {
    const FusedArgs& a;
    const FusedBlock<uint4>& held;
    const FusedTeam& team;

    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const std::int32_t slot = static_cast<std::int32_t>(team.local_slot - team.first_slot % 4);
        const FusedSite<uint4> red(a, held, team.place, 0, slot), black(a, held, team.place, 1, slot);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            if (team.active) update(red, first + i);
            team.barrier();
            if (team.active) update(black, first + i);
            team.barrier();
        }
    }

  private:
    __device__ __forceinline__ void update(const FusedSite<uint4>& site, std::uint64_t sweep) const {
        update_slots<Share>(a.sweep, held.spins, team.first_slot, team.first_slot + team.slots, site.at,
                            site.bond,
                            {site.standard, held.replica, held.realization(a), sweep, a.sweep.seed});
    }
};

/// Sweeps of a team whose threads take N temperatures (1, 2 or 4; first_slot is a multiple) of 32 lanes at
/// once. What does not depend on spins, the acceptance of the next site, is made while words are on their
/// way.
template <int N>
struct NarrowSweeper {
    using Site = FusedSite<std::uint32_t>;
    using Accepted = Acceptance<DeviceWord>[N];
    const FusedArgs& a;
    const FusedBlock<std::uint32_t>& held;
    const FusedTeam& team;
    std::uint32_t pack;
    Thresholds thresholds[N];

    __device__ __forceinline__ NarrowSweeper(const FusedArgs& args, const FusedBlock<std::uint32_t>& p,
                                             const FusedTeam& g)
        : a(args), held(p), team(g), pack(p.realization(args) / args.share) {
#pragma unroll
        for (int k = 0; k < N; ++k)
            thresholds[k] = a.sweep.thresholds[min(team.first_slot + k, a.sweep.temperatures - 1)];
    }
    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const auto slot = static_cast<std::int32_t>(team.local_slot);
        const Site red(a, held, team.place, 0, slot), black(a, held, team.place, 1, slot);
        Accepted of_red, of_black;
        draw(red, first, of_red);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(red, of_red, black, first + i, of_black);
            step(black, of_black, red, first + i + 1, of_red);
        }
    }

  private:
    /// The acceptance of a site.
    __device__ __forceinline__ void draw(const Site& site, std::uint64_t sweep, Accepted& accept) const {
        const RandomBlock block = philox(make_counter(Purpose::metropolis, site.standard, sweep,
                                                      team.first_slot / 4, held.replica, 0, pack),
                                         a.sweep.seed);
        const std::uint32_t(&r)[4] = block.word;
        const bool upper = team.first_slot & 2, odd = team.first_slot & 1;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const std::uint32_t of_pair = N < 4 && upper ? r[(2 + k) % 4] : r[k];
            const std::uint32_t number = N == 1 && odd ? (upper ? r[3] : r[1]) : of_pair;
            accept[k] = acceptance_of(thresholds[k], number);
        }
    }
    /// Updates `here` and draws for the next site.
    __device__ __forceinline__ void step(const Site& here, const Accepted& accept, const Site& next,
                                         std::uint64_t next_sweep, Accepted& next_accept) const {
        SiteVectors<std::uint32_t> words[N];
        if (team.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) words[k].load(held.spins, here.at, k);
        }
        draw(next, next_sweep, next_accept);
        if (team.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) held.spins.store(here.at.own, k, updated(here, words[k], accept[k]));
        }
        team.barrier();
    }
    __device__ __forceinline__ static std::uint32_t updated(const Site& site,
                                                            const SiteVectors<std::uint32_t>& words,
                                                            const Acceptance<DeviceWord>& accept) {
        DeviceWord near[6], bonds[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            near[i] = {words.near[i]};
            bonds[i] = {site.bond[i]};
        }
        return updated_spin(DeviceWord{words.own}, near, bonds, accept).bits;
    }
};

}  // namespace psflip
