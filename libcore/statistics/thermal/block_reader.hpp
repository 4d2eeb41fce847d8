#pragma once

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// How many neighbouring blocks are taken together, so that they are long against autocorrelation times.
struct BlockLength {
    int level = 0;            ///< 2^level blocks in one
    bool long_enough = true;  ///< as long_blocks; if not, the run is too short for errors from blocks
};

/// The sum that an observable is the mean of; std::invalid_argument where there is not one.
Sum sum_of(Observable observable);

/// Sums over the blocks of a run in intensive units: E/N, (E/N)^2, Q/N, |Q|/N, q^2, q^4, link per bond that
/// is there, its square, q^2 times it, and the mean over the axes of kmin_x, kmin_y, kmin_z; likewise
/// of the magnetisation, and of their products with the energy, which is that of all sites there; NaN where
/// the run does not have them. `i` is the place in (temperature, realization).
class BlockReader {
  public:
    /// The sweeps from averaged_from(discard) on, in as many nearly equal blocks as `blocks` equal ones of
    /// the whole run would have there; so blocks grow with the run. `run` must outlive the reader.
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

    /// The least number of blocks to be taken together that makes them long against the autocorrelation times
    /// of the energy and of q^2 (see order_parameter), measured with these blocks; at most until
    /// `least_blocks` are left. At one temperature, from the sums over realizations first to last - 1 of
    /// variances: one realization for its own errors, a pack for the noise that it shares.
    BlockLength block_length(int temperature, std::int64_t first, std::int64_t last) const;
    static constexpr int least_blocks = 4;

    /// The same at place i for the mean of a quantity that has a sign, such as m, q or a component of a
    /// moment. It remembers longer than its square does, so its blocks must be long against its own time.
    /// `x` sums the quantity and `x2` its square, in component `part` of each replica or pair.
    BlockLength signed_length(Sum x, Sum x2, int part, std::int64_t i) const;
    /// The longest blocks that there are.
    int longest() const { return static_cast<int>(count_.size()) - 1; }

    /// (block) sums of one replica or replica pair.
    std::vector<double> sums(Sum series, int component, std::int64_t i) const;
    /// (block) sums averaged over all replicas or pairs.
    std::vector<double> average(Sum series, std::int64_t i) const;
    /// Independent series (series, block) whose average is the observable, for error bars: energy, energy2
    /// and magnetisations have one per replica; overlaps (q to kmin) one, the average over pairs, because
    /// pairs share replicas. specific_heat, which is not linear, has one per replica with the same deviations
    /// to first order: beta^2 N (e2_b - 2 e_b <e>), <e> the mean of the other replicas (of the same one, if
    /// it is the only one). No series where there are no pairs. Throws std::invalid_argument for other
    /// observables.
    std::vector<std::vector<double>> independent(Observable observable, std::int64_t i) const;

  private:
    std::vector<std::vector<double>> heat(std::int64_t i) const;
    std::vector<std::vector<double>> bond_energies(std::int64_t i) const;
    std::vector<double> divided(Sum series, int component, std::int64_t i, double norm) const;
    /// Of x, whose squares are x2, in measurements, from blocks of that level, of component `part` of all
    /// replicas or pairs; NaN if nothing varies.
    double tau(Sum x, Sum x2, int temperature, std::int64_t first, std::int64_t last, int level,
               int part = 0) const;

    const RunSums& run_;
    const BinnedSums blocks_;
    std::vector<std::vector<double>> count_;  ///< (level, block)
    double total_ = 0.0;
};

}  // namespace psflip
