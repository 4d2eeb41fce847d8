#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "model/model.hpp"
#include "statistics/analysis_warning.hpp"
#include "statistics/binned_sums.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// Measures the relaxation time of the hottest temperature without exchange. Exchange brings every walker to
/// the hottest temperature. If spins do not decorrelate at this temperature, exchange only permutes
/// configurations that never leave their valleys. Neither fast walkers nor means without drift show this.
///
/// After the end of the run, the lattices in the hottest slot are swept without exchange. S(t) = sum_i s_i(0)
/// s_i(t) is the autocorrelation of one lattice, t sweeps after the end of the run. q is the overlap of
/// two replicas in this slot. <> averages over replicas, and [] over a set of realizations. The memory of the
/// set of realizations is
///     c(t) = ([<S(t)^2> / N^2] - [<q^2>]) / (1 - [<q^2>]).
/// - c is 1 if nothing has moved.
/// - c is 0 if a lattice is as far from its own past as from another replica. In equilibrium both distances
///   become equal at long times (R. N. Bhatt and A. P. Young, Phys. Rev. Lett. 54, 924 (1985)).
/// - c stays above 0 if replicas never leave their valleys, and also if q^2 is too small because the replicas
///   have not found their valleys.
/// - Like q^2, c does not change if a whole lattice flips. Close to the transition, such flips take 30 times
///   as long as all other changes.
/// - With one replica, or in a ferromagnet, there is no q, and c(t) = [<S(t)>] / N.
/// - Lattices in a field are not tested. In a field S(t) has a limit above 0, which is unknown with one
///   replica.
///
/// With one temperature, this is the only strong test of equilibrium. Lattices of a ferromagnet then start
/// with all spins up instead of with the spins at the end of the run. S(t) is their magnetisation M(t), and
///     c(t) = ([<M(t)^2> / N^2] - [<m^2>]) / (1 - [<m^2>]),
/// with the magnetisation per site m of the run. From this start m^2 falls to its equilibrium value, while a
/// run from random spins rises to it. c compares both values.
///
/// The relaxation time of a set is the first t with c <= `forgotten`, interpolated between recorded times in
/// log t. If c stays above `forgotten`, this time is infinite. The relaxation time of a realization is the
/// longer of two times:
/// - the time of its group of max(share, 32) consecutive realizations. Groups start at multiples of their
///   size, so their times do not depend on how realizations are cut into files.
/// - the first recorded t at which the c of this realization is at most `clearly_less` (`clearly_less_single`
///   without a reference q^2 or m^2). Both limits are far above the noise of single lattices. This time finds
///   single realizations that are stuck.
inline constexpr double forgotten = 0.1, clearly_less = 0.4, clearly_less_single = 0.7;

/// Holds the autocorrelation and the relaxation times of the realizations of one batch.
struct HottestMemory {
    std::vector<std::int64_t> sweeps;         ///< recorded times, K of them; empty if not known
    std::vector<double> correlation, square;  ///< (K, realization) means over replicas of S / N, (S / N)^2
    std::vector<double> time;                 ///< (realization) sweeps
};

/// Returns whether c(t) is computed. It is not computed in a field, and runs of vector spins do not record
/// S(t).
bool has_hottest_memory(const Measured& measured);

/// Returns the two-time overlaps of a run file; empty without has_hottest_memory. Errors: InputError for
/// impossible values.
TwoTimeOverlaps read_hottest(const InputFile& file, const RunSums& run);

/// Returns the observable that S(t)^2 / N^2 is compared with: q^2, or m^2 for a ferromagnet with one
/// temperature. Returns nothing if c(t) is [<S(t)>] / N.
std::optional<Observable> hottest_reference(const Measured& measured, int replicas, int temperatures);

/// Computes the memory of a batch. `reference` points to one mean of hottest_reference in the hottest slot
/// for each realization; nullptr if there is no reference. `share` is multispin.share.
HottestMemory hottest_memory(const RunSums& run, const double* reference, int share);

/// Writes the datasets /equilibration/hottest_...; nothing if `memory` is not known.
void write_hottest_memory(OutputFile& file, const HottestMemory& memory);

/// Holds the mean memory of all realizations of one size.
struct HottestCurve {
    std::vector<std::int64_t> sweeps;         ///< recorded times that all files have, K of them
    std::vector<double> correlation, memory;  ///< (K) [<S>] / N and c
    double time = 0.0;                        ///< sweeps
    std::int64_t cold = 0;     ///< number of realizations whose runs are too short for their relaxation time
    double temperature = 0.0;  ///< of the hottest slot
    int temperatures = 0;
    std::optional<Observable> reference;
};

/// Returns a clause that says what is wrong with a realization whose run is too short for its relaxation
/// time.
std::string hottest_fault(std::optional<Observable> reference, int temperatures);

/// Collects the memory curve of a size from observables files, realization by realization.
class HottestMean {
  public:
    /// Adds the first `counted` of the `count` realizations of a file. Errors: InputError for impossible
    /// values.
    void add(const InputFile& file, std::int64_t count, std::int64_t counted,
             std::optional<Observable> reference);
    HottestCurve curve() const;

  private:
    struct Sums {
        double correlation = 0.0, square = 0.0;
        std::int64_t files = 0;
    };
    std::map<std::int64_t, Sums> at_;  ///< by recorded time in sweeps
    double reference_ = 0.0, realizations_ = 0.0;
    std::int64_t files_ = 0;
    HottestCurve curve_;
};

/// Returns a warning with a remedy if the runs of more than 1% of the realizations are too short. Above k_B T
/// / J = 4 times the dimension, a Metropolis sweep flips most spins. Configurations then nearly return after
/// two sweeps. The higher the temperature, the more slowly they decorrelate. The remedy is then
/// dynamics.update: heat-bath.
AnalysisWarning hottest_warning(const HottestCurve& curve, std::int64_t realizations, const Model& model);

}  // namespace psflip
