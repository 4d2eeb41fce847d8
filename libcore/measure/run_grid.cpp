#include "measure/run_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

/// base 2^k with k as large as possible and base 2^k <= sweep; sweep >= base.
std::int64_t end_at_or_before(std::int64_t base, std::int64_t sweep) {
    while (base <= sweep / 2) base *= 2;
    return base;
}

/// "800, 1600, 3200, ... (800 times a power of two)": the ends after `first`, beginning near `wanted`.
std::string allowed_ends(const RunGrid& grid, std::int64_t first, std::int64_t wanted) {
    std::int64_t end = grid.next_end(first);
    while (end <= wanted / 2 && grid.next_end(end) <= wanted) end *= 2;
    return fmt::format("{}, {}, {}, ... ({} times a power of two)", end, 2 * end, 4 * end, grid.base);
}

}  // namespace

bool RunGrid::is_end(std::int64_t sweep) const {
    return sweep >= base && end_at_or_before(base, sweep) == sweep;
}

std::int64_t RunGrid::next_end(std::int64_t sweep) const {
    return sweep < base ? base : 2 * end_at_or_before(base, sweep);
}

std::vector<std::int64_t> RunGrid::block_edges(std::int64_t first, std::int64_t last) const {
    if (base < 1 || blocks < 1 || (blocks > 1 && blocks % 2 != 0) || (first != 0 && !is_end(first)) ||
        !is_end(last) || last <= first)
        throw std::invalid_argument(
            fmt::format("RunGrid: no blocks of ({}, {}] with base {}", first, last, base));
    std::vector<std::int64_t> edges{first};
    for (std::int64_t end = next_end(first); end <= last; end *= 2) {
        const std::int64_t quotient = end / blocks, remainder = end % blocks;
        const int begin = end == base ? 0 : blocks / 2;
        for (int i = begin + 1; i <= blocks; ++i)  // end i / blocks rounded down, without overflow
            edges.push_back(quotient * i + remainder * i / blocks);
    }
    return edges;
}

int RunBins::bin(std::int64_t sweep) const {
    if (count() < 1 || sweep <= edges.front() || sweep > edges.back())
        throw std::out_of_range(fmt::format("sweep {} lies in no bin", sweep));
    return static_cast<int>(std::lower_bound(edges.begin() + 1, edges.end(), sweep) - edges.begin()) - 1;
}

RunGrid run_grid(const Parameters& p) {
    RunGrid grid{p.run_sweeps, p.run.blocks, p.run.measure_every, p.run.histogram_bins};
    while (grid.base % 2 == 0 && grid.base / 2 / p.run.measure_every >= p.run.blocks) grid.base /= 2;
    return grid;
}

std::int64_t run_end(const RunGrid& grid, std::int64_t first, std::int64_t run_sweeps, std::int64_t until) {
    if (first != 0 && !grid.is_end(first))
        throw std::invalid_argument(fmt::format("run_end: {} is not on the grid", first));
    const std::int64_t chosen = until > 0 ? until : run_sweeps > first ? run_sweeps : 2 * first;
    if (chosen > first && grid.is_end(chosen)) return chosen;
    throw InputError(
        fmt::format("a run cannot end at sweep {} ({}): the state stands at sweep {}, and runs end "
                    "at {}; give one of these to --until",
                    chosen, until > 0 ? "--until" : "run.sweeps", first, allowed_ends(grid, first, chosen)));
}

void write_grid(OutputFile& file, const RunGrid& grid) {
    file.attribute(schema::grid_base, grid.base);
    file.attribute(schema::grid_blocks, std::int64_t{grid.blocks});
    file.attribute(schema::grid_measure_every, grid.measure_every);
    file.attribute(schema::grid_histogram_bins, std::int64_t{grid.histogram_bins});
}

std::optional<RunGrid> read_grid(const InputFile& file) {
    if (!file.has_attribute(schema::grid_base)) return std::nullopt;
    const auto value_of_key = [&](const char* name) {
        const Key& key = *find_key(name);
        return file.integer_attribute(name, static_cast<std::int64_t>(key.low),
                                      static_cast<std::int64_t>(key.high));
    };
    const RunGrid grid{file.integer_attribute(schema::grid_base, 1, limits::sweeps),
                       static_cast<int>(value_of_key(schema::grid_blocks)),
                       value_of_key(schema::grid_measure_every),
                       static_cast<int>(value_of_key(schema::grid_histogram_bins))};
    if ((grid.blocks > 1 && grid.blocks % 2 != 0) || grid.base / grid.measure_every < grid.blocks)
        throw InputError(fmt::format("{}: {} = {}, {} = {} and {} = {} are impossible in a run", file.path(),
                                     schema::grid_base, grid.base, schema::grid_blocks, grid.blocks,
                                     schema::grid_measure_every, grid.measure_every));
    return grid;
}

RunRange read_run_range(const InputFile& file) {
    const std::optional<RunGrid> grid = read_grid(file);
    if (!grid)
        throw InputError(fmt::format("{}: the attribute {} is missing", file.path(), schema::grid_base));
    const RunRange range{file.integer_attribute(schema::run_first, 0, limits::sweeps),
                         file.integer_attribute(schema::run_last, 1, limits::sweeps), *grid};
    if ((range.first != 0 && !grid->is_end(range.first)) || !grid->is_end(range.last) ||
        range.last <= range.first)
        throw InputError(fmt::format("{}: {} = {} and {} = {} are not ends of runs with {} = {}", file.path(),
                                     schema::run_first, range.first, schema::run_last, range.last,
                                     schema::grid_base, grid->base));
    return range;
}

void check_same_grid(const std::string& what_a, const RunGrid& a, const std::string& what_b, const RunGrid& b,
                     bool with_base, const std::string& remedy) {
    const auto check = [&](const char* key, std::int64_t in_a, std::int64_t in_b) {
        if (in_a != in_b)
            throw InputError(
                fmt::format("{} has {} = {}, but {} has {}; {}", what_a, key, in_a, what_b, in_b, remedy));
    };
    check(schema::grid_measure_every, a.measure_every, b.measure_every);
    check(schema::grid_blocks, a.blocks, b.blocks);
    check(schema::grid_histogram_bins, a.histogram_bins, b.histogram_bins);
    if (with_base) check(schema::grid_base, a.base, b.base);
}

}  // namespace psflip
