#pragma once

// Computes thermal averages with errors for every realization and temperature.

#include <cstdint>
#include <vector>

#include "statistics/equilibrium/equilibration.hpp"
#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Holds the thermal averages of one batch. Every array has the axes (temperature, realization).
struct ThermalMeans {
    std::vector<double> mean[n_observables], error[n_observables];
    /// Covariances of the two means of each pair of observables in shared_pairs (observables.hpp), times the
    /// square of Student's factor. Empty unless there is one realization.
    std::vector<double> covariance[n_shared_pairs];
    std::vector<double> tau_energy, tau_order;  ///< integrated autocorrelation times in sweeps
    std::vector<std::int32_t> blocks;           ///< number of blocks behind errors and times
    std::vector<std::uint8_t> too_short;        ///< 1 if even the longest blocks are short compared with tau
    std::vector<std::uint8_t> withheld;         ///< 1 if a susceptibility of vector spins is NaN (see below)
};

/// Returns means over the measurements of the reader, with errors from its blocks. Blocks are merged to the
/// BlockReader::block_length of the realization.
/// - energy, energy2, m, ..., m_kmin: The variance is from the blocks of each replica. Replicas are
///   independent, so error = sqrt(sum_a variance_a) / replicas. With RunSums::correlated_replicas the
///   variance is from the blocks of the average over replicas.
/// - q, ..., kmin: The error is from block means of the average over replica pairs, because pairs that share
///   a replica are correlated.
/// - energy_product, m_abs_product: The mean is the average of <x>_a <x>_b over distinct replicas, without
///   bias. With one replica, or with correlated replicas, it is <x>^2 minus the variance of <x>. This removes
///   only the bias that blocks show: if blocks are short compared with the autocorrelation time, the specific
///   heat is too low. The errors of products and of specific_heat are from the jackknife over blocks.
/// - tau_energy = interval * n sum_a variance_a / (2 sum_a single_a). There are n measurements, `interval`
///   sweeps apart. variance_a is the variance of the mean of replica a, and single_a is the variance of a
///   single measurement. See block_errors.hpp for limits.
/// - tau_order is computed in the same way from q^2, with sums over pairs. The variance of a single
///   measurement of q^2 is <q^4> - <q^2>^2. Runs without overlaps use m^2 instead, with sums over replicas.
/// - q2_product, q_link_product, q2_q_link_product: The mean is the average of <x>_ab <y>_cd over disjoint
///   pairs of replicas, without bias. With fewer than four replicas, or with correlated replicas, it is
///   <x><y> minus the covariance of these means. This is good if the blocks are long. Errors are from the
///   jackknife over blocks.
/// - q, m, and the components of moments and sublattices have a sign. Their blocks are long compared with the
///   autocorrelation time of the quantity (BlockReader::signed_length). The error is NaN if the run is too
///   short.
/// - Susceptibilities of vector spins use these blocks, too. With one replica they are NaN if the run is too
///   short, because <M>^2 would keep most of its bias.
/// - q2_dbeta to m_kmin_dbeta are from products with the energy.
///
/// All errors contain Student's factor (student_factor) for their degrees of freedom: the number of blocks
/// minus one, times the number of independent series. With one replica all overlaps are NaN.
ThermalMeans thermal_means(const BlockReader& reader, ThreadPool& pool = caller_alone());

/// Holds the log2 test of one batch. `sigma_...` has the axes (comparison, temperature, realization).
struct EquilibrationTest {
    std::vector<std::int64_t> edges;  ///< edges of the log2 bins, by halving_edges
    std::vector<double> sigma_energy, sigma_order;
    std::vector<std::int32_t> dof_energy, dof_order;  ///< (temperature, realization)
    std::vector<Verdict> verdict;                     ///< (realization)
};

/// Tests the energy (one series per replica) and q^2 (mean over pairs) at every temperature, in the whole
/// run. In runs without overlaps, m^2 (one series per replica) replaces q^2. Correlated replicas give one
/// series. The quantity V of log2_deviation (equilibrium/equilibration.hpp) comes from `blocks` equal parts
/// of the run. The number of parts is halved until the parts are long compared with the autocorrelation time
/// of the series (long_blocks). Halving stops if the number is odd or below 32.
EquilibrationTest test_equilibration(const RunSums& run, int blocks, double threshold,
                                     ThreadPool& pool = caller_alone());

/// Returns 0 for each realization in which nothing moved in the whole run, otherwise 1. Nothing moved if no
/// energy of a replica changed at any temperature and no exchange was accepted. Such a run shows nothing
/// about equilibrium.
std::vector<std::uint8_t> moved(const RunSums& run, ThreadPool& pool = caller_alone());

/// Returns the means of energy (E/N), q^2, q_link or m^2 in each bin, averaged over replicas or pairs: (bin,
/// temperature, realization).
std::vector<double> bin_means(const RunSums& run, const BinnedSums& bins, Sum series,
                              ThreadPool& pool = caller_alone());

}  // namespace psflip
