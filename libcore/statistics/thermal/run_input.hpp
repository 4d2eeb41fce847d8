#pragma once

// Reads and joins the run files of one batch.

#include <string>
#include <vector>

#include "config/config.hpp"
#include "disorder/couplings.hpp"
#include "io/file.hpp"
#include "statistics/binned_sums.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Reads a run file of this model. Errors: InputError if a dataset is missing, does not fit the other
/// datasets, or holds impossible values.
RunSums read_run(const InputFile& file, const Model& model = {}, ThreadPool& pool = caller_alone());

/// Checks that a run was made with the physics and temperatures of the parameters. Errors: InputError if not.
void check_run_physics(const std::string& path, const RunSums& run, const Parameters& parameters);

/// Reads the run files of one batch, in any order, and joins them in the order of their sweeps. With
/// from_snapshots, sums are measured anew from the snapshots in the files (sums_of_snapshots).
///
/// Errors: InputError, which names the files, if
/// - batches, couplings or physics differ,
/// - sweeps are missing (also the first sweeps after thermalization) or measured twice,
/// - files do not belong to `disorder` or `parameters`.
RunSums read_runs(const std::vector<std::string>& paths, const Parameters& parameters,
                  const std::string& disorder_path, const Disorder& disorder, bool from_snapshots,
                  const BackendChoice& choice, ThreadPool& pool = caller_alone());

/// Replaces the sums of `run` by sums over the snapshots in its `file`. The code that measures runs also
/// measures snapshots, on the backend of `choice`. If there is a snapshot of every measurement, the sums do
/// not change. Exchange counts and walkers never change.
void sums_of_snapshots(RunSums& run, const InputFile& file, const Parameters& parameters,
                       const Disorder& disorder, const BackendChoice& choice);

}  // namespace psflip
