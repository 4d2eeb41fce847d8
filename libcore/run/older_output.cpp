#include "run/older_output.hpp"

#include <fmt/format.h>

#include "base/regular_file.hpp"
#include "io/older_file.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// Without the base, which a longer run may have larger.
std::string grid_lines(const RunGrid& grid) {
    return fmt::format("{}: {}\n{}: {}\n{}: {}\n", schema::grid_blocks, grid.blocks,
                       schema::grid_measure_every, grid.measure_every, schema::grid_histogram_bins,
                       grid.histogram_bins);
}

}  // namespace

void check_older_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep,
                       const std::string& relaxation) {
    check_older_file(path, schema::state, [&](const InputFile& file) -> std::string {
        const bool relaxed = file.has_attribute(schema::relax_lines);
        const std::string past = relaxed ? file.text_attribute(schema::relax_lines) : std::string();
        if (relaxed && relaxation.empty()) return "it is of a relaxation, that of this call is not";
        if (!relaxed && !relaxation.empty()) return "it is of no relaxation, that of this call is";
        std::string lines = other_lines(read_identity(file).lines() + past, identity.lines() + relaxation);
        const std::int64_t there = file.read<std::int64_t>(schema::sweep).data.at(0);
        if (!lines.empty() || there <= sweep) return lines;
        return fmt::format("it stands at sweep {}, this call ends at {}", there, sweep);
    });
}

void check_older_run(const std::string& path, const BatchIdentity& identity, const RunPlanned& planned) {
    check_older_file(path, schema::run, [&](const InputFile& file) {
        const RunRange there = read_run_range(file);
        const std::int64_t snapshots =
            file.has(schema::snapshots_sweep) ? file.shape(schema::snapshots_sweep).at(0) : 0;
        std::string lines = other_lines(read_identity(file).lines() + grid_lines(there.grid),
                                        identity.lines() + grid_lines(planned.grid));
        if (!lines.empty()) return lines;
        if (there.first < planned.first || there.last > planned.last)
            return fmt::format("it holds the sweeps {} to {} after thermalization, this call makes {} to {}",
                               there.first, there.last, planned.first, planned.last);
        if (snapshots <= planned.snapshots) return std::string();
        return fmt::format("it holds {} snapshots, this call makes {}", snapshots, planned.snapshots);
    });
}

void check_older_ladder(const std::string& path, const BatchIdentity& identity) {
    check_older_file(path, schema::ladder, [&](const InputFile& file) {
        return other_lines(read_identity(file).lines(), identity.lines());
    });
}

void check_older_text(const std::string& path, const std::string& what,
                      const std::vector<TextValue>& values) {
    constexpr std::size_t most = std::size_t{1} << 26;
    const std::string text =
        read_if_there(path, "the text that would be replaced", most).value_or(std::string());
    for (const TextValue& v : values) {
        const std::size_t before = text.find(v.before);
        if (before == std::string::npos) continue;
        const std::size_t begin = before + v.before.size();
        const std::string there = text.substr(begin, text.find(v.after, begin) - begin);
        if (there != v.value)
            refuse_loss(path, what, fmt::format("it has {} = {}, this call {}", v.name, there, v.value));
    }
}

}  // namespace psflip
