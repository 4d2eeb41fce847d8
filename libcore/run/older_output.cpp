#include "run/older_output.hpp"

#include <fmt/format.h>

#include "config/limits.hpp"
#include "io/older_file.hpp"
#include "io/schema.hpp"

namespace psflip {

void check_older_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep) {
    check_older_file(path, schema::state, [&](const InputFile& file) {
        std::string lines = other_lines(read_identity(file).lines(), identity.lines());
        const std::int64_t there = file.read<std::int64_t>(schema::sweep).data.at(0);
        if (!lines.empty() || there <= sweep) return lines;
        return fmt::format("it stands at sweep {}, this call ends at {}", there, sweep);
    });
}

void check_older_run(const std::string& path, const BatchIdentity& identity, std::int64_t first,
                     std::int64_t last) {
    check_older_file(path, schema::run, [&](const InputFile& file) {
        std::string lines = other_lines(read_identity(file).lines(), identity.lines());
        const std::int64_t there_first = file.integer_attribute(schema::run_first, 0, limits::sweeps),
                           there_last = file.integer_attribute(schema::run_last, 1, limits::sweeps);
        if (!lines.empty() || (first <= there_first && there_last <= last)) return lines;
        return fmt::format("it holds the sweeps {} to {} after thermalization, this call makes {} to {}",
                           there_first, there_last, first, last);
    });
}

void check_older_ladder(const std::string& path, const BatchIdentity& identity) {
    check_older_file(path, schema::ladder, [&](const InputFile& file) {
        return other_lines(read_identity(file).lines(), identity.lines());
    });
}

}  // namespace psflip
