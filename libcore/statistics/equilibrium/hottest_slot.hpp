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
/// the hottest temperature. If that temperature does not decorrelate either, exchange only permutes
/// configurations that never change valley. Neither fast walkers nor means without drift show this.
///
/// S(t) = sum_i s_i(0) s_i(t) is the autocorrelation of a lattice in the hottest slot that is swept without
/// exchange. q is the overlap of two replicas there. The memory of a set of realizations is
///     m(t) = ([<S(t)^2> / N^2] - [<q^2>]) / (1 - [<q^2>]),
/// <> over replicas, [] over the realizations of the set. It is 1 if nothing has moved, and 0 if a lattice is
/// as far from its own past as from another replica. In equilibrium the two distances meet (R. N. Bhatt and
/// A. P. Young, Phys. Rev. Lett. 54, 924 (1985)). Replicas in valleys that they do not leave keep m above 0.
/// So do values of q^2 that are too small because the replicas have not found their valleys. Like q^2, m does
/// not change if a whole lattice flips. Near the transition such flips take 30 times as long as all other
/// changes. With one replica, or in a ferromagnet, q does not exist, and the correlation replaces it:
///     m(t) = [<S(t)>] / N.
/// In a field the correlation does not decay to 0, so the hottest slot is not tested.
///
/// With one temperature, this is the only test of equilibrium. A ferromagnet then starts with all spins up
/// instead of at the end of the run, and S(t) is its magnetisation M(t). The memory
///     m(t) = ([<M(t)^2> / N^2] - [<m^2>]) / (1 - [<m^2>])
/// compares this start, from above, with the run from random spins, from below.
///
/// The time of a set is the first t with m <= `forgotten`, interpolated between recorded times in log t. It
/// is infinite if m stays above. The time of a realization is the longer one of two times. The first is the
/// time of its group of max(share, 32) consecutive realizations. Groups begin at multiples of their size, so
/// their times do not depend on the cut into files. The second is the first recorded t at which the
/// realization's own m is at most `clearly_less` (one replica: `clearly_less_single`), far above the noise of
/// single lattices. It finds stuck realizations in a group that is not stuck.
inline constexpr double forgotten = 0.1, clearly_less = 0.4, clearly_less_single = 0.7;

/// Holds the autocorrelation and the relaxation times of one batch.
struct HottestMemory {
    std::vector<std::int64_t> sweeps;         ///< (time) recorded times, ascending; empty: not known
    std::vector<double> correlation, square;  ///< (time, realization) means over replicas of S / N, (S / N)^2
    std::vector<double> time;                 ///< (realization) relaxation time in sweeps
};

/// Returns whether runs record S(t). They do not in a field, where S(t) does not decay, nor for vector spins.
bool has_hottest_memory(const Measured& measured);

/// Returns the two-time overlaps of a run file, or empty ones without has_hottest_memory. Errors: InputError
/// for impossible values.
TwoTimeOverlaps read_hottest(const InputFile& file, const RunSums& run);

/// Returns the observable that S(t)^2 / N^2 is compared with: q^2, or m^2 of a ferromagnet with one
/// temperature. Returns nothing if the correlation replaces it.
std::optional<Observable> hottest_reference(const Measured& measured, int replicas, int temperatures);

/// Returns the memory of a batch. reference: (realization) means of hottest_reference in the hottest slot, or
/// nullptr without a reference.
HottestMemory hottest_memory(const RunSums& run, const double* reference, int share);

/// Writes the datasets /equilibration/hottest_..., if `memory` is known.
void write_hottest_memory(OutputFile& file, const HottestMemory& memory);

/// Holds the memory of all realizations of one size.
struct HottestCurve {
    std::vector<std::int64_t> sweeps;         ///< (time) times that all files have
    std::vector<double> correlation, memory;  ///< (time) [<S>] / N and m
    double time = 0.0;                        ///< relaxation time in sweeps
    std::int64_t cold = 0;                    ///< realizations whose runs are too short for their time
    double temperature = 0.0;                 ///< of the hottest slot, in units of J / k_B
    int temperatures = 0;
    std::optional<Observable> reference;
};

/// Returns a clause for messages that says what is wrong with a realization whose run is too short for its
/// time.
std::string hottest_fault(std::optional<Observable> reference, int temperatures);

/// Makes the memory curve of a size from observables files, realization by realization.
class HottestMean {
  public:
    /// Adds the first `counted` of `count` realizations of a file. Errors: InputError for impossible values.
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

/// Returns a warning with a remedy if the runs of more than 1% of the realizations are too short, otherwise
/// nothing. Above T = 4 J/k_B times the dimension, a Metropolis update flips nearly every spin in every
/// sweep, so spins alternate and are never forgotten.
AnalysisWarning hottest_warning(const HottestCurve& curve, std::int64_t realizations, const Model& model);

}  // namespace psflip
