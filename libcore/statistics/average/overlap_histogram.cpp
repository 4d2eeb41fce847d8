#include "statistics/average/overlap_histogram.hpp"

#include <cstddef>
#include <numeric>

#include "base/numbers.hpp"

namespace psflip {

/// Value v = 0, ..., steps lies in bin v bins / steps, rounded down, and on its lower edge if nothing is
/// rounded. For q, v is (Q + N) / 2.
OverlapHistogram::OverlapHistogram(std::int64_t steps, int bins, bool symmetric)
    : symmetric_(symmetric), width_(bins), inside_(bins), below_(bins) {
    const auto first_of = [&](std::int64_t bin) { return (bin * steps + bins - 1) / bins; };
    for (std::int64_t b = 0; b < bins; ++b) {
        const std::int64_t first = first_of(b), end = b + 1 < bins ? first_of(b + 1) : steps + 1;
        const double values = static_cast<double>(end - first);
        const double on_edge = b > 0 && end > first && first * bins == b * steps ? 0.5 : 0.0;
        if (end > first) {
            inside_[b] = (values - on_edge) / values;
            below_[b] = on_edge / values;
        }
        width_[b] += values - on_edge;
        if (b > 0) width_[b - 1] += on_edge;
    }
    for (double& width : width_) width *= 2.0 / static_cast<double>(steps);
}

void OverlapHistogram::density(std::span<const double> counts, std::span<double> density) const {
    const std::size_t bins = width_.size();
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    const auto mass = [&](std::size_t b) {
        return inside_[b] * counts[b] + (b + 1 < bins ? below_[b + 1] * counts[b + 1] : 0.0);
    };
    for (std::size_t b = 0; b < bins; ++b)
        density[b] = width_[b] > 0.0
                         ? (mass(b) + mass(symmetric_ ? bins - 1 - b : b)) / (2.0 * all * width_[b])
                         : nan_value;
}

}  // namespace psflip
