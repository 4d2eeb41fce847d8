#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statistics/average/averages.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {

/// The thermal averages of all realizations of one lattice size.
struct DisorderSample {
    int L = 0;
    std::vector<double> temperature;  ///< ascending
    std::int64_t realizations = 0;
    std::vector<double> values[n_observables];  ///< (realization, temperature); thermal means
    /// (temperature) sums of shared_variance over the packs, of those with SharedNoise::known; empty: none
    /// shared
    std::vector<double> shared[n_observables] = {};
    /// (temperature) sums of shared_covariance over the packs, of shared_pairs; empty: none shared or not
    /// known
    std::vector<double> shared_pair[n_shared_pairs] = {};
    std::vector<std::int64_t> number = {};  ///< global numbers of the realizations; empty: 0, 1, ...
    int share = 1;                          ///< consecutive realizations that share random numbers
    /// (temperature) of a sample of one realization: the thermal error of its means, and the covariance of
    /// two means, of shared_pairs; empty where files do not have them.
    std::vector<double> thermal_error[n_observables] = {};
    std::vector<double> thermal_covariance[n_shared_pairs] = {};
    Measured measured = {};  ///< what all files of the size have

    int temperatures() const { return static_cast<int>(temperature.size()); }
    const std::vector<double>& operator[](Observable o) const { return values[static_cast<int>(o)]; }
};

using AverageCurve = std::vector<Estimate>;      ///< (temperature)
using AverageTable = std::vector<AverageCurve>;  ///< in the order of average_table; NaN: not of this study

/// binder = (3 - [q4] / [q2]^2) / 2; chi_sg = N [q2]; chi_kmin = N [kmin], chi at the smallest wave vector;
/// xi_over_L = sqrt([q2] / [kmin] - 1) / (2 L sin(pi / L)), NaN where [q2] < [kmin]; specific_heat is the
/// average of that of the realizations, beta^2 N ([e^2] - [<e>_a <e>_b]); q2_spread = [<q2>^2] / [q2]^2 - 1,
/// the relative variance of <q2> over realizations (A of Marinari et al., arXiv:cond-mat/9802309), 0 where
/// <q2> averages itself; guerra = ([<q2>^2] - [q2]^2) / ([q4] - [q2]^2) (their G), 1/3 by Guerra's relation
/// where it does not; its noise is large where both differences are small. q_link_variance = [<q_link^2> -
/// <q_link>^2]; q2_link_correlation = [<q^2 q_link> - <q^2><q_link>] / sqrt(q_link_variance [<q^4> -
/// <q^2>^2]), 1 where one overlap is a function of the other (Contucci et al., arXiv:cond-mat/0510663).
/// binder_m and xi_m_over_L: the same of m, of vectors binder_m = (5 - 3 [m4] / [m2]^2) / 2, which is 0 where
/// they point anywhere and 1 where they are parallel; binder_ms, chi_ms, xi_ms_over_L: of m_s; binder_qt =
/// (11 - 9 [qt4] / [qt2]^2) / 2, of a tensor of nine components. chi_m = beta N
/// ([m2] - [m_abs]^2), which with disorder includes how <|m|> differs between realizations; chi_m_connected =
/// beta N [m2 - <|m|>^2] does not; chi_m_total = N [m2]. chi_replicon = N [replicon], chi_replicon_kmin = N
/// [replicon_kmin], xi_replicon_over_L the same of them as xi_over_L, r12 = [replicon_kmin] /
/// [replicon_diagonal]. N = L^d in d dimensions. Those that end on _dbeta are derivatives by beta, from the
/// averages and their own derivatives.
double binder_of(double q2, double q4, int components = 1);
double xi_over_L_of(double q2, double kmin, int L);
/// Errors are those of the jackknife over realizations, with shared_error added in squares. Where
/// realizations share random numbers and shared_error does not know how much that adds: with 10 packs or more
/// the larger one of the jackknife's over realizations and over packs; with fewer the jackknife's over
/// realizations, or NaN at all temperatures if sharing adds more than a tenth at some temperature to the
/// errors of the averages beside it (energy and q^2 for derivatives, q_link and q^2 for overlaps of bonds,
/// m^2 for the magnetisation). Below least_realizations_of_spread the errors of q2_spread and guerra are NaN:
/// their distribution is skewed, and jackknife errors of 256 realizations are 1.14 times too small. Of one
/// realization errors are thermal, from blocks of its run, and NaN for functions of more than two averages.
AverageCurve disorder_average(const DisorderSample& sample, Average average);
inline constexpr std::int64_t least_realizations_of_spread = 512;
AverageTable disorder_averages(const DisorderSample& sample);

/// Those of `averages` that have values without errors at some temperature, because the noise that
/// realizations share is not known.
std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages);

/// The part of the error that comes from shared random numbers, per temperature: sqrt(max(0, S)) / R (times N
/// for chi_sg, chi_kmin and chi_m_total) with S of `shared`; for Binder ratios, xi/L and chi_m, functions f
/// of two averages, S = grad f^T S grad f with the 2 x 2 matrix S of `shared` and `shared_pair`. NaN where S
/// is NaN, 0 where `shared` is empty. Empty where that is not known, and the errors are those of the
/// jackknife: for chi_m_connected and those from q2_spread to q2_link_correlation, for derivatives, for
/// Binder ratios, xi/L and chi_m where `shared_pair` is empty, for chi_kmin where `shared` of kmin is.
std::vector<double> shared_error(const DisorderSample& sample, Average average);

/// Jackknife samples of a curve: what it is without the realizations of one group.
struct ResampledCurve {
    int L;
    std::vector<double> temperature, value;     ///< value: of all realizations
    std::vector<std::vector<double>> left_out;  ///< (group, temperature)
    std::vector<double> shared_error;           ///< of shared_error, 0 where there is none; NaN: not known
};

/// An average of every size. Realization r is in group r mod jackknife_groups, which is left out of all sizes
/// at once, because realizations of one number have couplings in common at different sizes; groups that no
/// size has are not there. Realizations of a pack are in different groups, as sharing never is wider than the
/// number of groups, so that noise that they share is not in these samples. The covariance of two numbers f
/// and h made of averages, of any sizes and temperatures, is (G-1)/G sum_g (f_g - mean f) (h_g - mean h) over
/// the G groups, with shared_error in squares added to the variances.
std::vector<ResampledCurve> resampled_curves(const std::vector<DisorderSample>& samples, Average average);
inline constexpr int jackknife_groups = 200;

/// The groups that any of the samples has, ascending: those of resampled_curves.
std::vector<int> groups_of(const std::vector<DisorderSample>& samples);

}  // namespace psflip
