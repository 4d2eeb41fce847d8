#pragma once

#include "bench/stateful/sweep_streams.hpp"
#include "lattice/site_orders_cuda.cuh"
#include "sweep/site_rule.hpp"

namespace psflip {

/// Gives loops and kernels access to lattices of the three-dimensional ±J glass, with one bit per realization
/// and 32 realizations per word. A set bit of `spins` is s = +1; a set bit of `bonds` is J = -1. The replicas
/// of a word are neighbours in memory, so a thread reads four of them at once.
struct GlassView {
    std::uint32_t* spins;        ///< (word, site in site order, replica)
    const std::uint32_t* bonds;  ///< (word, +x +y +z -x -y -z, site in site order)
    Geometry geometry;
    std::uint32_t words, replicas;
    RangeThresholds thresholds;
    StreamLayout layout;  ///< streams of each word
    std::uint64_t seed, first_pack;

    PSFLIP_HD std::uint32_t* lattices(std::uint32_t word) const {
        return spins + static_cast<std::size_t>(word) * geometry.sites * replicas;
    }
    std::uint32_t sites_of_phase() const { return geometry.colour_sites; }
    SweepPhase phase(std::uint64_t sweep, std::uint32_t colour) const {
        return {sweep, colour, numbers_before(layout, sites_of_phase(), 2 * sweep + colour, replicas)};
    }
};

/// Holds the words of N replicas, which one instruction loads.
template <int N>
struct alignas(4 * N) ReplicaWords {
    std::uint32_t of[N];
};

/// Describes a site of a word: its number, the indices of the site and its neighbours, and the bonds, which
/// are equal in all replicas.
struct GlassSite {
    std::uint32_t number, bond[6];
    Neighbours at;
};
template <class Order>
PSFLIP_HD GlassSite glass_site(const GlassView& glass, std::uint32_t word, std::uint32_t colour,
                               std::uint32_t i) {
    const Place place = Order::place(glass.geometry, colour, i);
    GlassSite site{
        Order::number(glass.geometry, place), {}, Order::neighbours(glass.geometry, colour, place)};
    const std::uint32_t n = glass.geometry.sites;
    const std::uint32_t* const bonds = glass.bonds + static_cast<std::size_t>(word) * 6 * n + site.at.own;
    PSFLIP_UNROLL
    for (std::size_t k = 0; k < 6; ++k) site.bond[k] = bonds[k * n];
    return site;
}

/// Returns the new spins of a site. All 32 realizations use one random number, and each accepts by its own
/// bonds.
PSFLIP_HD std::uint32_t glass_spin(std::uint32_t spin, const std::uint32_t (&near)[6],
                                   const std::uint32_t (&bond)[6], std::uint32_t number,
                                   const RangeThresholds& thresholds) {
    const auto mask = [&](std::uint32_t threshold) { return number < threshold ? ~0u : 0u; };
    const Acceptance<std::uint32_t> accept{mask(thresholds.c4), mask(thresholds.c8), mask(thresholds.c12)};
    return updated_spin(spin, near, bond, accept);
}

/// Updates a site in the replicas first to first + N - 1 of a word. number(replica) returns the random number
/// of a replica.
template <int N, class Number>
PSFLIP_HD void update_glass_site(const GlassView& glass, const GlassSite& site, std::uint32_t word,
                                 std::uint32_t first, const Number& number) {
    std::uint32_t* const lattices = glass.lattices(word) + first;
    const auto words = [&](std::uint32_t place) {
        return reinterpret_cast<ReplicaWords<N>*>(lattices +
                                                  static_cast<std::size_t>(place) * glass.replicas);
    };
    ReplicaWords<N> near[6], spin = *words(site.at.own);
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) near[k] = *words(site.at.site[k]);
    PSFLIP_UNROLL
    for (int j = 0; j < N; ++j) {
        std::uint32_t of_replica[6];
        PSFLIP_UNROLL
        for (int k = 0; k < 6; ++k) of_replica[k] = near[k].of[j];
        spin.of[j] = glass_spin(spin.of[j], of_replica, site.bond, number(first + j), glass.thresholds);
    }
    *words(site.at.own) = spin;
}

/// Replaces the spins of a site by the exclusive or of their neighbours and bonds, N replicas at once.
template <int N, class Order>
PSFLIP_HD void load_glass_site(const GlassView& glass, std::uint32_t word, std::uint32_t colour,
                               std::uint32_t i) {
    const GlassSite site = glass_site<Order>(glass, word, colour, i);
    std::uint32_t bonds = 0;
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) bonds ^= site.bond[k];
    for (std::uint32_t first = 0; first < glass.replicas; first += N) {
        std::uint32_t* const lattices = glass.lattices(word) + first;
        const auto words = [&](std::uint32_t place) {
            return reinterpret_cast<ReplicaWords<N>*>(lattices +
                                                      static_cast<std::size_t>(place) * glass.replicas);
        };
        ReplicaWords<N> result;
        PSFLIP_UNROLL
        for (int j = 0; j < N; ++j) result.of[j] = bonds;
        PSFLIP_UNROLL
        for (int k = 0; k < 6; ++k) {
            const ReplicaWords<N> near = *words(site.at.site[k]);
            PSFLIP_UNROLL
            for (int j = 0; j < N; ++j) result.of[j] ^= near.of[j];
        }
        *words(site.at.own) = result;
    }
}

PSFLIP_HD NumberPlace number_place(const GlassView& glass, std::uint64_t sweep, std::uint32_t site,
                                   std::uint32_t replica, std::uint32_t word) {
    return {glass.seed, sweep, site, replica, static_cast<std::uint32_t>(glass.first_pack + word)};
}

/// Updates the sites of one stream of width 1 in a phase, for one word and all replicas, N replicas at once.
/// N must divide the number of replicas.
template <int N, class Order, class G>
PSFLIP_HD void update_glass(const GlassView& glass, const StreamsView<G>& streams, std::uint32_t word,
                            std::uint32_t stream, const SweepPhase& phase) {
    const std::size_t t = static_cast<std::size_t>(word) * glass.layout.streams + stream;
    G numbers = streams.stream(t, phase.drawn.of(stream));
    for (std::uint32_t i = stream; i < glass.geometry.colour_sites; i += glass.layout.streams) {
        const GlassSite site = glass_site<Order>(glass, word, phase.index, i);
        const auto next = [&](std::uint32_t replica) {
            return draw(numbers, number_place(glass, phase.sweep, site.number, replica, word));
        };
        for (std::uint32_t first = 0; first < glass.replicas; first += N) {
            if constexpr (G::accesses == 0) {  // drawn while spins are loaded
                update_glass_site<N>(glass, site, word, first, next);
            } else {  // drawing during loads would need registers for both
                std::uint32_t number[N];
                next_numbers(numbers, number);
                update_glass_site<N>(glass, site, word, first,
                                     [&](std::uint32_t replica) { return number[replica - first]; });
            }
        }
    }
    numbers.store(streams.words(t));
}

}  // namespace psflip
