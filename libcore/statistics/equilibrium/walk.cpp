#include "statistics/equilibrium/walk.hpp"

#include <algorithm>

namespace psflip {

namespace {

/// Returns tau_p of every (realization, replica). `sums` are the sums of slots over the parts between
/// `edges`: (part, replica, walker, realization).
std::vector<double> times_from(const RunSums& run, const std::vector<std::int64_t>& edges,
                               const std::vector<double>& sums, ThreadPool& pool) {
    const std::int64_t T = run.temperatures, R = run.realizations, A = run.replicas;
    const std::int64_t parts = std::ssize(edges) - 1, interval = run.grid.measure_every;
    const double mean = 0.5 * static_cast<double>(T - 1), variance = static_cast<double>(T * T - 1) / 12.0;
    std::vector<double> times(R * A, 0.0);
    share_out(pool, R, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = 0; p < parts; ++p) {
            // Counts of blocks are not used, because with from_snapshots they count snapshots.
            const std::int64_t measurements = edges[p + 1] / interval - edges[p] / interval;
            const auto count = static_cast<double>(measurements);
            for (std::int64_t a = 0; a < A; ++a)
                for (std::int64_t w = 0; w < T; ++w)
                    for (std::int64_t r = begin; r < end; ++r) {
                        const double deviation = sums[((p * A + a) * T + w) * R + r] - count * mean;
                        times[r * A + a] += deviation * deviation / count;
                    }
        }
    });
    const double norm = static_cast<double>(interval) /
                        (2.0 * variance * static_cast<double>(T) * static_cast<double>(parts));
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
        const std::vector<std::int64_t> edges = equal_edges(run.blocks.edges, number);
        const BinnedSums slots = merge_bins(run.blocks, edges, {Sum::walker_slot}, pool);
        const std::vector<double> times = times_from(run, edges, slots[Sum::walker_slot], pool);
        const double sweeps =
            static_cast<double>(edges.back() - edges.front()) / static_cast<double>(std::ssize(edges) - 1);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (found[i]) continue;
            chosen[i] = times[i];
            found[i] = sweeps >= parts_per_tau * times[i];
        }
    }
    std::vector<double> largest(R);
    for (std::int64_t r = 0; r < R; ++r)
        largest[r] = *std::max_element(chosen.begin() + r * A, chosen.begin() + (r + 1) * A);
    return largest;
}

}  // namespace psflip
