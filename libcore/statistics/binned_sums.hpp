#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "measure/run_grid.hpp"
#include "measure/sums.hpp"
#include "measure/two_time.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

/// Sums over the measurements of consecutive bins of sweeps; bin b covers (edges[b], edges[b+1]]. Integer
/// sums are exact in double (below 2^53). The sums of the axes y and z are empty: the sums of x contain them,
/// as in run files (measure/stored_sums.hpp).
struct BinnedSums : BlockDivision {
    /// (bin, component, temperature or walker, realization), see measure/sums.hpp.
    std::vector<double> sums[n_sums];

    int bins() const { return static_cast<int>(count.size()); }
    const std::vector<double>& operator[](Sum sum) const { return sums[static_cast<int>(sum)]; }
    std::vector<double>& operator[](Sum sum) { return sums[static_cast<int>(sum)]; }
};

/// Appends the bins of `next`, which must begin where `sums` ends.
void append_bins(BinnedSums& sums, const BinnedSums& next);

/// Adds up bins, in their order, so that `edges` remain. The edges must be a subset of sums.edges with the
/// last one. Bins before the first edge are left out. `only`: the sums to merge, all if empty; others stay
/// empty.
BinnedSums merge_bins(const BinnedSums& sums, const std::vector<std::int64_t>& edges,
                      const std::vector<Sum>& only = {}, ThreadPool& pool = caller_alone());

/// A subset of `edges` such that going down from the last edge n each next one is the edge nearest (by ratio;
/// the lower of two equally near) to half of the one before: n, n/2, n/4, ..., down to the first edge.
std::vector<std::int64_t> halving_edges(const std::vector<std::int64_t>& edges);

/// A subset of `edges`: the edges nearest to the ends of `parts` equal parts.
std::vector<std::int64_t> equal_edges(const std::vector<std::int64_t>& edges, int parts);

/// The largest of `edges` that is at most `discard` of the last one: where the averages of a run begin.
std::int64_t averaged_from(const std::vector<std::int64_t>& edges, double discard);

/// The edges from the edge `from` on; std::invalid_argument if there is no such edge.
std::vector<std::int64_t> later_edges(const std::vector<std::int64_t>& edges, std::int64_t from);

/// All sums of one batch of realizations from one or several consecutive run files.
struct RunSums {
    int L = 0, replicas = 0, temperatures = 0;
    Model model;
    Measured measured;  ///< what all run files have
    std::int64_t first_realization = 0, realizations = 0;
    std::int64_t run_first = 0, run_last = 0;  ///< sweeps (first, last] since the end of thermalization
    std::vector<double> temperature;           ///< ascending
    std::vector<double> bonds;                 ///< (realization) number of present bonds; empty: all
    std::string physics, couplings_hash;
    std::map<std::string, std::string> file_hashes;  ///< of the run files: path -> XXH64
    RunGrid grid;
    BinnedSums blocks;                          ///< the grid's; energies with their part of the field
    std::vector<std::uint32_t> histogram;       ///< (temperature, bin, realization)
    std::vector<std::uint32_t> link_histogram;  ///< the same; empty: not known
    /// (block, replica, realization), see Accumulators; empty: not known
    std::vector<std::int64_t> lowest_energy, lowest_count;
    std::vector<std::int64_t> accepted;     ///< (realization, replica, pair of slots)
    std::vector<std::int64_t> attempted;    ///< (pair of slots)
    std::vector<std::int64_t> round_trips;  ///< (realization, replica)
    TwoTimeOverlaps hottest;                ///< of the last run file, see hottest_slot.hpp

    /// Replica pairs with overlaps.
    int pairs() const { return measured.overlaps ? replicas * (replicas - 1) / 2 : 0; }
    /// Sites, and bonds of the lattice, absent ones included.
    double sites() const { return std::pow(L, model.dimension); }
    double lattice_bonds() const { return model.dimension * sites(); }
    /// The largest energy of the bonds of a lattice, or of all terms if energies are real numbers.
    double largest_energy() const {
        return measured.real_energies() ? model.largest_energy() * sites() : lattice_bonds();
    }
    /// The number of bonds of realization r; 1 if it has none, so that quantities per bond are 0.
    double bonds_of(std::int64_t r) const {
        return bonds.empty() ? lattice_bonds() : std::max(1.0, bonds[r]);
    }
    /// The divisor that makes the sum of a realization intensive.
    double divisor(Sum sum, std::int64_t r) const {
        switch (info(sum).values.divisor) {
            case Divisor::one:
                return 1.0;
            case Divisor::sites:
                return sites();
            case Divisor::sites_squared:
                return sites() * sites();
            case Divisor::bonds:
                return bonds_of(r);
            case Divisor::bonds_squared:
                return bonds_of(r) * bonds_of(r);
            case Divisor::axes:
                return model.dimension;
        }
        return 1.0;
    }
    int components(Sum sum) const { return components_of(info(sum).per, replicas); }
    /// Elements of (temperature, realization).
    std::int64_t row() const { return temperatures * realizations; }
};

/// Adds a consecutive run of the same batch: bins appended, counts added.
void append_run(RunSums& sums, const RunSums& next);

}  // namespace psflip
