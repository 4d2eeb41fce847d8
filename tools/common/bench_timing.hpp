#pragma once

#include "bench/benchmark.hpp"
#include "common/program.hpp"

namespace psflip::tools {

/// The options --repeats and --seconds of programs that time.
void declare_timing(ProgramOptions& options, BenchmarkTiming& timing);

}  // namespace psflip::tools
