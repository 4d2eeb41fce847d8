#include "common/bench_timing.hpp"

#include "common/command_line.hpp"

namespace psflip::tools {

void declare_timing(ProgramOptions& options, BenchmarkTiming& timing) {
    options.optional("--repeats", timing.repeats, "timings of which the median is given")
        .check(whole_number_from(1));
    options.optional("--seconds", timing.seconds, "wall time of a timing, at least")
        .check(number_from(1e-6, 1e5));
}

}  // namespace psflip::tools
