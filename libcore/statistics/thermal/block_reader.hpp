// Reads the sums of a run as blocks in intensive units, long enough for errors.
#pragma once

#include <cstdint>
#include <vector>

#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Says how many neighbouring blocks are merged, so that they are long compared with autocorrelation times.
struct BlockLength {
    int level = 0;            ///< 2^level blocks are merged into one
    bool long_enough = true;  ///< as long_blocks; false: the run is too short for errors from blocks
};

/// Returns the sum that an observable is the mean of. Errors: std::invalid_argument if no such sum exists.
Sum sum_of(Observable observable);

/// Reads sums over the blocks of a run in intensive units: E/N, (E/N)^2, Q/N, |Q|/N, q^2, q^4, link per
/// present bond, its square, its product with q^2, and the mean over the axes of kmin_x, kmin_y, kmin_z.
/// Magnetisations have the units of overlaps. Products with the energy have the energy of all sites. Sums
/// that the run does not have are NaN. `i` is the index in (temperature, realization).
class BlockReader {
  public:
    /// Takes the sweeps from averaged_from(discard) on, in nearly equal blocks. The whole run would have
    /// `blocks` blocks, so blocks grow with the run. `run` must outlive the reader.
    BlockReader(const RunSums& run, int blocks, double discard, ThreadPool& pool = caller_alone());
    /// Takes any bins of the run, which must outlive the reader.
    BlockReader(const RunSums& run, BinnedSums blocks);

    const RunSums& run() const { return run_; }
    const BlockDivision& division() const { return blocks_; }
    /// Returns the beginning of the blocks, in sweeps since the end of thermalization.
    std::int64_t from() const { return blocks_.edges.front(); }
    double sweeps() const { return static_cast<double>(blocks_.edges.back() - blocks_.edges.front()); }
    double total() const { return total_; }  ///< number of measurements in all blocks
    /// Returns the numbers of measurements, (block).
    const std::vector<double>& count(int level = 0) const { return count_[level]; }

    /// Returns the shortest merged blocks that are long compared with the autocorrelation times of the energy
    /// and of q^2 (see order_parameter), measured with these blocks. At least `least_blocks` blocks remain.
    /// The times are at one temperature, from sums of variances over the realizations first, ..., last - 1:
    /// one realization for its own errors, a pack for the noise that it shares.
    BlockLength block_length(int temperature, std::int64_t first, std::int64_t last) const;
    static constexpr int least_blocks = 4;

    /// Returns the length of blocks at place i for the mean of a quantity that has a sign, such as m, q or a
    /// component of a moment. The quantity remembers longer than its square, so its blocks must be long
    /// compared with its own time. `x` sums the quantity and `x2` its square, in component `part` of each
    /// replica or pair.
    BlockLength signed_length(Sum x, Sum x2, int part, std::int64_t i) const;
    /// Returns the level of the longest possible blocks.
    int longest() const { return static_cast<int>(count_.size()) - 1; }

    /// Returns sums of one replica or replica pair, (block).
    std::vector<double> sums(Sum series, int component, std::int64_t i) const;
    /// Returns sums averaged over all replicas or pairs, (block).
    std::vector<double> average(Sum series, std::int64_t i) const;
    /// Returns independent series, (series, block), whose average is the observable, for error bars. Energies
    /// and magnetisations have one series per replica. Overlaps have one, the average over pairs, because
    /// pairs share replicas; without pairs they have none. specific_heat, which is not linear, has one per
    /// replica with equal deviations to first order: beta^2 N (e2_b - 2 e_b <e>). Here <e> is the mean of the
    /// other replicas, or its own mean with one replica. Errors: std::invalid_argument for other observables.
    std::vector<std::vector<double>> independent(Observable observable, std::int64_t i) const;

  private:
    template <class IsLong>
    BlockLength shortest(const IsLong& is_long) const;
    std::vector<std::vector<double>> heat(std::int64_t i) const;
    std::vector<std::vector<double>> bond_energies(std::int64_t i) const;
    std::vector<double> divided(Sum series, int component, std::int64_t i, double norm) const;
    /// Returns the autocorrelation time of x in measurements, from blocks of `level`. x2 sums its squares.
    /// `part` is the component of all replicas or pairs. Returns NaN if nothing varies.
    double tau(Sum x, Sum x2, int temperature, std::int64_t first, std::int64_t last, int level,
               int part = 0) const;

    const RunSums& run_;
    const BinnedSums blocks_;
    std::vector<std::vector<double>> count_;  ///< (level, block)
    double total_ = 0.0;
};

}  // namespace psflip
