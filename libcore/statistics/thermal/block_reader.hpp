#pragma once

// Reads series of blocks from the sums of a run, for errors of thermal averages.

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Says how many neighbouring blocks to merge, so that merged blocks are long compared with autocorrelation
/// times.
struct BlockLength {
    int level = 0;            ///< 2^level blocks are merged into one
    bool long_enough = true;  ///< see long_blocks; false if the run is too short for errors from blocks
};

/// Returns the sum that an observable is the mean of. Errors: std::invalid_argument if there is no such sum.
Sum sum_of(Observable observable);

/// Reads sums over the blocks of a run in intensive units: E/N, (E/N)^2, q = Q/N, |q|, q^2, q^4, q_link (per
/// present bond), q_link^2, q^2 q_link, and the mean of kmin_x, kmin_y and kmin_z. Magnetisations are divided
/// as overlaps. Products with the energy contain E, not E/N. Sums that the run lacks are NaN. The argument
/// `i` is the index in (temperature, realization).
class BlockReader {
  public:
    /// Reads the sweeps from averaged_from(discard) on, in nearly equal blocks. The whole run would have
    /// `blocks` of them, so the length of a block grows with the run. `run` must outlive the reader.
    BlockReader(const RunSums& run, int blocks, double discard, ThreadPool& pool = caller_alone());
    /// Reads the given bins of the run. `run` must outlive the reader.
    BlockReader(const RunSums& run, BinnedSums blocks);

    const RunSums& run() const { return run_; }
    const BlockDivision& division() const { return blocks_; }
    std::int64_t from() const { return blocks_.edges.front(); }  ///< sweeps since the end of thermalization
    double sweeps() const { return static_cast<double>(blocks_.edges.back() - blocks_.edges.front()); }
    double total() const { return total_; }  ///< measurements in all blocks
    /// Returns the number of measurements of each block, (block), after 2^level blocks are merged into one.
    const std::vector<double>& count(int level = 0) const { return count_[level]; }

    /// Returns the length of the shortest blocks that are long compared with the autocorrelation times of the
    /// energy and of the order_parameter. These blocks also give the times. At least `min_blocks` blocks
    /// remain. The times belong to one temperature, with variances summed over the realizations first <= r <
    /// last. Pass one realization for its own errors, or a share group for its shared noise.
    BlockLength block_length(int temperature, std::int64_t first, std::int64_t last) const;
    static constexpr int min_blocks = 4;

    /// Returns the length of blocks at index i for the mean of a quantity with a sign, such as m, q or a
    /// component of a moment. Such a quantity has a longer autocorrelation time than its square, so its own
    /// time decides. `x` sums the quantity and `x2` its square, in component `part` of each replica or pair.
    BlockLength signed_length(Sum x, Sum x2, int part, std::int64_t i) const;
    /// Returns the level of the longest blocks.
    int longest() const { return static_cast<int>(count_.size()) - 1; }

    /// Returns the sums (block) of one replica or replica pair.
    std::vector<double> sums(Sum series, int component, std::int64_t i) const;
    /// Returns the sums (block) averaged over all replicas or pairs.
    std::vector<double> average(Sum series, std::int64_t i) const;
    /// Returns independent series (series, block) whose average is the observable, for error bars.
    /// - Energies and magnetisations have one series per replica. With RunSums::correlated_replicas they have
    ///   one series, the average over replicas.
    /// - Overlaps have one series, the average over pairs, because pairs share replicas. With one replica
    ///   they have no series.
    /// - specific_heat is not linear in the sums. It has one series per replica with the same deviations to
    ///   first order: beta^2 N (e2_b - 2 e_b <e>). e_b and e2_b are block sums of E/N and (E/N)^2. <e> is the
    ///   mean of the other replicas, or, with one replica, its mean.
    ///
    /// Errors: std::invalid_argument for other observables.
    std::vector<std::vector<double>> independent(Observable observable, std::int64_t i) const;

  private:
    /// Returns one series per replica.
    std::vector<std::vector<double>> of_replicas(Observable observable, std::int64_t i) const;
    template <class IsLong>
    BlockLength shortest(const IsLong& is_long) const;
    std::vector<std::vector<double>> heat(std::int64_t i) const;
    std::vector<std::vector<double>> bond_energies(std::int64_t i) const;
    std::vector<double> divided(Sum series, int component, std::int64_t i, double norm) const;
    /// Returns the autocorrelation time of x in measurements, from blocks of `level`. `x2` sums the squares
    /// of x. Variances are summed over component `part` of all replicas or pairs of the realizations first <=
    /// r < last. Returns NaN if nothing varies.
    double tau(Sum x, Sum x2, int temperature, std::int64_t first, std::int64_t last, int level,
               int part = 0) const;

    const RunSums& run_;
    const BinnedSums blocks_;
    std::vector<std::vector<double>> count_;  ///< (level, block)
    double total_ = 0.0;
};

}  // namespace psflip
