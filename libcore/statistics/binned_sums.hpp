#pragma once

// Holds and merges the sums of a run in bins of sweeps.

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
#include "sweep/houdayer.hpp"

namespace psflip {

/// Holds sums over the measurements of consecutive bins of sweeps. Bin b covers the sweeps edges[b] + 1 to
/// edges[b+1]. Integer sums are exact in double (below 2^53). Run files add the modes along x, y and z of a
/// lattice (measure/stored_sums.hpp). Sums such as kmin_x therefore hold the total of these modes, and kmin_y
/// and kmin_z are empty.
struct BinnedSums : BlockDivision {
    /// Axes (bin, component, temperature or walker, realization), see measure/sums.hpp.
    std::vector<double> sums[n_sums];

    int bins() const { return static_cast<int>(count.size()); }
    const std::vector<double>& operator[](Sum sum) const { return sums[static_cast<int>(sum)]; }
    std::vector<double>& operator[](Sum sum) { return sums[static_cast<int>(sum)]; }
};

/// Appends the bins of `next`. Errors: std::invalid_argument if `next` does not begin where `sums` ends.
void append_bins(BinnedSums& sums, const BinnedSums& next);

/// Adds up bins, in their order, to bins with the given edges. The edges are a subset of sums.edges and
/// include its last edge. Bins before the first of `edges` are left out. If `only` is not empty, only these
/// sums are merged and all others are empty. Errors: std::invalid_argument for other edges.
BinnedSums merge_bins(const BinnedSums& sums, const std::vector<std::int64_t>& edges,
                      const std::vector<Sum>& only = {}, ThreadPool& pool = caller_alone());

/// Returns the edges that are nearest to n, n/2, n/4, ..., in ascending order, where n is the last edge. The
/// choice starts at n. After an edge c, it takes the edge below c whose ratio to c / 2 is nearest to 1 (of
/// two equally near edges, the lower one). It ends at the first edge.
std::vector<std::int64_t> halving_edges(const std::vector<std::int64_t>& edges);

/// Cuts the range of `edges` into `parts` equal parts. Returns the entry of `edges` that is nearest to each
/// end of a part, ascending, without repetitions.
std::vector<std::int64_t> equal_edges(const std::vector<std::int64_t>& edges, int parts);

/// Returns the edge at which the averages of a run begin: the largest edge that is at most `discard` times
/// the last edge.
std::int64_t averaged_from(const std::vector<std::int64_t>& edges, double discard);

/// Returns the edges from the edge `from` on. Errors: std::invalid_argument if there is no such edge.
std::vector<std::int64_t> edges_from(const std::vector<std::int64_t>& edges, std::int64_t from);

/// Holds all sums of one batch of realizations, from one or several consecutive run files.
struct RunSums {
    int L = 0, replicas = 0, temperatures = 0;
    Model model;
    Measured measured;  ///< the quantities that all run files have
    std::int64_t first_realization = 0, realizations = 0;
    std::int64_t run_first = 0, run_last = 0;  ///< sweeps (first, last] since the end of thermalization
    std::vector<double> temperature;           ///< ascending
    std::vector<double> bonds;  ///< (realization) number of present bonds; empty if all bonds are present
    /// True if Houdayer moves exchange clusters between replicas, so that time averages of replicas are
    /// correlated. Errors then use one series, the average over replicas. The covariance of two means is
    /// subtracted from their product.
    bool correlated_replicas = false;
    std::string physics, couplings_hash;
    std::map<std::string, std::string> file_hashes;  ///< of the run files: path -> XXH64
    RunGrid grid;
    BinnedSums blocks;                          ///< sums in the blocks of `grid`; energies include the field
    std::vector<std::uint32_t> histogram;       ///< (temperature, bin, realization)
    std::vector<std::uint32_t> link_histogram;  ///< (temperature, bin, realization); empty if not known
    /// Lowest energy of a block at the coldest temperature, and the number of measurements with this energy:
    /// (block, replica, realization). Empty if not known.
    std::vector<std::int64_t> lowest_energy, lowest_count;
    std::vector<std::int64_t> accepted;     ///< (realization, replica, pair of slots)
    std::vector<std::int64_t> attempted;    ///< (pair of slots)
    std::vector<std::int64_t> round_trips;  ///< (realization, replica)
    HoudayerCounts houdayer;                ///< of the run files that have them
    TwoTimeOverlaps hottest;                ///< from the last run file, see hottest_slot.hpp

    /// Returns the number of replica pairs; 0 if the runs have no overlaps.
    int pairs() const { return measured.overlaps ? replicas * (replicas - 1) / 2 : 0; }
    /// Return the number of sites and the number of bonds of a lattice. lattice_bonds() includes absent
    /// bonds.
    double sites() const { return std::pow(L, model.dimension); }
    double lattice_bonds() const { return model.dimension * sites(); }
    /// Returns an upper limit of |E| in run files. For discrete couplings, this is the limit of the bonds
    /// alone. For vector spins and Gaussian couplings, this is the limit of all terms of the energy.
    double max_energy() const {
        return measured.real_energies() ? model.max_energy() * sites() : lattice_bonds();
    }
    /// Returns the number of present bonds of realization r, or 1 if it has none, so that quantities per bond
    /// are 0.
    double bonds_of(std::int64_t r) const {
        return bonds.empty() ? lattice_bonds() : std::max(1.0, bonds[r]);
    }
    /// Returns the divisor that makes the sum of a realization intensive.
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
    /// Returns the number of elements of an array (temperature, realization).
    std::int64_t row() const { return temperatures * realizations; }
};

/// Appends the bins and adds the counts of the next run of the same batch. Sums and lowest energies that are
/// missing in one of the runs are dropped. Errors: std::invalid_argument if `next` does not begin where
/// `sums` ends, or if the runs have different shapes.
void append_run(RunSums& sums, const RunSums& next);

}  // namespace psflip
