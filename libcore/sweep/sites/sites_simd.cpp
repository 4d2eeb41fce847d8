// Sweeps and sums of a lattice whose subdomains are lanes: compiled once per instruction set (see
// word/word_simd.hpp).
//
// Per 512 spins (four local indices of a row) some 290 operations, as with a number for every spin of many
// lattices (sweep/cpu/independent_source_simd.hpp); lanes move only in the rows and columns at edges of
// subdomains.

#include <algorithm>
#include <bit>
#include <cstring>

#include "sweep/sites/site_counts_simd.hpp"
#include "sweep/sites/site_demons_simd.hpp"
#include "sweep/sites/site_numbers_simd.hpp"
#include "word/bit_counter.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// One colour of the sites of a range in one sweep. active: words of 128 lanes of every eight sites of a row.
template <class Numbers, bool Glass>
void update_colour(const SitesTask& task, Numbers& numbers, const LocalRange& range, int colour,
                   const std::uint64_t (&active)[8]) {
    using Rule = typename Numbers::Rule;
    for (int z = range.begin[2]; z < range.end[2]; ++z)
        for (int y = range.begin[1]; y < range.end[1]; ++y) {
            const SiteRow row(*task.lanes, colour, y, z);
            for (int h = range.begin[0] / 2; h < range.end[0] / 2; h += register_indices) {
                std::uint64_t* const at = task.spins + 2 * (row.own + h);
                const Word own = load(at);
                const SiteNeighbours<Rule::degree, Glass> neighbours{task, row, h};
                store(at, numbers.update(own, neighbours.template read<typename Rule::Site>(own),
                                         row.first_index + 2 * h + row.odd, row.own + h,
                                         load_unaligned(active + 2 * (h % 4))));
                numbers.make_room();
            }
        }
    numbers.finish();
}

/// Updates the tiles of half a step. If tiles are narrower than a register, updates the tiles of a register
/// together. A tile of local indices has that colour in all subdomains, in none, or in some of them.
template <class Numbers, bool Glass>
void update_tiles(const SitesTask& task, Numbers& numbers, std::int64_t step, int half) {
    const std::int64_t first_sweep = step * task.hits;
    const FirstColours first = first_colours(task.tile_order, step);
    const int tiles = half ^ first.tiles;
    const int tile = task.tile, width = std::max(tile, 8);
    const LocalRange& all = task.range;
    const LaneBits odd_lanes = task.lanes->odd_lanes(tile);
    std::uint64_t odd[2];
    std::memcpy(odd, &odd_lanes, sizeof odd);
    for (int z = all.begin[2]; z < all.end[2]; z += tile)
        for (int y = all.begin[1]; y < all.end[1]; y += tile)
            for (int x = all.begin[0]; x < all.end[0]; x += width) {
                const LocalRange range{{x, y, z}, {x + width, y + tile, std::min(z + tile, all.end[2])}};
                std::uint64_t active[8], any_active = 0;
                for (int i = 0; i < 8; ++i) {
                    const bool other = ((x + i / 2 * 2) / tile + y / tile + z / tile) % 2 != tiles;
                    active[i] = other ? odd[i % 2] : ~odd[i % 2];
                    any_active |= active[i];
                }
                if (any_active == 0) continue;
                for (int hit = 0; hit < task.hits; ++hit) {
                    numbers.begin(first_sweep + hit);
                    for (int sites = 0; sites < 2; ++sites)
                        update_colour<Numbers, Glass>(task, numbers, range, sites ^ first.sites, active);
                }
            }
}

template <class Rule, bool Glass>
void update_with(const SitesTask& task) {
    using Numbers = SiteNumbers<Rule>;
    Numbers numbers(task);
    constexpr std::uint64_t one = ~std::uint64_t{0};
    for (std::int64_t half = task.first_half; half < task.first_half + task.halves; ++half) {
        const int colour = static_cast<int>(half % 2);
        if (task.tile > 0) {
            update_tiles<Numbers, Glass>(task, numbers, half / 2, colour);
        } else {
            numbers.begin(half / 2);
            update_colour<Numbers, Glass>(task, numbers, task.range, colour,
                                          {one, one, one, one, one, one, one, one});
        }
    }
}

template <class Rule>
void update_by(const SitesTask& task) {
    task.couplings ? update_with<Rule, true>(task) : update_with<Rule, false>(task);
}

template <int Degree>
void update_degree(const SitesTask& task) {
    if (task.rule.plain) return update_by<PlainRule<Degree>>(task);
    if (task.rule.field) return update_by<WordClassRule<Degree, true, false>>(task);
    update_by<WordClassRule<Degree, false, false>>(task);
}

void update(const SitesTask& task) {
    if (task.rule.has_demons()) {
        if (task.rule.degree == 6)
            return task.couplings ? update_by_demons<6, true>(task) : update_by_demons<6, false>(task);
        return task.couplings ? update_by_demons<4, true>(task) : update_by_demons<4, false>(task);
    }
    task.rule.degree == 6 ? update_degree<6>(task) : update_degree<4>(task);
}

template <int Degree, bool Glass>
void sum_with(SitesSumTask& sums) {
    SitesTask task{};
    task.lanes = sums.lanes;
    task.spins = const_cast<std::uint64_t*>(sums.spins);  // only read
    task.couplings = sums.couplings;
    BitSum unsatisfied, up;
    for (int z = sums.range.begin[2]; z < sums.range.end[2]; ++z)
        for (int y = sums.range.begin[1]; y < sums.range.end[1]; ++y) {
            const SiteRow row(*sums.lanes, 0, y, z);
            for (int h = sums.range.begin[0] / 2; h < sums.range.end[0] / 2; h += register_indices) {
                const Word spins[2] = {load(sums.spins + 2 * (row.own + h)),
                                       load(sums.spins + 2 * (row.here + h))};
                Word e[Degree];
                SiteNeighbours<Degree, Glass>{task, row, h}.unsatisfied(spins[0], e);
                up.add(spins);
                unsatisfied.add(e);
            }
        }
    sums.unsatisfied = unsatisfied.total();
    sums.up = up.total();
}

void sum(SitesSumTask& task) {
    const bool cubic = task.lanes->dimension == 3;
    if (task.couplings)
        cubic ? sum_with<6, true>(task) : sum_with<4, true>(task);
    else
        cubic ? sum_with<6, false>(task) : sum_with<4, false>(task);
}

void step_lanes(const std::uint64_t* from, std::uint64_t* to, const LaneStep& step, bool forward) {
    for (int i = 0; i < 8; i += word_lanes64) store(to + i, stepped(load(from + i), step, forward));
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::SitesKernels psflip::SitesKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::update, PSFLIP_SIMD_LEVEL::sum, PSFLIP_SIMD_LEVEL::count_planes,
    PSFLIP_SIMD_LEVEL::step_lanes};
