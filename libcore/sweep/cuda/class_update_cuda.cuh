#pragma once

#include <type_traits>

#include "sweep/class_rule.hpp"
#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/random_cuda.cuh"

namespace psflip {

// Defines the rules of all Ising models for kernels, except the plain rule in three dimensions
// (site_update_cuda.cuh). A rule has these members:
//
//   degree, Args               number of neighbours of a site; arguments in addition to SweepArgs
//   Site                       bonds and absent bonds of a site, which a thread keeps for all lattices
//   Shared, fill(...)          what a block keeps in shared memory
//   offset(...)                words for `updated`, made from the random number R of a share group
//   updated(...)               the new spins of word w of a site (32 lanes)

/// Holds the indices of a site and its neighbours in the + directions, then in the - directions.
template <int Degree>
struct NearSites {
    std::uint32_t own, near[Degree];

    __device__ __forceinline__ explicit NearSites(const Neighbours& n) : own(n.own) {
#pragma unroll
        for (int i = 0; i < Degree; ++i) near[i] = n.site[i < Degree / 2 ? i : 3 + i - Degree / 2];
    }
};

/// Loads the words of a site's bonds in the order of NearSites. `column` points to (direction, site) in
/// device memory.
template <int Degree>
__device__ __forceinline__ void load_bonds(const uint4* __restrict__ column, std::uint32_t sites,
                                           const NearSites<Degree>& at, uint4 (&bond)[Degree]) {
#pragma unroll
    for (int d = 0; d < Degree / 2; ++d) {
        bond[d] = __ldg(column + (d * sites + at.own));
        bond[Degree / 2 + d] = __ldg(column + (d * sites + at.near[Degree / 2 + d]));
    }
}

/// Holds the spins of a site and its neighbours in one lattice.
template <int Degree>
struct NearSpins {
    uint4 own, near[Degree];

    NearSpins() = default;
    __device__ __forceinline__ NearSpins(const uint4* lattice, const NearSites<Degree>& at) {
#pragma unroll
        for (int i = 0; i < Degree; ++i) near[i] = lattice[at.near[i]];
        own = lattice[at.own];
    }
};

template <int N>
__device__ __forceinline__ void words_of_vectors(const uint4 (&from)[N], int w, DeviceWord (&to)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = word_of(from[i], w);
}

/// Wraps the plain rule in two dimensions (site_rule.hpp).
struct PlanarRule {
    static constexpr int degree = 4;
    static constexpr bool absent_bonds = false;
    struct Args {
        __host__ __device__ explicit Args(const ClassArgs&) {}
    };
    struct Shared {};
    struct Site {
        uint4 bond[degree];
    };
    using Offset = PlanarAcceptance<DeviceWord>;

    __device__ __forceinline__ static void fill(Shared&, const Args&) {}
    __device__ __forceinline__ static Site site(const SweepArgs& a, const Args&, std::uint32_t column,
                                                const NearSites<degree>& at) {
        Site site;
        const std::uint32_t N = a.geometry.sites;
        load_bonds(a.couplings + static_cast<std::size_t>(column) * 2 * N, N, at, site.bond);
        return site;
    }
    /// Returns masks that are all ones (0 - 1) if r is below the threshold, otherwise 0.
    __device__ __forceinline__ static Offset offset(const SweepArgs& a, const Args&, const Shared&,
                                                    std::uint32_t slot, std::uint32_t r) {
        const Thresholds& c = a.thresholds[slot];
        Offset accept{{0}, {0}};
        subtract_below(accept.c4.bits, r, c.c4);
        subtract_below(accept.c8.bits, r, c.c8);
        return accept;
    }
    __device__ __forceinline__ static DeviceWord updated(const NearSpins<degree>& spins, const Site& site,
                                                         int w, const Offset& accept) {
        DeviceWord near[degree], bond[degree];
        words_of_vectors(spins.near, w, near);
        words_of_vectors(site.bond, w, bond);
        return updated_spin(word_of(spins.own, w), near, bond, accept);
    }
};

/// Wraps the class rule (class_rule.hpp). The planes of an offset depend only on the number of thresholds
/// that are above R. They are read from a table in shared memory, whose entries lie in different banks.
template <int Degree, bool Field, bool Absent>
struct ClassUpdate {
    using Logic = ClassRule<Degree, Field, Absent>;
    static constexpr bool absent_bonds = Absent;
    static constexpr int degree = Degree, classes = Logic::classes, spins = Field ? 2 : 1;
    static constexpr bool by_half = Absent && !Field;  ///< isolated spins may flip with probability 1/2
    using Args = ClassArgs;
    struct Shared {
        uint4 planes[spins][classes + 1];
    };
    struct Site {
        uint4 bond[Degree], absent[Absent ? Degree : 1];
        BondCount<DeviceWord> absences[Absent ? 4 : 1];
    };
    struct Offset {
        typename Logic::template Offset<DeviceWord> n;
        DeviceWord refused;  ///< all ones if isolated spins do not flip
    };

