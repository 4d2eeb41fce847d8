#pragma once

// Collects the observables files of a study into one result per lattice size.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "statistics/analysis_warning.hpp"
#include "statistics/average/disorder_average.hpp"
#include "statistics/average/overlap_histogram.hpp"
#include "statistics/equilibrium/hottest_slot.hpp"
#include "statistics/equilibrium/paired_bins.hpp"
#include "statistics/running_average.hpp"

namespace psflip {

/// Holds the results of one lattice size, from its observables files. The results cover all realizations of
/// the files whose numbers are below disorder.realizations, in ascending order.
struct SizeResults {
    DisorderSample sample;
    DisorderSample passing;  ///< the equilibrated realizations: numbers and shared noise, without values
    std::string physics;
    std::map<std::string, std::string> file_hashes;  ///< path -> XXH64
    std::string couplings_origin;  ///< "3 of 8 files: by hand, ..."; empty if gen-disorder drew all
    int replicas = 0;
    /// One number per realization: verdict, largest deviation in sigma, autocorrelation time of the
    /// temperature walk.
    std::vector<std::uint8_t> equilibrated;
    std::vector<double> max_deviation;
    std::vector<double> tau_walk;               ///< sweeps; empty with one temperature
    HottestCurve hottest;                       ///< memory of the hottest temperature
    std::string verdict_basis;                  ///< what "equilibrated" rests on, see equilibration.hpp
    std::int64_t never_moved = 0;               ///< number of realizations in which nothing moved
    std::vector<AnalysisWarning> warnings;      ///< about verdicts and errors
    std::vector<std::int64_t> unequilibrated;   ///< numbers of the realizations that are not equilibrated
    RunningAverage swap_rate;                   ///< (temperatures - 1) of neighbouring slots
    RunningAverage round_trips;                 ///< (1), per walker and 10^6 sweeps
    HoudayerCounts houdayer;                    ///< (1, temperature) sums over the realizations
    std::vector<std::int64_t> log2_edges;       ///< (bins + 1) edges that all files have
    RunningAverage log2[n_binned_observables];  ///< (bin, temperature)
    PairedDifference paired[n_binned_observables];
    Drift drift;
    bool stationary = true;                     ///< false if the drift exceeds equilibration.threshold_sigma
    OverlapHistogram overlaps;                  ///< no bins with one replica
    RunningAverage histogram;                   ///< (temperature, bin) density of q
    std::vector<std::uint32_t> coldest_counts;  ///< (realization, bin) counts of q
    OverlapHistogram links;                     ///< no bins with one replica, or if a file lacks them
    RunningAverage link_histogram;              ///< (temperature, bin) density of q_link
    /// One number per realization at the coldest temperature; empty if a file lacks them.
    std::vector<std::int64_t> lowest_energy, lowest_count, lowest_first_half;
    /// Autocorrelation times in sweeps, (temperature): means over the realizations whose time is known.
    std::vector<double> tau_energy, tau_order;
    std::vector<double> too_short;  ///< (temperature) fraction of realizations with too short blocks

    /// Returns NaN if equilibrium was not tested (is_tested).
    double equilibrated_fraction() const;
    /// Returns clusters / moves of Houdayer moves, or sites / clusters, (temperature). NaN for 0 / 0. Empty
    /// if no moves were counted.
    std::vector<double> houdayer_acceptance() const;
    std::vector<double> houdayer_cluster_size() const;
};

/// Reads observables files of any batches and sizes, in any order, and returns one result per size. A result
/// includes the realizations with numbers below disorder.realizations. Files may lack some of them. The
/// result depends neither on the order of `paths` nor on how realizations are cut into files. Each file is
/// read with `threads` threads (0: all cores).
///
/// Errors: InputError, which names the files, if
/// - two files hold the same realization,
/// - the physics (seed, temperatures, replicas, ...) of a size differs between files or from the
///   configuration,
/// - the configuration does not list the size,
/// - realizations are not equilibrated, or averages drift, and equilibration.unequilibrated is `refuse`.
std::vector<SizeResults> read_campaign(const Config& config, const std::vector<std::string>& paths,
                                       int threads = 1);

/// Returns the disorder averages over the equilibrated realizations of a size; NaN for fewer than two. These
/// averages show how strongly the realizations that are not equilibrated change the averages. Do not use them
/// as a correction: slow realizations have several deep valleys, so the equilibrated realizations are not a
/// random sample of the disorder.
AverageTable passing_averages(const SizeResults& size);

}  // namespace psflip
