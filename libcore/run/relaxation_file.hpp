#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file.hpp"
#include "measure/measurement.hpp"
#include "run/state_file.hpp"

namespace psflip {

/// What one call of relax measured.
struct RelaxationData {
    BatchIdentity identity;
    std::string lines;                  ///< relax_lines of the study
    std::vector<double> temperatures;   ///< k_B T / J, by slot, at the end of all schedules
    std::int64_t first = 0, last = 0;   ///< sweeps since the start: it covers (first, last]
    std::vector<std::int64_t> times;    ///< sweeps since the start
    std::vector<double> factors;        ///< of the temperatures in the sweep before each time
    std::vector<double> fields;         ///< h in that sweep; of vector spins
    std::vector<std::int64_t> waiting;  ///< sweeps since the start
    Accumulators accumulators;          ///< a bin for each time
};

/// All of a relaxation file but its commit: /times, /factors, /fields, /waiting, /temperatures and under
/// /relaxation the sums of which all others are made.
void write_relaxation(OutputFile& file, const RelaxationData& relaxation, ThreadPool& pool);

/// The datasets of relaxation files of lattices of this dimension.
DatasetTable relaxation_datasets(int dimension, bool field, bool vectors = false);

/// InputError where a relaxation file is at `path` that is of another batch or relaxation, or has times that
/// (first, last] does not have.
void check_existing_relaxation(const std::string& path, const BatchIdentity& identity,
                               const std::string& lines, std::int64_t first, std::int64_t last);

}  // namespace psflip
