#include "run/fingerprint.hpp"

#include <fmt/format.h>

#include "config/value.hpp"

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

std::string relax_lines(const RelaxSection& relax) {
    const std::vector<double> all = relax.temperature_factors();
    std::string factors;
    for (const double factor : all) factors += (factors.empty() ? "" : ", ") + real_text(factor);
    std::string later;
    if (!relax.fields.empty()) later = fmt::format("relax.fields: [{}]\n", fmt::join(relax.fields, ", "));
    if (relax.measure_every > 0) later += fmt::format("relax.measure_every: {}\n", relax.measure_every);
    return fmt::format(
        "relax.start: {}\nrelax.first: {}\nrelax.per_decade: {}\nrelax.waiting: [{}]\n"
        "factors of temperatures: [{}]\nrelax.stage_sweeps: {}\n{}",
        name(relax.start), relax.first, relax.per_decade, fmt::join(relax.waiting, ", "), factors,
        all.empty() && relax.fields.empty() ? 0 : relax.stage_sweeps, later);
}

}  // namespace psflip
