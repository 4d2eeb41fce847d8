#pragma once

#include <cstdint>
#include <vector>

#include "statistics/equilibrium/equilibration.hpp"
#include "statistics/observables.hpp"
#include "statistics/thermal/block_reader.hpp"

namespace psflip {

/// Thermal averages of one batch; every array is (temperature, realization).
struct ThermalMeans {
    std::vector<double> mean[n_observables], error[n_observables];
    std::vector<double> covariance[n_shared_pairs];  ///< of both means, with the square of Student's factor;
                                                     ///< empty unless there is one realization
    std::vector<double> tau_energy, tau_order;       ///< integrated autocorrelation times in sweeps
    std::vector<std::int32_t> blocks;                ///< that errors and times are from
    std::vector<std::uint8_t> too_short;  ///< 1 where even the longest blocks are short against tau
    std::vector<std::uint8_t> withheld;   ///< 1 where a susceptibility of vector spins is NaN (see below)
};

/// Means over the measurements that the reader has and their errors from its blocks, as many of them taken
/// together as BlockReader::block_length says of the realization:
/// - energy, energy2: block variance per replica; replicas are independent: error = sqrt(sum_a variance_a) /
/// replicas.
/// - q, ..., kmin: block means of the average over replica pairs (pairs that share a replica are correlated).
/// - energy_product: average of <e>_a <e>_b over distinct replicas, without bias; with one replica
///   <e>^2 - error(energy)^2, which removes only the part of the bias that the blocks know: with blocks short
///   against the autocorrelation time the specific heat is too low. It and specific_heat get their errors by
///   the jackknife over blocks.
/// - tau_energy = interval * n sum_a variance_a / (2 sum_a single_a), interval in sweeps between
/// measurements, and tau_order with
///   sums over pairs of the variances of q^2 (single measurements by q^4 - (q^2)^2). See block_errors.hpp for
///   limits.
/// - q2_product, q_link_product, q2_q_link_product: average of <x>_ab <y>_cd over pairs of replicas that have
///   none in common, without bias; with fewer than four replicas <x><y> less the covariance of these means,
///   good where the blocks are long. Errors by the jackknife over blocks.
/// - m, ..., m_kmin: like the energy, per replica.
/// - q, m, and the components of moments and sublattices, which have a sign: as many blocks taken together as
///   their own memory asks for (BlockReader::signed_length). The error is NaN where the run is too short.
/// - susceptibilities of vector spins: with those blocks; with one replica NaN where the run is too short,
///   because <M>^2 would then have most of the bias that is to be removed.
/// - q2_dbeta to m_kmin_dbeta: slope_of.
/// All errors have Student's factor (student_factor) of their degrees of freedom: blocks less one, times the
/// number of independent series. With one replica all overlaps are NaN. tau_order is that of q^2, or of m^2
/// where there are no overlaps.
ThermalMeans thermal_means(const BlockReader& reader, ThreadPool& pool = caller_alone());

/// The log2 test of one batch. sigma: (comparison, temperature, realization) for each observable.
struct EquilibrationTest {
    std::vector<std::int64_t> edges;  ///< of the bins of halving_edges, first to last
    std::vector<double> sigma_energy, sigma_order;
    std::vector<std::int32_t> dof_energy, dof_order;  ///< (temperature, realization)
    std::vector<Verdict> verdict;                     ///< (realization)
};

/// Energy (replicas as independent series) and q^2 (mean of pairs) or, where there are no overlaps, m^2
/// (replicas again) at every temperature, in the whole run. V
/// is that of `blocks` equal parts of it, or of half, a quarter, ... as many (16 or more), until they are
/// long against the autocorrelation time of the series (long_blocks).
EquilibrationTest test_equilibration(const RunSums& run, int blocks, double threshold,
                                     ThreadPool& pool = caller_alone());

/// (realization) 0 where nothing moved in the whole run: no replica's energy ever changed at any temperature,
/// and no swap was accepted. Nothing can be learnt from such a run about equilibrium.
std::vector<std::uint8_t> moved(const RunSums& run, ThreadPool& pool = caller_alone());

/// Means of energy (E/N), q^2, link (q_link) or m^2 per bin: (bin, temperature, realization), averaged over
/// replicas or pairs.
std::vector<double> bin_means(const RunSums& run, const BinnedSums& bins, Sum series,
                              ThreadPool& pool = caller_alone());

}  // namespace psflip
