#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Writes disorder averages over all observables files to the reduced file `out` and, unless `csv` is empty,
/// to the table `csv`.
/// - The datasets of the group /L<size> of each size are listed in reduced_datasets.cpp.
/// - Log2 bins have the edges that all files have. If some runs were extended, these bins end with the
///   shortest run.
/// - The table has one row per size and temperature and the columns of csv_header. Numbers have as many
///   digits as a double needs, and a missing number is nan. Row t has the swap rate of slots t and t + 1. The
///   last row has no swap rate.
/// - If `force`, `out` and `csv` are replaced, whatever they contain.
/// - `threads` is the number of threads (0: all cores). It changes no number.
///
/// Errors: InputError as read_campaign; InputError if an output is an input or, unless `force`, has results
/// that the new file lacks; EnvironmentError if a file cannot be written.
void reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                     const std::string& out, const std::string& csv, const Provenance& provenance,
                     bool force = false, int threads = 1);

/// Makes the checks of reduce_disorder on inputs and existing outputs, for --validate. An output that is not
/// given has an empty name.
void check_reduce_disorder(const Config& config, const std::vector<std::string>& observables,
                           const std::string& out, const std::string& csv, bool force, int threads = 1);

}  // namespace psflip
