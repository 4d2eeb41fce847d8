#pragma once

#include "config/limits.hpp"
#include "sweep/sites/site_rows_simd.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Adds the count of each lane to place(local index within the register, lane).
template <int Planes, class Place>
void add_lanes(BufferedCounter<Planes>& counter, const Place& place) {
    alignas(64) std::int32_t lanes[register_indices * lanes_of_lattice];
    counter.flush();
    unpack_counter(counter.total, lanes);
    for (int local_index = 0; local_index < register_indices; ++local_index)
        for (int lane = 0; lane < lanes_of_lattice; ++lane)
            place(local_index, lane) += lanes[local_index * lanes_of_lattice + lane];
}

/// Counts the set bits of each row of local indices in each subdomain, and adds them to planes across y and
/// z.
inline void count_rows(const SitesPlaneTask& task) {
    const SiteLanes& lanes = *task.lanes;
    constexpr int row_planes = planes_for(limits::max_site_L(2) / limits::boxes_along(2, 0));
    std::int32_t* const across_y = task.planes + lanes.L;
    for (int z = task.range.begin[2]; z < task.range.end[2]; ++z)
        for (int y = task.range.begin[1]; y < task.range.end[1]; ++y) {
            const SiteRow row(lanes, 0, y, z);
            BufferedCounter<row_planes> counter;
            for (int h = task.range.begin[0] / 2; h < task.range.end[0] / 2; h += register_indices)
                counter.add({load(task.spins + 2 * (row.own + h)), load(task.spins + 2 * (row.here + h))});
            std::int32_t sums[lanes_of_lattice] = {};
            add_lanes(counter, [&](int, int lane) -> std::int32_t& { return sums[lane]; });
            for (int lane = 0; lane < lanes_of_lattice; ++lane) {
                const int rest = lane / lanes.subdomains[0], by = rest % lanes.subdomains[1],
                          bz = rest / lanes.subdomains[1];
                across_y[y + by * lanes.extent[1]] += sums[lane];
                if (lanes.dimension == 3) across_y[lanes.L + z + bz * lanes.extent[2]] += sums[lane];
            }
        }
}

/// Counts the set bits at each local x in each subdomain, and adds them to planes across x. Even and odd x
/// have separate counters.
inline void count_columns(const SitesPlaneTask& task) {
    const SiteLanes& lanes = *task.lanes;
    constexpr int flat = limits::max_site_L(2) / limits::boxes_along(2, 1),
                  space = limits::max_site_L(3) / limits::boxes_along(3, 1) *
                          (limits::max_site_L(3) / limits::boxes_along(3, 2));
    for (int h = task.range.begin[0] / 2; h < task.range.end[0] / 2; h += register_indices) {
        BufferedCounter<planes_for(flat > space ? flat : space)> counter[2];
        for (int z = task.range.begin[2]; z < task.range.end[2]; ++z)
            for (int y = task.range.begin[1]; y < task.range.end[1]; ++y) {
                const SiteRow row(lanes, 0, y, z);
                counter[row.odd].add({load(task.spins + 2 * (row.own + h))});
                counter[!row.odd].add({load(task.spins + 2 * (row.here + h))});
            }
        for (int odd = 0; odd < 2; ++odd)
            add_lanes(counter[odd], [&](int local_index, int lane) -> std::int32_t& {
                const int x = 2 * (h + local_index) + odd;
                return task.planes[x + lane % lanes.subdomains[0] * lanes.extent[0]];
            });
    }
}

inline void count_planes(const SitesPlaneTask& task) {
    count_rows(task);
    count_columns(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
