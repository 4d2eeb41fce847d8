#include "statistics/binned_sums.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/large_array.hpp"

namespace psflip {

namespace {

template <class T>
void add_to(std::vector<T>& sums, const std::vector<T>& more) {
    if (sums.size() != more.size()) throw std::invalid_argument("runs of different shapes cannot be added");
    std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<T>());
}

/// Appends `next`. If one of both is empty (not known), the result is empty.
template <class T>
void append(std::vector<T>& values, const std::vector<T>& next) {
    if (values.empty() || next.empty())
        values.clear();
    else
        values.insert(values.end(), next.begin(), next.end());
}

}  // namespace

void append_bins(BinnedSums& sums, const BinnedSums& next) {
    if (sums.edges.empty() || next.edges.empty() || sums.edges.back() != next.edges.front())
        throw std::invalid_argument("bins do not follow one another");
    sums.edges.insert(sums.edges.end(), next.edges.begin() + 1, next.edges.end());
    sums.count.insert(sums.count.end(), next.count.begin(), next.count.end());
    for (int s = 0; s < n_sums; ++s) append(sums.sums[s], next.sums[s]);
}

BinnedSums merge_bins(const BinnedSums& sums, const std::vector<std::int64_t>& edges,
                      const std::vector<Sum>& only, ThreadPool& pool) {
    const auto first = std::ranges::find(sums.edges, edges.front()) - sums.edges.begin();
    if (edges.size() < 2 || edges.back() != sums.edges.back())
        throw std::invalid_argument("merged bins must have the same end");
    BinnedSums merged;
    merged.edges = edges;
    const std::size_t bins = edges.size() - 1;
    merged.count.assign(bins, 0);
    std::vector<std::size_t> targets;  // merged bin of each bin from `first` on
    for (std::size_t b = first, target = 0; b < sums.count.size(); ++b) {
        if (sums.edges[b] >= edges[target + 1]) ++target;
        if (sums.edges[b + 1] > edges[target + 1])
            throw std::invalid_argument("merged bins must end at edges");
        merged.count[target] += sums.count[b];
        targets.push_back(target);
    }
    if (targets.empty()) throw std::invalid_argument("merged bins must begin at an edge");
    for (const SumInfo& row : sum_table) {
        if (!only.empty() && std::ranges::find(only, row.sum) == only.end()) continue;
        const std::vector<double>& from = sums[row.sum];
        const std::size_t size = from.size() / sums.count.size();
        std::vector<double>& into = merged[row.sum];
        into = large_zeros<double>(size * bins, pool);
        share_out(pool, static_cast<std::int64_t>(size), [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = 0; k < targets.size(); ++k)
                for (std::size_t i = begin; i < end; ++i)
                    into[targets[k] * size + i] += from[(first + k) * size + i];
        });
    }
    return merged;
}

std::vector<std::int64_t> halving_edges(const std::vector<std::int64_t>& edges) {
    std::vector<std::int64_t> chosen = {edges.back()};
    while (chosen.back() != edges.front()) {
        const double half = 0.5 * static_cast<double>(chosen.back());
        std::int64_t best = edges.front();
        double best_distance = best > 0 ? std::abs(std::log(static_cast<double>(best) / half)) : INFINITY;
        for (std::int64_t edge : edges) {
            if (edge <= edges.front() || edge >= chosen.back()) continue;
            const double distance = std::abs(std::log(static_cast<double>(edge) / half));
            if (distance < best_distance) {
                best = edge;
                best_distance = distance;
            }
        }
        chosen.push_back(best);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
}

std::vector<std::int64_t> equal_edges(const std::vector<std::int64_t>& edges, int parts) {
    std::vector<std::int64_t> chosen;
    const double length = static_cast<double>(edges.back() - edges.front()) / parts;
    for (int i = 0; i <= parts; ++i) {
        const double target = static_cast<double>(edges.front()) + length * i;
        const auto nearest =
            std::min_element(edges.begin(), edges.end(), [&](std::int64_t a, std::int64_t b) {
                return std::abs(static_cast<double>(a) - target) < std::abs(static_cast<double>(b) - target);
            });
        if (chosen.empty() || *nearest > chosen.back()) chosen.push_back(*nearest);
    }
    return chosen;
}

std::int64_t averaged_from(const std::vector<std::int64_t>& edges, double discard) {
    const double most = discard * static_cast<double>(edges.back());
    std::int64_t from = edges.front();
    for (std::int64_t edge : edges)
        if (static_cast<double>(edge) <= most) from = edge;
    return from;
}

std::vector<std::int64_t> edges_from(const std::vector<std::int64_t>& edges, std::int64_t from) {
    const auto first = std::ranges::find(edges, from);
    if (first == edges.end()) throw std::invalid_argument("no bin begins at the given sweep");
    return {first, edges.end()};
}

void append_run(RunSums& sums, const RunSums& next) {
    append_bins(sums.blocks, next.blocks);
    sums.measured = common(sums.measured, next.measured);
    add_to(sums.histogram, next.histogram);
    add_to(sums.link_histogram, next.link_histogram);
    append(sums.lowest_energy, next.lowest_energy);
    append(sums.lowest_count, next.lowest_count);
    add_to(sums.accepted, next.accepted);
    add_to(sums.attempted, next.attempted);
    add_to(sums.round_trips, next.round_trips);
    if (!sums.houdayer.known())
        sums.houdayer = next.houdayer;
    else if (next.houdayer.known())
        sums.houdayer.add(next.houdayer);
    sums.hottest = next.hottest;
    sums.file_hashes.insert(next.file_hashes.begin(), next.file_hashes.end());
    sums.run_last = next.run_last;
}

}  // namespace psflip
