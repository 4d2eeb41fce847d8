#include "statistics/equilibrium/walk.hpp"

#include <algorithm>

namespace psflip {

namespace {

/// Sums of slots over equal parts of the run; integers, so the order of additions does not matter.
struct Parts {
    std::vector<double> sums;   ///< (part, replica, walker, realization)
    std::vector<double> count;  ///< (part) measurements
    double sweeps;              ///< length of one
};

Parts parts_of(const RunSums& run, int number, ThreadPool& pool) {
    const std::vector<std::int64_t>& fine = run.blocks.edges;
    const std::vector<std::int64_t> edges = equal_edges(fine, number);
    const std::vector<double>& slots = run.blocks[Sum::walker_slot];
    const std::size_t row = slots.size() / (fine.size() - 1);
    Parts parts{std::vector<double>(row * (edges.size() - 1), 0.0),
                std::vector<double>(edges.size() - 1, 0.0),
                static_cast<double>(edges.back() - edges.front()) / static_cast<double>(edges.size() - 1)};
    std::size_t part = 0;
    for (std::size_t b = 0; b + 1 < fine.size(); ++b) {
        if (fine[b] >= edges[part + 1]) ++part;
        // not run.blocks.count: that is of the snapshots where they are measured anew
        const std::int64_t count = fine[b + 1] / run.grid.measure_every - fine[b] / run.grid.measure_every;
        parts.count[part] += static_cast<double>(count);
        share_out(pool, static_cast<std::int64_t>(row), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) parts.sums[part * row + i] += slots[b * row + i];
        });
    }
    return parts;
}

/// tau_p of every (realization, replica).
std::vector<double> times_from(const RunSums& run, const Parts& parts, ThreadPool& pool) {
    const std::int64_t T = run.temperatures, R = run.realizations, A = run.replicas;
    const double mean = 0.5 * static_cast<double>(T - 1), variance = static_cast<double>(T * T - 1) / 12.0;
    std::vector<double> times(R * A, 0.0);
    share_out(pool, R, [&](std::int64_t begin, std::int64_t end) {
        for (std::size_t p = 0; p < parts.count.size(); ++p)
            for (std::int64_t a = 0; a < A; ++a)
                for (std::int64_t w = 0; w < T; ++w)
                    for (std::int64_t r = begin; r < end; ++r) {
                        const double sum =
                            parts.sums[((static_cast<std::int64_t>(p) * A + a) * T + w) * R + r];
                        const double deviation = sum - parts.count[p] * mean;
                        times[r * A + a] += deviation * deviation / parts.count[p];
                    }
    });
    const double interval = static_cast<double>(run.grid.measure_every);
    const double norm =
        interval / (2.0 * variance * static_cast<double>(T) * static_cast<double>(parts.count.size()));
    for (double& time : times) time *= norm;
    return times;
}

}  // namespace

std::vector<double> walk_times(const RunSums& run, int blocks, ThreadPool& pool) {
    if (run.temperatures < 2) return {};
    const std::int64_t R = run.realizations, A = run.replicas;
    std::vector<double> chosen(R * A, 0.0);
    std::vector<bool> found(R * A, false);
    for (int number = blocks; number > 0; number = number > 1 ? (number % 2 == 0 ? number / 2 : 1) : 0) {
        const Parts parts = parts_of(run, number, pool);
        const std::vector<double> times = times_from(run, parts, pool);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (found[i]) continue;
            chosen[i] = times[i];
            found[i] = parts.sweeps >= parts_per_tau * times[i];
        }
    }
    std::vector<double> largest(R);
    for (std::int64_t r = 0; r < R; ++r)
        largest[r] = *std::max_element(chosen.begin() + r * A, chosen.begin() + (r + 1) * A);
    return largest;
}

}  // namespace psflip
