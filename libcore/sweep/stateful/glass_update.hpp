#pragma once

#include "sweep/site_rule.hpp"
#include "sweep/stateful/site_table.hpp"
#include "sweep/stateful/sweep_streams.hpp"

namespace psflip {

/// Lattices of the ±J glass in three dimensions, a bit for each of the 32 realizations of a word: bit 1 is
/// spin +1, and J = -1. Places are those of the checkerboard's SiteTable.
struct GlassView {
    std::uint32_t* spins;        ///< (word, replica, place)
    const std::uint32_t* bonds;  ///< (word, +x -x +y -y +z -z, place)
    SitesView sites;
    std::uint32_t words, replicas;
    RangeThresholds thresholds;
    StreamLayout layout;  ///< streams of each word
    std::uint64_t seed, first_pack;

    PSFLIP_HD std::uint32_t* lattice(std::uint32_t word, std::uint32_t replica) const {
        return spins + (static_cast<std::size_t>(word) * replicas + replica) * sites.sites;
    }
    /// Numbers that a stream has given before a phase.
    PSFLIP_HD std::uint64_t drawn(std::uint32_t stream, std::uint64_t sweep, std::uint32_t phase) const {
        return (sweep * sites.phases + phase) * layout.rounds(stream, sites.sites_of_phase()) * layout.width *
               replicas;
    }
};

/// A site of a word: its place, its neighbours and their bonds, the same in all replicas.
struct GlassSite {
    std::uint32_t place, near[6], bond[6];

    PSFLIP_HD GlassSite(const GlassView& glass, std::uint32_t word, std::uint32_t place) : place(place) {
        const std::uint32_t n = glass.sites.sites;
        PSFLIP_UNROLL
        for (std::uint32_t k = 0; k < 6; ++k) {
            near[k] = glass.sites.near[static_cast<std::size_t>(k) * n + place];
            bond[k] = glass.bonds[(static_cast<std::size_t>(word) * 6 + k) * n + place];
        }
    }
};

/// The site rule: 32 realizations take one number, each accepts by its own bonds.
PSFLIP_HD std::uint32_t glass_spin(std::uint32_t spin, const std::uint32_t (&near)[6],
                                   const std::uint32_t (&bond)[6], std::uint32_t number,
                                   const RangeThresholds& thresholds) {
    const auto mask = [&](std::uint32_t threshold) { return number < threshold ? ~0u : 0u; };
    const Acceptance<std::uint32_t> accept{mask(thresholds.c4), mask(thresholds.c8), mask(thresholds.c12)};
    return updated_spin(spin, near, bond, count_offset(accept));
}

/// The site in one lattice, with its number.
PSFLIP_HD void update_glass_site(const GlassView& glass, const GlassSite& site, std::uint32_t* lattice,
                                 std::uint32_t number) {
    std::uint32_t near[6];
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) near[k] = lattice[site.near[k]];
    lattice[site.place] = glass_spin(lattice[site.place], near, site.bond, number, glass.thresholds);
}

PSFLIP_HD NumberPlace number_place(const GlassView& glass, std::uint64_t sweep, std::uint32_t place,
                                   std::uint32_t replica, std::uint32_t word) {
    return {glass.seed, sweep, glass.sites.number[place], replica,
            static_cast<std::uint32_t>(glass.first_pack + word)};
}

/// A phase of a sweep by one stream of width 1: all its sites of a word in all replicas.
template <class G>
PSFLIP_HD void update_glass(const GlassView& glass, const StreamsView<G>& streams, std::uint32_t word,
                            std::uint32_t stream, std::uint64_t sweep, std::uint32_t phase) {
    const std::uint32_t sites = glass.sites.sites_of_phase();
    const std::size_t t = static_cast<std::size_t>(word) * glass.layout.streams + stream;
    G numbers = streams.stream(t, glass.drawn(stream, sweep, phase));
    for (std::uint32_t i = stream; i < sites; i += glass.layout.streams) {
        const GlassSite site(glass, word, phase * sites + i);
        for (std::uint32_t replica = 0; replica < glass.replicas; ++replica)
            update_glass_site(glass, site, glass.lattice(word, replica),
                              draw(numbers, number_place(glass, sweep, site.place, replica, word)));
    }
    numbers.store(streams.words(t));
}

}  // namespace psflip
