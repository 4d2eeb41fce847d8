#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// Converts the counts of a run to the density per value that q can take, symmetric under q -> -q. The counts
/// put the N + 1 values Q = -N, -N + 2, ..., N of the overlap q = Q / N into the bins
/// floor((Q + N) bins / (2 N)) (at most bins - 1). The 3N/2 + 1 values -1, -1 + 4/(3N), ..., 1 of q_link are
/// counted in the same way; q_link, and q in a field, do not have the symmetry (p_s = p below). Bins hold
/// different numbers of values, and a value on an edge counts in the bin above. Counts over the width of a
/// bin would therefore have teeth, and the left would differ from the right.
///     p(Q) = counts of its bin / (values in that bin * all counts),  p_s(Q) = (p(Q) + p(-Q)) / 2;
///     the symmetric bin b, with the edges -1 + 2 b / bins, holds the values inside and half of each on an
///     inner edge: mass_b = sum p_s(Q), width_b = 2/N sum 1, density_b = mass_b / width_b,
/// so that sum_b density_b width_b = 1. If p is equal for all values, the density is equal everywhere. A
/// symmetric bin that holds no value (more bins than values) has density NaN and width 0.
class OverlapHistogram {
  public:
    OverlapHistogram() = default;  ///< no bins
    /// steps: number of values minus one, N for q and 3N/2 for q_link. symmetric: under q -> -q.
    OverlapHistogram(std::int64_t steps, int bins, bool symmetric);

    int bins() const { return static_cast<int>(width_.size()); }
    const std::vector<double>& width() const { return width_; }  ///< (bin): widths of the symmetric bins
    /// Returns whether any value counts in this bin of a run.
    bool counts_in(int bin) const { return inside_[bin] + below_[bin] > 0.0; }
    /// Computes the density from counts, (bin) to (bin); all NaN without counts.
    void density(std::span<const double> counts, std::span<double> density) const;

  private:
    bool symmetric_ = true;
    std::vector<double> width_;
    std::vector<double> inside_,
        below_;  ///< fractions of a bin's counts for its symmetric bin, and for the bin below
};

}  // namespace psflip
