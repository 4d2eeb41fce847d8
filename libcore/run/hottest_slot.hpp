// Measures the memory of the hottest slot: how many sweeps without exchange its spins need to forget their
// start. The analysis is in statistics/equilibrium/hottest_slot.hpp.
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

/// Returns the times in sweeps after which the hottest slot is compared with its start, ascending. The times
/// are run_last / 20, half of this, a quarter of this and so on down to 1, each rounded down. Times above
/// `max_hottest_sweeps` are left out. A run to 2N has the times of a run to N, and at most one more. If a
/// step has several sweeps (Shape::hits), times are computed in steps and then multiplied.
std::vector<std::int64_t> hottest_times(std::int64_t run_last, std::int64_t sweeps_per_step = 1);

inline constexpr std::int64_t run_per_hottest_time = 20, max_hottest_sweeps = 16384;

/// Returns whether pt-run continues the hottest slot without exchange after a run. pt-run does so for Ising
/// spins, except in a study of a single temperature in a field, because spins in a field never forget their
/// mean.
bool tests_hottest_slot(const Shape& shape, const Measured& measured);

/// Measures how long the hottest slot remembers its spins without exchange. Its lattices of all replicas and
/// realizations continue from `spins` through the hottest_times sweeps, in an ensemble of one temperature. At
/// these times, their spins are compared with the spins at the start.
/// A ferromagnet with one temperature starts with all spins up, not from `spins`. From this start [m^2] falls
/// to its equilibrium value, while a run from random spins rises to it.
///
/// The sweeps have the numbers run_last - W to run_last - 1, with W the last of the times, under the key
/// splitmix64(seed). So no random number serves twice, and the result depends only on spins, seed and
/// run_last.
///
/// spins: canonical, all slots (IsingEnsemble::spins). stop: may be empty. All ranks call `stop` together
/// about four times per second, and must get the same value. If `stop` returns true, simulate_hottest_slot
/// ends and returns nothing. Collective. Errors: as make_ising_ensemble.
std::optional<TwoTimeOverlaps> simulate_hottest_slot(const Parameters& parameters, const Batch& batch,
                                                     const std::vector<std::uint64_t>& spins,
                                                     std::int64_t run_last, const BackendChoice& choice,
                                                     const std::function<bool()>& stop);

}  // namespace psflip
