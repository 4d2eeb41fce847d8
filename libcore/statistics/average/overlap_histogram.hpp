#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// Converts the histogram of a run to a density of q, normalised to sum_b density_b width_b = 1.
///
/// A run counts the N + 1 values Q = -N, -N + 2, ..., N of the overlap q = Q / N in the bins
///     floor((Q + N) bins / (2 N)), at most bins - 1.
/// In three dimensions, q_link has the 3N/2 + 1 values -1, -1 + 4/(3N), ..., 1 and is counted in the same
/// way. Bins hold different numbers of values, and a value on an edge counts in the bin above. Counts divided
/// by the width of a bin would therefore oscillate from bin to bin and would not be symmetric. Instead,
///     p(Q) = counts of its bin / (values in that bin * all counts),   p_s(Q) = (p(Q) + p(-Q)) / 2.
/// q_link, and q in a field, are not symmetric and have p_s = p. The symmetric bin b has the edges -1 + 2 b /
/// bins. It holds the values inside with weight 1, and the values on its inner edges with weight 1/2:
///     mass_b = sum of weight * p_s(Q),   width_b = 2/N sum of weight,   density_b = mass_b / width_b.
/// If p is equal for all values, the density is equal in all bins. A symmetric bin without values (more
/// bins than values) has density NaN and width 0.
class OverlapHistogram {
  public:
    OverlapHistogram() = default;  ///< no bins
    /// `steps` is the number of values minus one: N for q, 3N/2 for q_link in three dimensions.
    OverlapHistogram(std::int64_t steps, int bins, bool symmetric);

    int bins() const { return static_cast<int>(width_.size()); }
    const std::vector<double>& width() const { return width_; }  ///< (bin) widths of the symmetric bins
    /// Returns whether any value counts in this bin of a run.
    bool counts_in(int bin) const { return inside_[bin] + below_[bin] > 0.0; }
    /// Computes the density (bin) from counts (bin); all NaN without counts.
    void density(std::span<const double> counts, std::span<double> density) const;

  private:
    bool symmetric_ = true;
    std::vector<double> width_;
    std::vector<double> inside_,
        below_;  ///< shares of a bin's counts that belong to its symmetric bin and to the bin below
};

}  // namespace psflip
