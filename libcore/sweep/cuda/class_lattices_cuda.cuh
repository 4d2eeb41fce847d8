#pragma once

#include "sweep/cuda/class_update_cuda.cuh"
#include "sweep/cuda/lattices_cuda.cuh"

namespace psflip {

// Updates a site in the lattices of slot quads, in device or in shared memory. A Place gives access to them.
// load(k) returns the spins of the site and its neighbours in the k-th lattice of the quad. store(k, spins)
// sets the spins of the site. skip(n) moves the Place forward by n quads.

/// Gives access to lattices in device memory: (slot, site). `base` is the lattice of the quad's first slot.
template <int Degree>
struct GlobalSite {
    uint4* base;
    std::uint32_t sites;
    NearSites<Degree> at;

    __device__ __forceinline__ NearSpins<Degree> load(std::uint32_t k) const {
        return {base + static_cast<std::size_t>(k) * sites, at};
    }
    __device__ __forceinline__ void store(std::uint32_t k, const uint4& v) const {
        base[static_cast<std::size_t>(k) * sites + at.own] = v;
    }
    __device__ __forceinline__ void skip(std::uint32_t quads) {
        base += static_cast<std::size_t>(4 * quads) * sites;
    }
};

/// Gives access to lattices in the SharedTiles of a block or the ClusterTiles of a cluster of blocks.
template <class Lattices, int Degree>
struct SharedSite {
    const Lattices& lattices;
    std::uint32_t own, near[Degree];

    /// Starts in the quad of `first_slot`, the first slot of the lattices.
    __device__ __forceinline__ SharedSite(const Lattices& all, const NearSites<Degree>& at,
                                          std::uint32_t first_slot)
        : lattices(all), own(all.address(at.own, -static_cast<std::int32_t>(first_slot % 4))) {
#pragma unroll
        for (int i = 0; i < Degree; ++i)
            near[i] = all.near_address(i, at.near[i], -static_cast<std::int32_t>(first_slot % 4));
    }
    __device__ __forceinline__ NearSpins<Degree> load(std::uint32_t k) const {
        NearSpins<Degree> spins;
#pragma unroll
        for (int i = 0; i < Degree; ++i) spins.near[i] = lattices.load_near(i, near[i], k);
        spins.own = lattices.load(own, k);
        return spins;
    }
    __device__ __forceinline__ void store(std::uint32_t k, const uint4& v) const {
        lattices.store(own, k, v);
    }
    __device__ __forceinline__ void skip(std::uint32_t quads) {
        own += quads * (4 * Lattices::slot_bytes);
#pragma unroll
        for (int i = 0; i < Degree; ++i) near[i] += quads * (4 * Lattices::slot_bytes);
    }
};

/// Names the slots that a thread updates. It updates the quads part, part + step, ... of the slots [first,
/// end), where quad 0 holds slot `first`.
struct SlotRange {
    std::uint32_t first, end, part = 0, step = 1;
};

/// Updates by a rule with one random number for `Share` realizations.
template <class RuleOfSites, int Share>
struct SharedNumbers {
    using Rule = RuleOfSites;

    /// Updates a site in the slots of a range. `at` is the site in the quad of the first slot, and d
    /// determines the random numbers of the site. In quads that lie wholly in the range, slots are not
    /// checked.
    template <class Place>
    __device__ __forceinline__ static void update(const SweepArgs& a, const typename Rule::Args& table,
                                                  const typename Rule::Shared& shared, Place at,
                                                  const SlotRange& slots, const typename Rule::Site& site,
                                                  const SiteDraw& d) {
        QuadRandom<Share> random;
        at.skip(slots.part);
#pragma unroll 1
        for (std::uint32_t quad = slots.first / 4 + slots.part; quad * 4 < slots.end; quad += slots.step) {
            random.draw(d, quad);
            if (quad * 4 >= slots.first && quad * 4 + 4 <= slots.end) {
#pragma unroll
                for (int k = 0; k < 4; ++k) update_slot(a, table, shared, at, quad, k, site, random);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    if (quad * 4 + k >= slots.first && quad * 4 + k < slots.end)
                        update_slot(a, table, shared, at, quad, k, site, random);
            }
            at.skip(slots.step);
        }
    }

  private:
    /// Updates the k-th slot of a quad.
    template <class Place>
    __device__ __forceinline__ static void update_slot(const SweepArgs& a, const typename Rule::Args& table,
                                                       const typename Rule::Shared& shared, const Place& at,
                                                       std::uint32_t quad, int k,
                                                       const typename Rule::Site& site,
                                                       const QuadRandom<Share>& random) {
        const NearSpins<Rule::degree> spins = at.load(k);
        uint4 result;
        typename Rule::Offset offset;
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            if (w * 32 % Share == 0)
                offset = Rule::offset(a, table, shared, quad * 4 + k, random.word[w * 32 / Share][k]);
            word_ref(result, w) = Rule::updated(spins, site, w, offset).bits;
        }
        at.store(k, result);
    }
};

/// Returns f(std::type_identity<Update>{}) with the update by a rule for share 32, 64 or 128.
template <class Rule, class F>
auto with_numbers(std::type_identity<Rule>, int share, const F& f) {
    return with_share(share, [&](auto n) { return f(std::type_identity<SharedNumbers<Rule, n.value>>{}); });
}
}  // namespace psflip
