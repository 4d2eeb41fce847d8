#include "run/fingerprint.hpp"

#include <fmt/format.h>

namespace psflip {

std::string thermalize_lines(const Parameters& p) {
    return fmt::format("thermalize.sweeps: {}\n", p.thermalize_sweeps);
}

std::string run_lines(const Parameters& p) {
    return fmt::format(
        "run.sweeps: {}\nrun.measure_every: {}\nrun.blocks: {}\nrun.snapshots: {}\nrun.histogram_bins: {}\n",
        p.run_sweeps, p.measure_every, p.blocks, p.snapshots, p.histogram_bins);
}

}  // namespace psflip
