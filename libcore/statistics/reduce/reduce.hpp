#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Disorder averages over all observables files to the reduced file `out` and the table `csv` (empty: none).
/// Group /L<size>: temperatures, beta; for each average of disorder_average.hpp O and O_err (T), O_err_shared
/// (T) where O_err contains such a part (see shared_error), and O_passing and O_passing_err (T) over the
/// equilibrated realizations alone (see passing.hpp), a diagnostic; swap_rate (T-1); round_trips (T, all
/// equal: per walker and 10^6 sweeps, mean over realizations, each over the sweeps of its own run; walkers:
/// temperatures times replicas), equilibrated_fraction (T, all equal); tau_energy, tau_q2 (T) sweeps;
/// too_short (T) fraction of realizations whose runs are too short for thermal errors; log2_edges (B + 1),
/// log2_energy, log2_q2, log2_q_link and _err (B, T); paired_energy, paired_q2, paired_q_link, each with _err
/// and _z (K, T): means over realizations of the difference between the last half of a run and the log2 bin k
/// = 1 to K before it (PairedDifference); histogram_q_edges (bins + 1), histogram_q_width (bins),
/// histogram_density and _err (T, bins): see overlap_histogram.hpp, NaN in bins of width 0, sum of density
/// times width 1; realization, max_deviation, tau_walk (sweeps; not there with one temperature), equilibrated
/// (all realizations below disorder.realizations that there are), unequilibrated int64 (the numbers of those
/// that are not); hottest_sweeps (K), hottest_correlation and hottest_memory (K), hottest_time (1, sweeps;
/// infinite: not within the last of them), of all realizations, see hottest_slot.hpp (not in a field and not
/// of vector spins); jackknife/O (G, T) and /jackknife_groups (G), see jackknife_samples.hpp and
/// resampled_curves for the covariance of any fit; attributes n_realizations (in the averages), never_moved,
/// verdict_basis, stationary (1: the paired differences of the last three bins are within
/// equilibration.threshold_sigma, or test is none), largest_paired_z, warnings and warning_kinds (see
/// AnalysisWarning; a line each), replicas, physics, specific_heat_estimator, couplings_origin (only where
/// gen-disorder did not draw all couplings). log2 bins are those common to all files, so runs that were
/// extended show up to where all others end. results.csv: one row per size and temperature, columns as
/// csv_header(); numbers with as many digits as needed to read back the same double; nan where there is none,
/// swap_rate of slots (t, t+1) in row t and empty in the last. force: `out` and `csv` may be replaced
/// whatever they hold. Throws InputError as read_campaign, EnvironmentError where a file cannot be written.
/// `threads` (0: all cores) share the work; no number depends on them.
void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance,
                     bool force = false, int threads = 1);

/// What it checks of its inputs and of what its outputs would replace before it works; for --validate. An
/// empty name stands for an output that is not given.
void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads = 1);

}  // namespace psflip
