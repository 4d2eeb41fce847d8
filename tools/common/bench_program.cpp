#include "common/bench_program.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "io/output/atomic_file.hpp"

namespace psflip::tools {

void BenchReport::add(const BenchRow& row, const std::string& line) {
    rows_.push_back(row);
    fmt::print("{}\n", line);
    std::fflush(stdout);
    if (!options_.json.empty()) write_text_file(options_.json, rows_json(rows_));
    if (!options_.csv.empty()) write_text_file(options_.csv, rows_csv(rows_));
}

void declare_slabs(ProgramOptions& options, std::vector<int>& slabs, std::vector<std::string>& halos) {
    options
        .optional(
            "--slabs", slabs,
            "Numbers of slabs of a lattice, separated by commas. Each slab has its own thread and, with "
            "CUDA and enough GPUs, its own GPU. Under mpirun the numbers are 1 and the number of ranks.")
        .delimiter(',');
    options
        .optional("--halo", halos,
                  "How slabs exchange halos, separated by commas: auto, peer, mpi or host. Ways that do not "
                  "work here are skipped if there are several.")
        .delimiter(',')
        .check(one_of({"auto", "peer", "mpi", "host"}));
}

void for_each_halo(const std::vector<std::string>& halos, int slabs, const Ranks& ranks,
                   const std::function<void(const std::string&)>& work) {
    for (const std::string& halo : halos) {
        try {
            work(halo);
        } catch (const EnvironmentError& error) {
            if (halos.size() == 1 || !(ranks.alone() || error.of_all_ranks())) throw;
            if (ranks.is_first()) fmt::print("{}\n", error.what());
        }
        if (slabs == 1) break;
    }
}

int run_bench(int argc, char** argv, const BenchProgram& program, BenchOptions& bench,
              const std::function<void(ProgramOptions&)>& declare,
              const std::function<void(const ProgramContext&)>& work) {
    const ProgramInfo info = {.name = program.name,
                              .purpose = program.purpose,
                              .one_size = false,
                              .takes_config = false,
                              .long_running = false,
                              .several_ranks = program.several_ranks};
    const auto declare_all = [&](ProgramOptions& options) {
        options.optional("--repeats", bench.timing.repeats, "Number of timings. Their median is the result.")
            .check(whole_number_from(1));
        options.optional("--seconds", bench.timing.seconds, "Minimum wall time of each timing, in seconds.")
            .check(number_from(1e-6, 1e5));
        options.output(options.optional("--json", bench.json,
                                        "Also writes the results to this JSON file, one object per line."),
                       program.kind);
        declare(options);
    };
    return run_program(argc, argv, info, declare_all, work);
}

}  // namespace psflip::tools
