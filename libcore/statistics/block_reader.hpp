#pragma once

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Sums over the blocks of a run in intensive units: E/N, (E/N)^2, Q/N, |Q|/N, q^2, q^4, link/(3N), and a
/// third of kmin_x, kmin_y, kmin_z. `i` is the place in (temperature, realization).
class BlockReader {
  public:
    /// Combines the blocks of several run files into as many as `blocks`, so that blocks grow with the run.
    BlockReader(const RunSums& run, int blocks);

    const std::vector<double>& count() const { return count_; }  ///< (block) measurements
    double total() const { return total_; }                      ///< measurements in all blocks

    /// (block) sums of one replica or replica pair.
    std::vector<double> sums(Series series, int component, std::int64_t i) const;
    /// (block) sums averaged over all replicas or pairs.
    std::vector<double> average(Series series, std::int64_t i) const;
    /// Independent series (series, block) whose average is the observable, for error bars: energy and energy2
    /// have one per replica; overlaps (q to kmin) one, the average over pairs, because pairs share
    /// replicas. specific_heat, which is not linear, has one per replica with the same deviations to first
    /// order: beta^2 N (e2_b - 2 e_b <e>), <e> the mean of the other replicas (of the same one, if it is the
    /// only one). No series where there are no pairs. Throws std::invalid_argument for other observables.
    std::vector<std::vector<double>> independent(Observable observable, std::int64_t i) const;

  private:
    std::vector<std::vector<double>> heat(std::int64_t i) const;
    std::vector<double> kmin(std::int64_t i) const;  ///< mean of the three axes
    std::vector<double> divided(Series series, int component, std::int64_t i, double norm) const;

    const RunSums& run_;
    const BinnedSums blocks_;
    std::vector<double> count_;
    double total_ = 0.0;
};

}  // namespace psflip
