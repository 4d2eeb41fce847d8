#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Writes disorder averages over all observables files to the reduced file `out` and, unless empty, the table
/// `csv`. reduced_datasets.cpp has the datasets of the group /L<size> of each size. Log2 bins are the bins
/// that all files have, so runs that were extended show up to where all others end.
/// The table has one row per size and temperature, with the columns of csv_header. Its numbers have the
/// digits needed to read back the same double, and nan stands for a number that does not exist. The swap rate
/// of slots t and t + 1 is in row t, and empty in the last row.
/// force: `out` and `csv` may be replaced whatever they hold. `threads` threads (0: all cores) share the
/// work; no number depends on them. Errors: InputError as read_campaign; EnvironmentError if a file cannot be
/// written.
void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance,
                     bool force = false, int threads = 1);

/// Checks for --validate what reduce_disorder checks before it works: the inputs, and what the outputs would
/// replace. An empty name stands for an output that is not given.
void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads = 1);

}  // namespace psflip
