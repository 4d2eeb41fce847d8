#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "measure/sums.hpp"
#include "measure/two_time.hpp"
#include "run/batch.hpp"

namespace psflip {

/// After how many sweeps the hottest slot is compared with its start: run_last / 20, halved (rounded down)
/// down to 1, ascending; those above `most_hottest_sweeps` are left out. A run to 2N has the times of a run
/// to N and one more. Where a step has several sweeps (Shape::hits) all are counted in steps, then
/// multiplied.
std::vector<std::int64_t> hottest_times(std::int64_t run_last, std::int64_t sweeps_per_step = 1);

inline constexpr std::int64_t run_per_hottest_time = 20, most_hottest_sweeps = 16384;

/// Returns whether pt-run continues the hottest slot without exchange after a run. It does so for Ising
/// spins, but not for one temperature in a field, where spins never forget their mean.
bool tests_hottest_slot(const Shape& shape, const Measured& measured);

/// How long the hottest slot remembers its spins when exchange brings it no others. Its lattices of all
/// replicas and realizations go on from `spins` (canonical, all slots) through the hottest_times sweeps
/// without exchange, in an ensemble of one temperature, and are compared with where they began. A ferromagnet
/// with one temperature begins with all spins up instead: this start comes down to the equilibrium [m^2] from
/// above, while a run from random spins comes up to it.
///
/// The sweeps have the numbers run_last - W to run_last - 1, W the last of the times, under the key
/// splitmix64(seed): no random number serves twice, and the result depends on spins, seed and run_last alone.
///
/// stop (may be empty) is asked about four times per second, by all ranks together; where it says true, the
/// same to all, the work ends with nothing. Collective.
/// Errors as make_ising_ensemble.
std::optional<TwoTimeOverlaps> simulate_hottest_slot(const Parameters& parameters, const Batch& batch,
                                                     const std::vector<std::uint64_t>& spins,
                                                     std::int64_t run_last, const BackendChoice& choice,
                                                     const std::function<bool()>& stop);

}  // namespace psflip
