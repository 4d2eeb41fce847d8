#include "measure/bins.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace psflip {
namespace {

/// Index of the interval (edges[b], edges[b+1]] that holds `sweep`.
int bin_of(const std::vector<std::int64_t>& edges, std::int64_t sweep) {
    if (edges.size() < 2 || sweep <= edges.front() || sweep > edges.back())
        throw std::out_of_range("sweep " + std::to_string(sweep) + " lies in no bin");
    return static_cast<int>(std::lower_bound(edges.begin() + 1, edges.end(), sweep) - edges.begin()) - 1;
}

/// first, last, and all run_sweeps 2^i between them; below, none under `lowest`.
std::vector<std::int64_t> log2_edges(std::int64_t first, std::int64_t last, std::int64_t run_sweeps,
                                     std::int64_t lowest) {
    std::vector<std::int64_t> edges = {first, last};
    for (std::int64_t edge = run_sweeps; edge >= lowest && edge > first; edge /= 2)
        if (edge < last) edges.push_back(edge);
    for (std::int64_t edge = run_sweeps; edge < last; edge *= 2)
        if (edge > first) edges.push_back(edge);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

}  // namespace

int RunBins::log2_bin(std::int64_t sweep) const {
    return bin_of(log2_edges, sweep);
}

int RunBins::block_bin(std::int64_t sweep) const {
    return n_log2() + bin_of(block_edges, sweep);
}

RunBins run_bins(std::int64_t first, std::int64_t last, std::int64_t run_sweeps, std::int64_t measure_every,
                 int blocks) {
    if (first < 0 || last <= first || run_sweeps < 1 || measure_every < 1 || blocks < 1)
        throw std::invalid_argument(
            "run_bins: first, last, run_sweeps, measure_every or blocks out of range");
    RunBins bins;
    bins.log2_edges = log2_edges(first, last, run_sweeps, measure_every);
    const std::int64_t quotient = (last - first) / blocks, remainder = (last - first) % blocks;
    for (int b = 0; b <= blocks; ++b)  // (last - first) b / blocks rounded down, without overflow
        bins.block_edges.push_back(first + quotient * b + remainder * b / blocks);
    return bins;
}

}  // namespace psflip