    /// Fills the table. All threads of a block must call it, and a barrier must follow.
    __device__ __forceinline__ static void fill(Shared& shared, const Args& table) {
        for (int i = threadIdx.x; i < spins * (classes + 1); i += blockDim.x)
            shared.planes[i / (classes + 1)][i % (classes + 1)] =
                table.planes[i / (classes + 1)][i % (classes + 1)];
    }
    __device__ __forceinline__ static Site site(const SweepArgs& a, const Args& table, std::uint32_t column,
                                                const NearSites<Degree>& at) {
        Site site;
        const std::uint32_t N = a.geometry.sites;
        const std::size_t offset = static_cast<std::size_t>(column) * (Degree / 2) * N;
        load_bonds(a.couplings + offset, N, at, site.bond);
        if constexpr (Absent) {
            load_bonds(table.absent + offset, N, at, site.absent);
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                DeviceWord absent[Degree];
                words_of_vectors(site.absent, w, absent);
                site.absences[w] = count_absent(absent);
            }
        }
        return site;
    }

    __device__ __forceinline__ static Offset offset(const SweepArgs&, const Args& table, const Shared& shared,
                                                    std::uint32_t slot, std::uint32_t r) {
        Offset offset;
#pragma unroll
        for (int s = 0; s < spins; ++s)
            offset.n.of[s] = planes(shared, s, above(table.thresholds[slot][s], table.count[s], r));
        offset.refused = {by_half && static_cast<std::int32_t>(r) < 0 ? table.by_half : 0u};
        return offset;
    }
    /// Returns the offset for a random number that is below no threshold. Then only classes without a
    /// threshold flip.
    __device__ __forceinline__ static Offset refusing(const Args& table, const Shared& shared) {
        Offset offset;
#pragma unroll
        for (int s = 0; s < spins; ++s) offset.n.of[s] = planes(shared, s, classes - table.count[s]);
        offset.refused = {0};
        return offset;
    }

    __device__ __forceinline__ static DeviceWord updated(const NearSpins<Degree>& spins, const Site& site,
                                                         int w, const Offset& offset) {
        DeviceWord near[Degree], bond[Degree];
        words_of_vectors(spins.near, w, near);
        words_of_vectors(site.bond, w, bond);
        const DeviceWord own = word_of(spins.own, w);
        if constexpr (Absent) {
            DeviceWord absent[Degree];
            words_of_vectors(site.absent, w, absent);
            const BondCount<DeviceWord>& a = site.absences[w];
            if constexpr (by_half)
                return Logic::updated(own, near, bond, absent, a, offset.n, isolated<Degree>(a),
                                      offset.refused);
            else
                return Logic::updated(own, near, bond, absent, a, offset.n);
        } else {
            return Logic::updated(own, near, bond, offset.n);
        }
    }

  private:
    __device__ __forceinline__ static ClassPlanes<DeviceWord> planes(const Shared& shared, int s,
                                                                     std::uint32_t above) {
        const uint4 p = shared.planes[s][above];
        return {{{p.x}, {p.y}, {p.z}, {p.w}}};
    }
    /// Returns the number of thresholds that are above r. Those that are not read count as above r:
    /// Metropolis needs only the first half, unless the field is strong.
    __device__ __forceinline__ static std::uint32_t above(const std::uint32_t* thresholds,
                                                          std::uint32_t count, std::uint32_t r) {
        constexpr std::uint32_t half = (classes + 1) / 2, others = classes - half;
        std::uint32_t n = 0;
#pragma unroll
        for (int v = 0; v < half; ++v) add_below(n, ~r, thresholds[v]);
        if (count > half) {
            n -= others;
#pragma unroll
            for (int v = half; v < classes; ++v) add_below(n, ~r, thresholds[v]);
        }
        return n + others;
    }
};

/// Returns f(std::type_identity<Rule>{}) with the class rule of a batch.
template <int Degree, class F>
auto with_class_rule(const SweepRule& rule, const F& f) {
    if (rule.field)
        return rule.absent ? f(std::type_identity<ClassUpdate<Degree, true, true>>{})
                           : f(std::type_identity<ClassUpdate<Degree, true, false>>{});
    return rule.absent ? f(std::type_identity<ClassUpdate<Degree, false, true>>{})
                       : f(std::type_identity<ClassUpdate<Degree, false, false>>{});
}

/// Returns f(std::type_identity<Rule>{}) with the rule of a batch, which must not be the plain rule in three
/// dimensions.
template <class F>
auto with_rule(const SweepRule& rule, const F& f) {
    if (rule.plain) return f(std::type_identity<PlanarRule>{});
    return rule.degree == 6 ? with_class_rule<6>(rule, f) : with_class_rule<4>(rule, f);
}

}  // namespace psflip
