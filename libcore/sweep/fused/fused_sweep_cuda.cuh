// Sweeps in the fused kernel: a thread updates its red and its black site at the temperatures of its
// thread group.
#pragma once

#include "sweep/cuda/class_lattices_cuda.cuh"
#include "sweep/cuda/gauged_update_cuda.cuh"
#include "sweep/fused/fused_block_cuda.cuh"

namespace psflip {

/// Describes a thread group, with one thread for each site of a colour, and the temperatures that it sweeps.
struct ThreadGroup {
    std::uint32_t number, threads, first_slot, slots, local_slot;
    bool active;
    Place place;  ///< of the red site of this thread

    /// Thread groups consist of whole warps. The number of a group is broadcast from the first thread of a
    /// warp. So the compiler knows that it is equal in all threads of the warp, and keeps values that depend
    /// only on it in uniform registers.
    template <class Block>
    __device__ __forceinline__ ThreadGroup(const FusedArgs& a, const Block& held) {
        threads = a.plan.group_threads;
        number = __shfl_sync(~0u, threadIdx.x / threads, 0);
        const std::uint32_t each = a.plan.slots / a.plan.thread_groups,
                            begin = min(number * each, held.slots);
        first_slot = held.first_slot + begin;
        slots = min(each, held.slots - begin);
        local_slot = held.edge + begin;
        const std::uint32_t thread = threadIdx.x - number * threads;
        active = thread < a.sweep.geometry.colour_sites && slots > 0;
        // If all threads have a site, the groups of a block begin two warps apart. Then their warps at the
        // seam, which take longer, fall to different schedulers.
        const std::uint32_t sites = a.sweep.geometry.colour_sites,
                            skipped = sites == threads ? 64 * number : 0;
        place = place_of(a.sweep.geometry, 0, active ? (thread + skipped) % sites : 0);
    }
    /// Waits for all threads of the group.
    __device__ __forceinline__ void barrier() const {
        asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "r"(threads) : "memory");
    }
};

/// Holds the site of a thread with 32 lanes: the addresses of its neighbours, in local slot `first` and the
/// slots after it, and its couplings.
struct NarrowSite {
    SiteAddresses<SharedTiles<std::uint32_t>> at;
    std::uint32_t standard;  ///< number of the site in the standard order, for random numbers
    std::uint32_t bond[6];

    __device__ __forceinline__ NarrowSite(const FusedArgs& a, const FusedBlock<std::uint32_t>& held,
                                          Place place, std::uint32_t colour, std::int32_t first) {
        place.parity ^= colour;
        const Neighbours n = held.neighbours(a, colour, place);
        at = held.addresses(n, colour, first);
        standard = standard_site(a.sweep.geometry, place);
        held.load_couplings(a, n, false, bond);
    }
};

/// Holds the red and the black site of a thread with 128 lanes, at one place. The sites are neighbours in a
/// row, and their neighbours in other rows have equal places in the two colours. A black word is `shift`
/// bytes behind the red word of the same place, so seven addresses serve both sites.
class WideSites {
  public:
    bool seam;                  ///< whether the sites have bonds across the seam
    std::uint32_t standard[2];  ///< by colour: number of the site in the standard order, for random numbers
    /// Bonds of a colour, in the order of addresses(). The bonds in the row begin with the bond to the other
    /// site.
    uint4 bond[2][6];

    template <class Block>
    __device__ __forceinline__ WideSites(const FusedArgs& a, const Block& held, Place place,
                                         std::int32_t first)
        : seam(held.at_seam(a, place)),
          shift_(held.address(a, a.sweep.geometry.colour_sites, 0) - held.address(a, 0, 0)) {
#pragma unroll
        for (std::uint32_t colour = 0; colour < 2; ++colour, place.parity ^= 1) {
            const Neighbours n = held.neighbours(a, colour, place);
            standard[colour] = standard_site(a.sweep.geometry, place);
            uint4 in_order[6];
            held.load_couplings(a, n, seam, in_order);
#pragma unroll
            for (int i = 0; i < 6; ++i) bond[colour][i] = in_order[i];
            if (place.parity) bond[colour][0] = in_order[3], bond[colour][3] = in_order[0];
            at_[colour] = held.addresses(n, colour, first);
            at_[colour].near[3] = place.parity ? at_[colour].near[0] : at_[colour].near[3];
        }
        at_[0].near[3] -= shift_;
    }

    /// Returns addresses for a site of a colour and its neighbours. offsets(colour) must be added to them.
    __device__ __forceinline__ SiteAddresses<SharedTiles<uint4>> addresses(int colour) const {
        SiteAddresses<SharedTiles<uint4>> at = at_[0];
        at.near[0] = at.own;
        at.near[1] = at_[1].near[1];
        at.near[2] = at_[1].near[2];
        at.near[3] = at_[colour].near[3];
        at.near[4] = at_[1].near[4];
        at.near[5] = at_[1].near[5];
        return at;
    }
    __device__ __forceinline__ WarpOffsets offsets(int colour) const {
        return colour ? WarpOffsets{shift_, 0} : WarpOffsets{0, shift_};
    }

  private:
    std::uint32_t shift_;
    SiteAddresses<SharedTiles<uint4>> at_[2];
};

