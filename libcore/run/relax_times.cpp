#include "run/relax_times.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {

std::vector<std::int64_t> logarithmic_times(const RelaxSection& relax, bool even, std::int64_t last) {
    const std::int64_t unit = even ? 2 : 1;
    std::vector<std::int64_t> times;
    for (int k = 0;; ++k) {
        const double exact =
            static_cast<double>(relax.first) * std::pow(10.0, static_cast<double>(k) / relax.per_decade);
        const std::int64_t time = unit * std::llround(exact / static_cast<double>(unit));
        if (time > last) return times;
        if (times.empty() || time > times.back()) times.push_back(time);
    }
}

std::vector<std::int64_t> relax_times(const RelaxSection& relax, bool even) {
    std::vector<std::int64_t> times;
    if (relax.measure_every > 0)
        for (std::int64_t time = relax.measure_every; time <= relax.last; time += relax.measure_every)
            times.push_back(time);
    else
        times = logarithmic_times(relax, even, relax.last);
    for (const std::int64_t waiting : relax.waiting) {
        if (waiting > relax.last) break;
        if (waiting > 0) times.push_back(waiting);
        if (relax.measure_every > 0) continue;
        for (const std::int64_t time : logarithmic_times(relax, even, relax.last - waiting))
            times.push_back(waiting + time);
    }
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
    return times;
}

/// The grid has a time within a factor of ten, and what rounding adds; equal steps have one within a step.
std::int64_t next_relax_time(const RelaxSection& relax, bool even, std::int64_t past) {
    RelaxSection longer = relax;
    longer.last =
        relax.measure_every > 0 ? past + relax.measure_every : 10 * std::max(past, relax.first) + 12;
    const std::vector<std::int64_t> times = relax_times(longer, even);
    return *std::ranges::upper_bound(times, past);
}

}  // namespace psflip
