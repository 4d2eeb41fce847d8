#pragma once

#include "sweep/stateful/site_table.hpp"
#include "sweep/stateful/sweep_streams.hpp"

namespace psflip {

/// One lattice of the ferromagnet, an integer +1 or -1 for each spin; places are those of a SiteTable.
struct FerromagnetView {
    std::int32_t* spins;  ///< (place)
    SitesView sites;
    RangeThresholds thresholds;
    StreamLayout layout;
    std::uint64_t seed;

    /// Numbers that a stream has given before a phase.
    PSFLIP_HD std::uint64_t drawn(std::uint32_t stream, std::uint64_t sweep, std::uint32_t phase) const {
        return (sweep * sites.phases + phase) * layout.rounds(stream, sites.sites_of_phase()) * layout.width;
    }
};

/// s times the sum of the neighbours: half of what a flip costs.
template <int Degree>
PSFLIP_HD std::int32_t half_cost(const FerromagnetView& lattice, std::uint32_t place) {
    std::int32_t sum = 0;
    PSFLIP_UNROLL
    for (std::uint32_t k = 0; k < Degree; ++k)
        sum += lattice.spins[lattice.sites.near[static_cast<std::size_t>(k) * lattice.sites.sites + place]];
    return lattice.spins[place] * sum;
}

/// The site rule: 1 where a flip that costs dE = 2 half is accepted with a number, else 0. Without branches,
/// which random numbers would mislead.
PSFLIP_HD std::int32_t flips(std::int32_t half, std::uint32_t number, const RangeThresholds& thresholds) {
    const std::uint32_t for_more = half <= 4 ? thresholds.c8 : thresholds.c12;
    const std::uint32_t threshold = half <= 2 ? thresholds.c4 : for_more;
    return static_cast<std::int32_t>(half <= 0) | static_cast<std::int32_t>(number < threshold);
}

/// A site with its number; returns dE / 4 of what was done.
template <int Degree>
PSFLIP_HD std::int32_t update_ferromagnet_site(const FerromagnetView& lattice, std::uint32_t place,
                                               std::uint32_t number) {
    const std::int32_t half = half_cost<Degree>(lattice, place), spin = lattice.spins[place];
    const std::int32_t flip = flips(half, number, lattice.thresholds);
    lattice.spins[place] = spin * (1 - 2 * flip);
    return flip * (half / 2);
}

PSFLIP_HD NumberPlace number_place(const FerromagnetView& lattice, std::uint64_t sweep, std::uint32_t place) {
    return {lattice.seed, sweep, lattice.sites.number[place], 0, 0};
}

/// A phase of a sweep by one stream of width 1; returns the change of the energy over 4.
template <int Degree, class G>
PSFLIP_HD std::int64_t update_ferromagnet(const FerromagnetView& lattice, const StreamsView<G>& streams,
                                          std::uint32_t stream, std::uint64_t sweep, std::uint32_t phase) {
    const std::uint32_t sites = lattice.sites.sites_of_phase();
    G numbers = streams.stream(stream, lattice.drawn(stream, sweep, phase));
    std::int64_t change = 0;
    for (std::uint32_t i = stream; i < sites; i += lattice.layout.streams) {
        const std::uint32_t place = phase * sites + i;
        change += update_ferromagnet_site<Degree>(lattice, place,
                                                  draw(numbers, number_place(lattice, sweep, place)));
    }
    numbers.store(streams.words(stream));
    return change;
}

}  // namespace psflip
