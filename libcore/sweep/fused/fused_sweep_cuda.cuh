#pragma once

#include "sweep/cuda/site_update_cuda.cuh"
#include "sweep/fused/fused_part_cuda.cuh"

namespace psflip {

/// A group of threads, one for each site of a colour, and the temperatures it sweeps.
struct LadderGroup {
    std::uint32_t number, threads, first_slot, slots, local_slot;
    bool active;
    Place place;  ///< of this thread's site in a colour

    template <class V>
    __device__ __forceinline__ LadderGroup(const LadderArgs& a, const LadderPart<V>& part) {
        threads = a.plan.group_threads;
        number = threadIdx.x / threads;
        const std::uint32_t each = a.plan.slots / a.plan.groups, begin = min(number * each, part.slots);
        first_slot = part.first_slot + begin;
        slots = min(each, part.slots - begin);
        local_slot = part.edge + begin;
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
struct LadderSite {
    SiteAddresses<SharedTiles<V>> at;
    std::uint32_t standard;
    V bond[6];

    __device__ __forceinline__ LadderSite(const LadderArgs& a, const LadderPart<V>& part, Place place,
                                          std::uint32_t colour, std::int32_t first) {
        place.parity ^= colour;
        const Neighbours n = neighbours_of(a.sweep.geometry, colour, place);
        at = {part.spins, n, first};
        standard = standard_site(a.sweep.geometry, place);
        part.load_couplings(a, n, bond);
    }
};

/// Sweeps of a group that goes through its temperatures one after the other, 128 lanes at a time.
template <int Share>
struct WideSweeper {
    const LadderArgs& a;
    const LadderPart<uint4>& part;
    const LadderGroup& group;

    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const std::int32_t slot = static_cast<std::int32_t>(group.local_slot - group.first_slot % 4);
        const LadderSite<uint4> red(a, part, group.place, 0, slot), black(a, part, group.place, 1, slot);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            if (group.active) update(red, first + i);
            group.barrier();
            if (group.active) update(black, first + i);
            group.barrier();
        }
    }

  private:
    __device__ __forceinline__ void update(const LadderSite<uint4>& site, std::uint64_t sweep) const {
        update_slots<Share>(a.sweep, part.spins, group.first_slot, group.first_slot + group.slots, site.at,
                            site.bond,
                            {site.standard, part.replica, part.realization(a), sweep, a.sweep.seed});
    }
};

/// Sweeps of a group whose threads take N temperatures (1, 2 or 4; first_slot is a multiple) of 32 lanes at
/// once. What does not depend on spins, the acceptance of the next site, is made while words are on their
/// way.
template <int N>
struct NarrowSweeper {
    using Site = LadderSite<std::uint32_t>;
    using Offsets = CountOffset<DeviceWord>[N];
    const LadderArgs& a;
    const LadderPart<std::uint32_t>& part;
    const LadderGroup& group;
    std::uint32_t pack;
    Thresholds thresholds[N];

    __device__ __forceinline__ NarrowSweeper(const LadderArgs& args, const LadderPart<std::uint32_t>& p,
                                             const LadderGroup& g)
        : a(args), part(p), group(g), pack(p.realization(args) / args.share) {
#pragma unroll
        for (int k = 0; k < N; ++k)
            thresholds[k] = a.sweep.thresholds[min(group.first_slot + k, a.sweep.temperatures - 1)];
    }
    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const auto slot = static_cast<std::int32_t>(group.local_slot);
        const Site red(a, part, group.place, 0, slot), black(a, part, group.place, 1, slot);
        Offsets of_red, of_black;
        draw(red, first, of_red);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(red, of_red, black, first + i, of_black);
            step(black, of_black, red, first + i + 1, of_red);
        }
    }

  private:
    /// The acceptance of a site.
    __device__ __forceinline__ void draw(const Site& site, std::uint64_t sweep, Offsets& offset) const {
        const RandomBlock block = philox(make_counter(Purpose::metropolis, site.standard, sweep,
                                                      group.first_slot / 4, part.replica, 0, pack),
                                         a.sweep.seed);
        const std::uint32_t(&r)[4] = block.word;
        const bool upper = group.first_slot & 2, odd = group.first_slot & 1;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const std::uint32_t of_pair = N < 4 && upper ? r[(2 + k) % 4] : r[k];
            const std::uint32_t number = N == 1 && odd ? (upper ? r[3] : r[1]) : of_pair;
            offset[k] = offset_of(thresholds[k], number);
        }
    }
    /// Updates `here` and draws for the next site.
    __device__ __forceinline__ void step(const Site& here, const Offsets& offset, const Site& next,
                                         std::uint64_t next_sweep, Offsets& next_offset) const {
        SiteVectors<std::uint32_t> words[N];
        if (group.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) words[k].load(part.spins, here.at, k);
        }
        draw(next, next_sweep, next_offset);
        if (group.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) part.spins.store(here.at.own, k, updated(here, words[k], offset[k]));
        }
        group.barrier();
    }
    __device__ __forceinline__ static std::uint32_t updated(const Site& site,
                                                            const SiteVectors<std::uint32_t>& words,
                                                            const CountOffset<DeviceWord>& offset) {
        DeviceWord near[6], bonds[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            near[i] = {words.near[i]};
            bonds[i] = {site.bond[i]};
        }
        return updated_spin(DeviceWord{words.own}, near, bonds, offset).bits;
    }
};

}  // namespace psflip
