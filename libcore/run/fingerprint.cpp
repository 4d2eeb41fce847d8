#include "run/fingerprint.hpp"

#include <fmt/format.h>

namespace psflip {

std::string thermalize_lines(const Parameters& p) {
    return fmt::format("thermalize.sweeps: {}\n", p.thermalize_sweeps);
}

std::string run_lines(const RunGrid& grid, std::int64_t until, std::int64_t snapshots) {
    return fmt::format(
        "until: {}\ngrid_base: {}\nrun.measure_every: {}\nrun.blocks: {}\n"
        "run.snapshots: {}\nrun.histogram_bins: {}\n",
        until, grid.base, grid.measure_every, grid.blocks, snapshots, grid.histogram_bins);
}

}  // namespace psflip
