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

/// How long the hottest slot remembers its spins by itself. Exchange brings every walker to the hottest
/// temperature. If that temperature does not decorrelate either, exchange only permutes configurations that
/// never change valley, and neither fast walkers nor means without drift show it.
///
/// S(t) = sum_i s_i(0) s_i(t) of a lattice of the hottest slot swept without exchange, q is the overlap of
/// two replicas there. The memory of a set of realizations is
///     m(t) = ([<S(t)^2> / N^2] - [<q^2>]) / (1 - [<q^2>]),
/// <> over replicas, [] over the realizations of the set. It is 1 if nothing has moved, and 0 if a lattice is
/// as far from its own past as from another replica (R. N. Bhatt and A. P. Young, Phys. Rev. Lett. 54, 924
/// (1985): the two meet in equilibrium). Replicas in valleys that they do not leave keep it above 0. So do
/// values of q^2 that are too small because the replicas have not found their valleys. Like q^2 it does not
/// see the spins of a whole lattice turn over, which close to the transition takes 30 times as long as all
/// other changes. With one replica, or in a ferromagnet, there is no q, and the correlation replaces it:
///     m(t) = [<S(t)>] / N.
/// In a field, where that does not go to 0, the hottest slot is not tested.
///
/// With one temperature nothing else tests equilibrium. The lattices of a ferromagnet then begin with all
/// spins up instead of at the end of the run, S(t) is their magnetisation M(t), and
///     m(t) = ([<M(t)^2> / N^2] - [<m^2>]) / (1 - [<m^2>])
/// compares this start, from above, with the run from random spins, from below.
///
/// The time of a set is the first t at which m falls to `forgotten` or below, interpolated between recorded
/// times in log t; infinite if it does not. The time of a realization is the longer one of two times. One is
/// the time of its group, the max(share, 32) realizations whose numbers begin at a multiple of that; so it
/// does not depend on how realizations are cut into files. The other is the first recorded t at which its own
/// m is at most `clearly_less` (one replica: `clearly_less_single`), far above the noise of single lattices;
/// it finds realizations that are stuck in a group which is not.
inline constexpr double forgotten = 0.1, clearly_less = 0.4, clearly_less_single = 0.7;

/// Of one batch.
struct HottestMemory {
    std::vector<std::int64_t> sweeps;         ///< (K) recorded times; empty: not known
    std::vector<double> correlation, square;  ///< (K, realization) means over replicas of S / N, (S / N)^2
    std::vector<double> time;                 ///< (realization) sweeps
};

/// False in a field, where spins are never forgotten, and for vector spins, whose runs do not record it.
bool has_hottest_memory(const Measured& measured);

/// Returns the two-time overlaps of a run file; none without has_hottest_memory. InputError for impossible
/// values.
TwoTimeOverlaps read_hottest(const InputFile& file, const RunSums& run);

/// Returns the observable that S(t)^2 / N^2 is compared with: q^2, or m^2 of a ferromagnet with one
/// temperature; nothing if the correlation replaces it.
std::optional<Observable> hottest_reference(const Measured& measured, int replicas, int temperatures);

/// reference: the means (realization) of hottest_reference in the hottest slot; nullptr: there is none.
HottestMemory hottest_memory(const RunSums& run, const double* reference, int share);

/// Writes the datasets /equilibration/hottest_..., if `memory` is known.
void write_hottest_memory(OutputFile& file, const HottestMemory& memory);

/// The memory of all realizations of one size.
struct HottestCurve {
    std::vector<std::int64_t> sweeps;         ///< those that all files have
    std::vector<double> correlation, memory;  ///< (K) [<S>] / N and m
    double time = 0.0;                        ///< sweeps
    std::int64_t cold = 0;                    ///< realizations whose runs are too short for their time
    double temperature = 0.0;                 ///< of the hottest slot
    int temperatures = 0;
    std::optional<Observable> reference;
};

/// Returns a clause that says what is wrong with a realization whose run is too short for its time.
std::string hottest_fault(std::optional<Observable> reference, int temperatures);

/// The memory curve of a size, put together from observables files, realization by realization.
class HottestMean {
  public:
    /// Adds the first `counted` of `count` realizations. InputError for impossible values.
    void add(const InputFile& file, std::int64_t count, std::int64_t counted,
             std::optional<Observable> reference);
    HottestCurve curve() const;

  private:
    struct Sums {
        double correlation = 0.0, square = 0.0;
        std::int64_t files = 0;
    };
    std::map<std::int64_t, Sums> at_;  ///< sweeps
    double reference_ = 0.0, realizations_ = 0.0;
    std::int64_t files_ = 0;
    HottestCurve curve_;
};

/// Returns a warning with a remedy if more than 1% of the realizations are too cold, else nothing. Above T =
/// 4 J/k_B times the dimension a Metropolis update flips nearly every spin in every sweep, so that spins
/// alternate and are never forgotten.
AnalysisWarning hottest_warning(const HottestCurve& curve, std::int64_t realizations, const Model& model);

}  // namespace psflip
