#pragma once

#include <algorithm>
#include <array>

#include "sweep/cpu/demon_draw_simd.hpp"
#include "sweep/demon_rule.hpp"
#include "sweep/sites/site_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Draws demons of a lattice whose subdomains are lanes. The Philox calls of a register differ in the local
/// index (word 0 of the counter) and in the 32-lane group (word 2).
class SiteDemonSource {
    const SitesTask& task_;
    const PhiloxKeys keys_;
    const std::uint32_t pack_;
    Native64 even_{}, odd_{};  ///< word 2 of the even and odd 32-lane groups, for digit 0
    Native64 indices_;         ///< local index minus the local index of the first group
    std::uint32_t sweep_low_ = 0;

    Counter counter(std::int64_t sweep, int digit) const {
        return make_counter(Purpose::site_demon, 0, static_cast<std::uint64_t>(sweep), task_.slot,
                            task_.replica, static_cast<std::uint32_t>(digit), task_.realization);
    }

  public:
    explicit SiteDemonSource(const SitesTask& task)
        : task_(task), keys_(task.key), pack_(counter(0, 0).pack_purpose) {
        for (int i = 0; i < word_lanes64; ++i) indices_[i] = 2 * (2 * i / lane_words);
    }

    void begin(std::int64_t sweep) {
        const Counter all = counter(sweep, 0);
        sweep_low_ = all.sweep_low;
        for (std::uint32_t i = 0; i < word_lanes64; ++i) {
            even_[i] = all.fields | 2 * i % lane_words << lane_word_shift;
            odd_[i] = all.fields | (2 * i + 1) % lane_words << lane_word_shift;
        }
    }

    /// Returns the demons of the chains whose first sites have the local indices index, index + 2, ...
    Demons<Word> draw(std::uint32_t index) const {
        const Native64 site = broadcast64(index) + indices_, sweep = broadcast64(sweep_low_),
                       pack = broadcast64(pack_);
        Word below[max_demon];
        draw_below(
            keys_,
            [&](int call, PhiloxLanes& even, PhiloxLanes& odd) {
                const Native64 digit = broadcast64(make_counter(Purpose{}, 0, 0, 0, 0, call, 0).fields);
                even = {site, sweep, even_ | digit, pack};
                odd = {site, sweep, odd_ | digit, pack};
            },
            [&](int k, int t) {
                return Word{broadcast64(std::uint64_t{0} - (task_.thresholds[t] >> (31 - k) & 1u))};
            },
            below);
        return demons_of(below[0], below[1], below[2]);
    }
};

/// Sweeps the chains of one colour whose first sites lie in the row (first_y, first_z).
template <int Degree, bool Glass>
void sweep_site_chains(const SitesTask& task, const DemonChains& chains, const SiteDemonSource& source,
                       int colour, int first_y, int first_z) {
    constexpr int max_registers = 32;  ///< registers whose demons and rows stay in the cache
    Demons<Word> demons[max_registers];
    const int length = task.lanes->row_words(), end_y = std::min(first_y + chains.rows, chains.L),
              end_z = std::min(first_z + chains.planes, chains.depth);
    const SiteRow first(*task.lanes, colour, first_y, first_z);
    for (int begin = 0; begin < length; begin += max_registers * register_indices) {
        const int n = std::min(max_registers, (length - begin) / register_indices);
        for (int i = 0; i < n; ++i)
            demons[i] = source.draw(first.first_index + 2 * (begin + i * register_indices) + first.odd);
        for (int z = first_z; z < end_z; ++z)
            for (int y = first_y; y < end_y; ++y) {
                const SiteRow row(*task.lanes, colour, y, z);
                for (int i = 0; i < n; ++i) {
                    const int h = begin + i * register_indices;
                    std::uint64_t* const at = task.spins + 2 * (row.own + h);
                    const Word own = load(at);
                    Word e[Degree];
                    SiteNeighbours<Degree, Glass>{task, row, h}.unsatisfied(own, e);
                    store(at, demon_updated_spin(own, e, demons[i]));
                }
            }
    }
}

/// Does the half steps of a task by demons. The range has whole chains.
template <int Degree, bool Glass>
void update_by_demons(const SitesTask& task) {
    const std::array<int, 3>& extent = task.lanes->extent;
    const DemonChains chains = DemonChains::of(extent[1], extent[2], task.rule.demon_sites);
    const LocalRange& all = task.range;
    SiteDemonSource source(task);
    for (std::int64_t half = task.first_half; half < task.first_half + task.halves; ++half) {
        source.begin(half / 2);
        for (int z = all.begin[2]; z < all.end[2]; z += chains.planes)
            for (int y = all.begin[1]; y < all.end[1]; y += chains.rows)
                sweep_site_chains<Degree, Glass>(task, chains, source, static_cast<int>(half % 2), y, z);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
