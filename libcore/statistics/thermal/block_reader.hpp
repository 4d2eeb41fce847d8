#pragma once

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// How many neighbouring blocks are merged, so that they are long against autocorrelation times.
struct BlockLength {
    int level = 0;            ///< 2^level blocks in one
    bool long_enough = true;  ///< as long_blocks; if not, the run is too short for errors from blocks
};

/// The sum that an observable is the mean of; std::invalid_argument if there is no such sum.
Sum sum_of(Observable observable);

/// Reads sums over the blocks of a run in intensive units: E/N, (E/N)^2, Q/N, |Q|/N, q^2, q^4, link per
/// present bond, its square, its product with q^2, and the mean over the axes of kmin_x, kmin_y, kmin_z.
/// Magnetisations have the units of overlaps. Products with the energy have the energy of all sites. Sums
/// that the run does not have are NaN. `i` is the index in (temperature, realization).
class BlockReader {
  public:
    /// The sweeps from averaged_from(discard) on, in nearly equal blocks, of which the whole run would have
    /// `blocks`; so blocks grow with the run. `run` must outlive the reader.
    BlockReader(const RunSums& run, int blocks, double discard, ThreadPool& pool = caller_alone());
    /// Any bins of the run.
    BlockReader(const RunSums& run, BinnedSums blocks);

    const RunSums& run() const { return run_; }
    const BlockDivision& division() const { return blocks_; }
    std::int64_t from() const { return blocks_.edges.front(); }  ///< sweeps since the end of thermalization
    double sweeps() const { return static_cast<double>(blocks_.edges.back() - blocks_.edges.front()); }
    double total() const { return total_; }  ///< measurements in all blocks
    /// (block) measurements.
    const std::vector<double>& count(int level = 0) const { return count_[level]; }

    /// The shortest merged blocks that are long against the autocorrelation times of the energy and of q^2
    /// (see order_parameter), measured with these blocks; at least `least_blocks` are left. The times are at
    /// one temperature, from sums of variances over the realizations first to last - 1: one realization for
    /// its own errors, a pack for the noise that it shares.
    BlockLength block_length(int temperature, std::int64_t first, std::int64_t last) const;
    static constexpr int least_blocks = 4;

    /// The length of blocks at place i for the mean of a quantity that has a sign, such as m, q or a
    /// component of a moment. The quantity remembers longer than its square, so its blocks must be long
    /// against its own time. `x` sums the quantity and `x2` its square, in component `part` of each replica
    /// or pair.
    BlockLength signed_length(Sum x, Sum x2, int part, std::int64_t i) const;
    /// The longest blocks that there are.
    int longest() const { return static_cast<int>(count_.size()) - 1; }

    /// (block) sums of one replica or replica pair.
    std::vector<double> sums(Sum series, int component, std::int64_t i) const;
    /// (block) sums averaged over all replicas or pairs.
    std::vector<double> average(Sum series, std::int64_t i) const;
    /// Returns independent series (series, block) whose average is the observable, for error bars. Energies
    /// and magnetisations have one per replica. Overlaps have one, the average over pairs, because pairs
    /// share replicas; none without pairs. specific_heat, which is not linear, has one per replica with the
    /// same deviations to first order: beta^2 N (e2_b - 2 e_b <e>), where <e> is the mean of the other
    /// replicas (its own mean with one replica). Throws std::invalid_argument for other observables.
    std::vector<std::vector<double>> independent(Observable observable, std::int64_t i) const;

  private:
    template <class IsLong>
    BlockLength shortest(const IsLong& is_long) const;
    std::vector<std::vector<double>> heat(std::int64_t i) const;
    std::vector<std::vector<double>> bond_energies(std::int64_t i) const;
    std::vector<double> divided(Sum series, int component, std::int64_t i, double norm) const;
    /// The autocorrelation time of x, whose squares are x2, in measurements, from blocks of that level, of
    /// component `part` of all replicas or pairs; NaN if nothing varies.
    double tau(Sum x, Sum x2, int temperature, std::int64_t first, std::int64_t last, int level,
               int part = 0) const;

    const RunSums& run_;
    const BinnedSums blocks_;
    std::vector<std::vector<double>> count_;  ///< (level, block)
    double total_ = 0.0;
};

}  // namespace psflip
