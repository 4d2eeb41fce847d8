#pragma once

#include "sweep/fused/fused_sites_cuda.cuh"

namespace psflip {

/// Sweeps of a team that goes through its temperatures one after the other, 128 lanes at a time.
template <int Share>
struct WideSweeper {
    const FusedArgs& a;
    const FusedBlock<uint4>& held;
    const FusedTeam& team;

    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const WideSites sites(a, held, team.place,
                              static_cast<std::int32_t>(team.local_slot - team.first_slot % 4));
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(sites, 0, first + i);
            step(sites, 1, first + i);
        }
    }

  private:
    __device__ __forceinline__ void step(const WideSites& sites, int colour, std::uint64_t sweep) const {
        if (team.active)
            update_gauged<Share>(
                a.sweep, held.spins, team.first_slot, team.first_slot + team.slots, sites.addresses(colour),
                sites.offsets(colour), sites.bond[colour], __any_sync(__activemask(), sites.seam),
                {sites.standard[colour], held.replica, held.realization(a), sweep, a.sweep.seed});
        team.barrier();
    }
};

/// Sweeps of a team whose threads take N temperatures (1, 2 or 4; first_slot is a multiple) of 32 lanes at
/// once. What does not depend on spins, the acceptance of the next site, is made while words are on their
/// way.
template <int N>
struct NarrowSweeper {
    using Site = NarrowSite;
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
