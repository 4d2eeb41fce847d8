#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Writes disorder averages over all observables files to the reduced file `out` and the table `csv` (empty:
/// none). reduced_datasets.cpp has the datasets of the group /L<size> of each size. Log2 bins are those
/// common to all files: runs that were extended show up to where all others end. The table has one row per
/// size and temperature and the columns of csv_header. Its numbers have as many digits as needed to read back
/// the same double, and nan stands for a number that does not exist. The swap rate of slots t and t + 1 is in
/// row t, and empty in the last row. force: `out` and `csv` may be replaced whatever they hold. `threads` (0:
/// all cores) share the work; no number depends on them. Errors: InputError as read_campaign;
/// EnvironmentError if a file cannot be written.
void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance,
                     bool force = false, int threads = 1);

/// Checks the inputs, and what the outputs would replace, as reduce_disorder does before it works; for
/// --validate. An empty name stands for an output that is not given.
void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads = 1);

}  // namespace psflip