/// Sweeps with a thread group that takes its temperatures one after the other, with 128 lanes per thread.
template <int Share>
struct WideSweeper {
    const FusedArgs& a;
    const FusedBlock<uint4>& held;
    const ThreadGroup& group;

    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const WideSites sites(a, held, group.place,
                              static_cast<std::int32_t>(group.local_slot - group.first_slot % 4));
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(sites, 0, first + i);
            step(sites, 1, first + i);
        }
    }

  private:
    __device__ __forceinline__ void step(const WideSites& sites, int colour, std::uint64_t sweep) const {
        if (group.active)
            update_gauged<Share>(
                a.sweep, held.spins, group.first_slot, group.first_slot + group.slots,
                sites.addresses(colour), sites.offsets(colour), sites.bond[colour],
                __any_sync(__activemask(), sites.seam),
                {sites.standard[colour], held.replica, held.realization(a), sweep, a.sweep.seed});
        group.barrier();
    }
};

/// Gives access to a site of WideSites in slot quads, as SharedSite.
struct WidePlace {
    const SharedLattices& lattices;
    SiteAddresses<SharedLattices> at;
    WarpOffsets offset;

    __device__ __forceinline__ NearSpins<6> load(std::uint32_t k) const {
        NearSpins<6> spins;
#pragma unroll
        for (int i = 0; i < 6; ++i) spins.near[i] = lattices.load(at.near[i] + offset.near, k);
        spins.own = lattices.load(at.own + offset.own, k);
        return spins;
    }
    __device__ __forceinline__ void store(std::uint32_t k, const uint4& v) const {
        lattices.store(at.own + offset.own, k, v);
    }
    __device__ __forceinline__ void skip(std::uint32_t quads) {
        for (std::uint32_t i = 0; i < quads; ++i) offset.next_quad();
    }
};

/// Sweeps as WideSweeper by the class rule.
template <class Rule, int Share>
struct WideClassSweeper {
    const FusedArgs& a;
    const ClassArgs& table;
    const typename Rule::Shared& shared;
    const FusedBlock<uint4, false>& held;
    const ThreadGroup& group;

    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const WideSites sites(a, held, group.place,
                              static_cast<std::int32_t>(group.local_slot - group.first_slot % 4));
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(sites, 0, first + i);
            step(sites, 1, first + i);
        }
    }

  private:
    __device__ __forceinline__ void step(const WideSites& sites, int colour, std::uint64_t sweep) const {
        typename Rule::Site site;
#pragma unroll
        for (int i = 0; i < 6; ++i) site.bond[i] = sites.bond[colour][i];
        if (group.active)
            SharedNumbers<Rule, Share>::update(
                a.sweep, table, shared, WidePlace{held.spins, sites.addresses(colour), sites.offsets(colour)},
                SlotRange{group.first_slot, group.first_slot + group.slots}, site,
                {sites.standard[colour], held.replica, held.realization(a), sweep, a.sweep.seed});
        group.barrier();
    }
};

/// Sweeps with a thread group whose threads take N temperatures (1, 2 or 4) of 32 lanes at once. first_slot
/// is a multiple of N. The acceptance of the next site does not depend on spins, so it is made while words
/// are loaded.
template <int N>
struct NarrowSweeper {
    using Site = NarrowSite;
    using Accepted = Acceptance<DeviceWord>[N];
    const FusedArgs& a;
    const FusedBlock<std::uint32_t>& held;
    const ThreadGroup& group;
    std::uint32_t share_group;
    Thresholds thresholds[N];

    __device__ __forceinline__ NarrowSweeper(const FusedArgs& args, const FusedBlock<std::uint32_t>& p,
                                             const ThreadGroup& g)
        : a(args), held(p), group(g), share_group(p.realization(args) / args.share) {
#pragma unroll
        for (int k = 0; k < N; ++k)
            thresholds[k] = a.sweep.thresholds[min(group.first_slot + k, a.sweep.temperatures - 1)];
    }
    __device__ __forceinline__ void run(std::uint64_t first, int count) const {
        const auto slot = static_cast<std::int32_t>(group.local_slot);
        const Site red(a, held, group.place, 0, slot), black(a, held, group.place, 1, slot);
        Accepted of_red, of_black;
        draw(red, first, of_red);
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            step(red, of_red, black, first + i, of_black);
            step(black, of_black, red, first + i + 1, of_red);
        }
    }

  private:
    /// Draws the acceptance of a site in N temperatures.
    __device__ __forceinline__ void draw(const Site& site, std::uint64_t sweep, Accepted& accept) const {
        const RandomBlock block = philox(make_counter(Purpose::metropolis, site.standard, sweep,
                                                      group.first_slot / 4, held.replica, 0, share_group),
                                         a.sweep.seed);
        const std::uint32_t(&r)[4] = block.word;
        const bool upper = group.first_slot & 2, odd = group.first_slot & 1;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const std::uint32_t of_pair = N < 4 && upper ? r[(2 + k) % 4] : r[k];
            const std::uint32_t number = N == 1 && odd ? (upper ? r[3] : r[1]) : of_pair;
            accept[k] = acceptance_of(thresholds[k], number);
        }
    }
    /// Updates site `here` and draws the acceptance of site `next`.
    __device__ __forceinline__ void step(const Site& here, const Accepted& accept, const Site& next,
                                         std::uint64_t next_sweep, Accepted& next_accept) const {
        SiteVectors<std::uint32_t> words[N];
        if (group.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) words[k].load(held.spins, here.at, k);
        }
        draw(next, next_sweep, next_accept);
        if (group.active) {
#pragma unroll
            for (int k = 0; k < N; ++k) held.spins.store(here.at.own, k, updated(here, words[k], accept[k]));
        }
        group.barrier();
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
