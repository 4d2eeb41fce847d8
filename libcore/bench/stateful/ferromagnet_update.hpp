#pragma once

#include "bench/stateful/site_table.hpp"
#include "bench/stateful/sweep_streams.hpp"

namespace psflip {

// Updates the spins of one ferromagnet in loops and kernels: SiteSpins here, PackedSpins in
// packed_update.hpp. A unit is what a thread updates at once. Both types have
// - Word, numbers: type of an element of the memory; random numbers per unit
// - units_of_phase(): number of units in a phase
// - phase(sweep, index): describes a phase, with the count of numbers that streams gave before it; on the
//   host only
// - draw(phase, i, numbers): returns the decisions for unit i; numbers(NumberPlace, array) fills the array
//   with the numbers of successive spins of the unit, which are two sites apart
// - update(phase, i, draws): flips unit i and returns the change of the energy, divided by 4

/// Stores spins as integers +1 or -1. A unit is one site; a SiteTable gives its index in memory.
template <int Degree>
struct SiteSpins {
    using Word = std::int32_t;
    static constexpr int numbers = 1;

    std::int32_t* spins;  ///< spin of each site, in the order of SitesView
    SitesView sites;
    RangeThresholds thresholds;
    StreamLayout layout;
    std::uint64_t seed;

    PSFLIP_HD std::uint32_t units_of_phase() const { return sites.sites_of_phase(); }
    SweepPhase phase(std::uint64_t sweep, std::uint32_t index) const {
        return {sweep, index,
                numbers_before(layout, units_of_phase(), sweep * sites.phases + index, numbers)};
    }
    template <class Numbers>
    PSFLIP_HD std::uint32_t draw(const SweepPhase& phase, std::uint32_t i, const Numbers& numbers) const {
        std::uint32_t number[1];
        numbers(number_place(phase.sweep, phase.index * units_of_phase() + i), number);
        return number[0];
    }
    PSFLIP_HD std::int32_t update(const SweepPhase& phase, std::uint32_t i, std::uint32_t number) const {
        const std::uint32_t place = phase.index * units_of_phase() + i;
        const std::int32_t half = half_cost(place), spin = spins[place];
        const std::int32_t flip = flips(half, number);
        spins[place] = spin * (1 - 2 * flip);
        return flip * (half / 2);
    }
    PSFLIP_HD NumberPlace number_place(std::uint64_t sweep, std::uint32_t place) const {
        return {seed, sweep, sites.number[place], 0, 0};
    }
    /// Returns s times the sum of the neighbours, which is half of the cost of a flip.
    PSFLIP_HD std::int32_t half_cost(std::uint32_t place) const {
        std::int32_t sum = 0;
        PSFLIP_UNROLL
        for (std::uint32_t k = 0; k < Degree; ++k)
            sum += spins[sites.near[static_cast<std::size_t>(k) * sites.sites + place]];
        return spins[place] * sum;
    }
    /// Applies the site rule: returns 1 if the number accepts a flip that costs dE = 2 half, otherwise 0.
    /// There are no branches, because random numbers would be mispredicted.
    PSFLIP_HD std::int32_t flips(std::int32_t half, std::uint32_t number) const {
        const std::uint32_t for_more = half <= 4 ? thresholds.c8 : thresholds.c12;
        const std::uint32_t threshold = half <= 2 ? thresholds.c4 : for_more;
        return static_cast<std::int32_t>(half <= 0) | static_cast<std::int32_t>(number < threshold);
    }
};

/// Updates the units of one stream of width 1 in a phase. Returns the change of the energy, divided by 4.
template <class Spins, class G>
PSFLIP_HD std::int64_t update_ferromagnet(const Spins& spins, const StreamsView<G>& streams,
                                          std::uint32_t stream, const SweepPhase& phase) {
    G numbers = streams.stream(stream, phase.drawn.of(stream));
    std::int64_t change = 0;
    for (std::uint32_t i = stream; i < spins.units_of_phase(); i += spins.layout.streams) {
        const auto draws =
            spins.draw(phase, i, [&](const NumberPlace& place, auto& array) { draw(numbers, place, array); });
        change += spins.update(phase, i, draws);
    }
    numbers.store(streams.words(stream));
    return change;
}

}  // namespace psflip
