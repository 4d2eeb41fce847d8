#include <fmt/core.h>

#include <fstream>

#include "base/error.hpp"
#include "common/program.hpp"
#include "run/benchmark.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Table {
    std::vector<int> sizes{8, 12, 16}, shares{128, 32};
    BenchmarkCase setup;
    std::string json;
};

void declare(ProgramOptions& options, Table& table) {
    options.optional("--L", table.sizes, "lattice sizes, separated by commas")->delimiter(',');
    options
        .optional("--share", table.shares,
                  "realizations per random number: 1, 32, 64, 128, separated by commas")
        ->delimiter(',');
    options.optional("--replicas", table.setup.replicas, "replicas");
    options.optional("--temperatures", table.setup.temperatures, "temperatures, between 0.8 and 2.0");
    options.optional("--packs", table.setup.packs, "batch size in packs of 128 realizations");
    options.optional("--repeats", table.setup.repeats, "timings of which the median is given")
        ->check(CLI::PositiveNumber);
    options.optional("--seconds", table.setup.seconds, "wall time of a timing, at least")
        ->check(CLI::PositiveNumber);
    options.flag("--production", table.setup.production,
                 "with exchanges every 10 sweeps and measurements every 10 exchanges");
    options.optional("--json", table.json, "also write the table to this file, as a list of objects");
}

void time_all(const BackendChoice& choice, const Table& table) {
    std::vector<BenchmarkResult> results;
    fmt::print("{:>8} {:>4} {:>6} {:>9} {:>13} {:>6} {:>12} {:>12} {:>8}  device\n", "backend", "L", "share",
               "replicas", "temperatures", "packs", "ps/flip", "ps/flip/core", "spread");
    for (int share : table.shares)
        for (int L : table.sizes) {
            BenchmarkCase setup = table.setup;
            setup.L = L;
            setup.share = share;
            const auto& r = results.emplace_back(benchmark_flips(choice, setup));
            fmt::print("{:>8} {:>4} {:>6} {:>9} {:>13} {:>6} {:>12.4f} {:>12.4f} {:>7.1f}%  {}\n", r.backend,
                       L, share, setup.replicas, setup.temperatures, setup.packs, r.ps_per_flip,
                       r.ps_per_flip * std::max(1, r.threads), 100 * r.spread, r.device);
            std::fflush(stdout);
        }
    if (table.json.empty()) return;
    std::ofstream file(table.json);
    file << benchmark_json(results);
    if (!file.flush()) throw EnvironmentError("cannot write " + table.json);
}

}  // namespace

int main(int argc, char** argv) {
    Table table;
    return run_program(
        argc, argv,
        {.name = "bench-flip",
         .purpose = "Times proposed spin flips, in picoseconds.",
         .one_size = false,
         .takes_config = false,
         .takes_out = false,
         .long_running = false},
        [&](ProgramOptions& options) { declare(options, table); },
        [&](const ProgramContext& context) { time_all(context.backend, table); });
}
