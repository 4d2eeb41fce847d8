#pragma once

// Provides the frame of all benchmark programs: the options --repeats, --seconds and --json, and the files of
// results.

#include <functional>
#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "common/program.hpp"
#include "slab/ranks.hpp"

namespace psflip::tools {

/// Holds the options that all benchmark programs share.
struct BenchOptions {
    BenchmarkTiming timing;
    std::string json, csv;
};

struct BenchProgram {
    std::string name, purpose;
    std::string kind;  ///< kind of the file of --json, one of text_kind
    bool several_ranks = false;
};

/// Prints each result at once, and then rewrites the files of --json and --csv. So an interrupted call leaves
/// its results.
class BenchReport {
  public:
    explicit BenchReport(const BenchOptions& options) : options_(options) {}
    void add(const BenchRow& row, const std::string& line);

  private:
    const BenchOptions& options_;
    std::vector<BenchRow> rows_;
};

/// Declares --slabs and --halo of benchmarks of lattices that are cut into slabs.
void declare_slabs(ProgramOptions& options, std::vector<int>& slabs, std::vector<std::string>& halos);

/// Calls work(halo) for each way of halo transport. If there are several, ways that do not work here are
/// printed and skipped. One slab has no halos, and `work` is called once. Collective.
void for_each_halo(const std::vector<std::string>& halos, int slabs, const Ranks& ranks,
                   const std::function<void(const std::string&)>& work);

/// Runs a benchmark program. It declares the shared options, and `declare` adds the options of the program.
/// Returns the exit code of run_program.
int run_bench(int argc, char** argv, const BenchProgram& program, BenchOptions& bench,
              const std::function<void(ProgramOptions&)>& declare,
              const std::function<void(const ProgramContext&)>& work);

}  // namespace psflip::tools
