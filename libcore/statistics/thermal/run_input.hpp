#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "disorder/couplings.hpp"
#include "io/file.hpp"
#include "statistics/binned_sums.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Reads a run file of this model. Throws InputError where a dataset is missing, does not have the shape of
/// the others or holds impossible values.
RunSums read_run(const InputFile& file, const Model& model = {}, ThreadPool& pool = caller_alone());

/// InputError where a run was made with other physics or temperatures than the parameters have.
void check_run_physics(const std::string& path, const RunSums& run, const Parameters& parameters);

/// Reads the run files of one batch and puts them together in the order of their sweeps, whatever the order
/// of `paths`. Throws InputError, naming the files, where they are of different batches, couplings or
/// physics, where sweeps are missing (also the first ones after thermalization) or measured twice, where they
/// do not belong to `disorder` or to `parameters`. from_snapshots: the sums are not those of the files but
/// made anew from their snapshots, see sums_of_snapshots.
RunSums read_runs(const std::vector<std::string>& paths, const Parameters& parameters,
                  const std::string& disorder_path, const Disorder& disorder, bool from_snapshots,
                  const BackendChoice& choice, ThreadPool& pool = caller_alone());

/// Replaces the sums of `run` by those of the snapshots in its `file`, measured with the code of the runs on
/// the chosen backend: the same numbers as in the file where every measurement has its snapshot. Exchange
/// counts stay.
void sums_of_snapshots(RunSums& run, const InputFile& file, const Parameters& parameters,
                       const Disorder& disorder, const BackendChoice& choice);

}  // namespace psflip
