#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Writes disorder averages over all observables files to the reduced file `out` and, unless `csv` is empty,
/// to the table `csv`.
/// - The datasets of the group /L<size> of each size are listed in reduced_datasets.cpp.
/// - Log2 bins are the bins common to all files. Extended runs show the bins up to the end of the shortest
///   run.
/// - The table has one row per size and temperature and the columns of csv_header. Numbers have as many
///   digits as a double needs; nan is a number that does not exist. The swap rate of slots t and t + 1 is in
///   row t; the last row has none.
/// - If `force`, `out` and `csv` are replaced whatever they hold.
/// - `threads` (0: all cores) does not change any number.
///
/// Errors: InputError as read_campaign; EnvironmentError if a file cannot be written.
void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance,
                     bool force = false, int threads = 1);

/// Checks the inputs and outputs as reduce_disorder does before it works, for --validate. An empty name is an
/// output that is not given.
void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads = 1);

}  // namespace psflip
