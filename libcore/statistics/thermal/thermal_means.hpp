#pragma once

#include <cstdint>
#include <vector>

#include "statistics/equilibrium/equilibration.hpp"
#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Holds thermal averages of one batch. Every array is (temperature, realization).
struct ThermalMeans {
    std::vector<double> mean[n_observables], error[n_observables];
    /// Covariance of both means, with the square of Student's factor; empty unless there is one realization.
    std::vector<double> covariance[n_shared_pairs];
    std::vector<double> tau_energy, tau_order;  ///< integrated autocorrelation times in sweeps
    std::vector<std::int32_t> blocks;           ///< number of blocks behind errors and times
    std::vector<std::uint8_t> too_short;        ///< 1 if even the longest blocks are short compared with tau
    std::vector<std::uint8_t> withheld;         ///< 1 if a susceptibility of vector spins is NaN (see below)
};

/// Returns means over the measurements of the reader, with errors from its blocks. Blocks are merged as
/// BlockReader::block_length says for the realization:
/// - energy, energy2, m, ..., m_kmin: block variance per replica; replicas are independent: error =
///   sqrt(sum_a variance_a) / replicas.
/// - q, ..., kmin: block means of the average over replica pairs, because pairs that share a replica are
///   correlated.
/// - energy_product, m_abs_product: average of <x>_a <x>_b over distinct replicas, without bias. With one
///   replica <x>^2 less the variance of <x>, which removes only the bias that blocks show. If the blocks are
///   short against the autocorrelation time, the specific heat is too low then. Errors of products and of
///   specific_heat by the jackknife over blocks.
/// - tau_energy = interval * n sum_a variance_a / (2 sum_a single_a), with the interval between measurements
///   in sweeps. tau_order has sums over pairs of the variances of q^2 (single measurements by q^4 - (q^2)^2),
///   or of m^2 without overlaps. See block_errors.hpp for limits.
/// - q2_product, q_link_product, q2_q_link_product: average of <x>_ab <y>_cd over disjoint pairs of replicas,
///   without bias. With fewer than four replicas <x><y> less the covariance of these means, which is good if
///   the blocks are long. Errors by the jackknife over blocks.
/// - q, m, and the components of moments and sublattices, which have a sign: blocks that are long against
///   their own memory (BlockReader::signed_length). The error is NaN if the run is too short.
/// - susceptibilities of vector spins: with the same blocks. With one replica they are NaN if the run is too
///   short, because <M>^2 would keep most of its bias.
/// - q2_dbeta to m_kmin_dbeta: from products with the energy.
/// All errors have Student's factor (student_factor) of their degrees of freedom: blocks less one, times the
/// number of independent series. With one replica all overlaps are NaN.
ThermalMeans thermal_means(const BlockReader& reader, ThreadPool& pool = caller_alone());

/// Holds the log2 test of one batch. sigma is (comparison, temperature, realization) for each observable.
struct EquilibrationTest {
    std::vector<std::int64_t> edges;  ///< edges of the bins of halving_edges, first to last
    std::vector<double> sigma_energy, sigma_order;
    std::vector<std::int32_t> dof_energy, dof_order;  ///< (temperature, realization)
    std::vector<Verdict> verdict;                     ///< (realization)
};

/// Tests the energy (replicas as independent series) and q^2 (mean over pairs) at every temperature, in the
/// whole run. Without overlaps m^2 (replicas again) replaces q^2. V is from `blocks` equal parts of the run.
/// The number of parts is halved, down to 16, until the parts are long compared with the autocorrelation time
/// of the series (long_blocks).
EquilibrationTest test_equilibration(const RunSums& run, int blocks, double threshold,
                                     ThreadPool& pool = caller_alone());

/// Returns for each realization 0 if nothing moved in the whole run: no energy of a replica ever changed at
/// any temperature, and no exchange was accepted. Such a run shows nothing about equilibrium.
std::vector<std::uint8_t> moved(const RunSums& run, ThreadPool& pool = caller_alone());

/// Returns means of energy (E/N), q^2, link (q_link) or m^2 per bin: (bin, temperature, realization),
/// averaged over replicas or pairs.
std::vector<double> bin_means(const RunSums& run, const BinnedSums& bins, Sum series,
                              ThreadPool& pool = caller_alone());

}  // namespace psflip
