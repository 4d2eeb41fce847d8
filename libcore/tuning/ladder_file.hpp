#pragma once

// Writes files with a tuned ladder of temperatures.

#include <string>

#include "config/config.hpp"
#include "io/provenance.hpp"
#include "io/usage.hpp"
#include "run/batch.hpp"
#include "tuning/tune_ladder.hpp"

namespace psflip {

/// Returns the tuned ladder as YAML text. The text is `temperatures: {list: [...]}`, to be pasted into a
/// study, under comments. The comments say what was measured before and after, and what other numbers of
/// temperatures would give. The text does not depend on backend, threads or time.
std::string ladder_yaml(const Parameters& parameters, const Batch& batch, const TuneOptions& options,
                        const LadderTuning& tuning);

/// Returns the first line of ladder_yaml, which identifies size and realizations.
std::string ladder_first_line(const Parameters& parameters, const Batch& batch);

/// Writes a file of the kind `ladder` (io/schema.hpp) with every ladder that was tried, and with estimates
/// for other numbers of temperatures. `parameters` are the parameters of the study. Errors: EnvironmentError
/// if the file cannot be written.
void write_ladder_numbers(const std::string& path, const Parameters& parameters, const Batch& batch,
                          const TuneOptions& options, const LadderTuning& tuning,
                          const Provenance& provenance, const Usage& usage);

}  // namespace psflip
