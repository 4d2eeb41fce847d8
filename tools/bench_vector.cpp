#include <fmt/core.h>

#include "base/error.hpp"
#include "bench/vector_benchmark.hpp"
#include "common/bench_timing.hpp"
#include "common/command_line.hpp"
#include "common/existing_output.hpp"
#include "common/program.hpp"
#include "io/output/atomic_file.hpp"
#include "sweep/vector/vector_ensemble.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{64};
    std::vector<std::string> models{"ferromagnet"}, updates{"metropolis"}, precisions{"float"};
    std::int64_t lattices = 1;
    int sites_of_thread = most_sites_of_thread;
    std::int64_t lengths = 0;
    std::string json;
    BenchmarkTiming timing;
};

void declare(ProgramOptions& options, Request& request) {
    options.optional("--L", request.sizes, "lattice sizes, separated by commas").delimiter(',');
    options
        .optional(
            "--model", request.models,
            "ferromagnet, perovskite, canted, glass, ising-glass, or with 2d behind it, separated by commas")
        .delimiter(',');
    options
        .optional(
            "--update", request.updates,
            "metropolis, cone, heat-bath, over-relaxation, separated by commas; those that a model cannot "
            "are left out")
        .delimiter(',');
    options.optional("--precision", request.precisions, "float, double, fast (on GPUs)")
        .delimiter(',')
        .check(one_of({"float", "double", "fast"}));
    options
        .optional(
            "--lengths", request.lengths,
            "instead of timings: how far lengths of spins are from 1 after 1, 2, 4, ... sweeps, up to so "
            "many; not of ising-glass")
        .check(in_range(std::int64_t{0}, std::int64_t{1} << 30));
    options.optional("--lattices", request.lattices, "lattices at once, each with its own disorder")
        .check(whole_number_from(1));
    options.optional("--sites-of-thread", request.sites_of_thread, "CUDA: of a row, at most; 1, 2 or 4")
        .check(one_of({1, 2, 4}));
    declare_timing(options, request.timing);
    options.output(
        options.optional("--json", request.json, "also write the timings to this file, as a list of objects"),
        text_kind::vector_timings);
}

VectorUpdate update_of(const std::string& wanted) {
    for (VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::cone, VectorUpdate::heat_bath,
                                VectorUpdate::over_relaxation})
        if (wanted == name(update)) return update;
    throw InputError(
        fmt::format("--update '{}' is unknown; use metropolis, cone, heat-bath or over-relaxation", wanted));
}

void print_row(const VectorBenchmarkResult& r) {
    fmt::print("{:>14} {:>16} {:>8} {:>5} {:>9} {:>10.4f} {:>7.1f}% {:>8.3f} {:>10.4f}  {}\n", r.setup.model,
               name(r.setup.update), name(r.setup.precision), r.setup.L, r.setup.lattices, r.ns_per_spin,
               100 * r.spread, r.renewed, r.ns_of_sums, r.device);
    std::fflush(stdout);
}

/// All cases that the models can.
std::vector<VectorBenchmarkCase> cases_of(const Request& request) {
    std::vector<VectorBenchmarkCase> cases;
    for (const std::string& model : request.models)
        for (const std::string& precision : request.precisions)
            for (const int L : request.sizes)
                for (const std::string& update : request.updates) {
                    VectorBenchmarkCase which{model, update_of(update), Precision::single,
                                              L,     request.lattices,  request.sites_of_thread};
                    for (const Precision other : {Precision::twofold, Precision::fast})
                        if (precision == name(other)) which.precision = other;
                    if (vector_benchmark_can(which)) cases.push_back(which);
                }
    return cases;
}

void measure_lengths(const ProgramContext& context, const Request& request) {
    std::vector<VectorLengths> rows;
    fmt::print("{:>14} {:>16} {:>8} {:>5} {:>10} {:>12} {:>12}  device\n", "model", "update", "precision",
               "L", "sweeps", "mean", "largest");
    for (const VectorBenchmarkCase& which : cases_of(request)) {
        if (which.model.starts_with("ising")) continue;
        for (const VectorLengths& r : vector_lengths(context.backend, which, request.lengths)) {
            fmt::print("{:>14} {:>16} {:>8} {:>5} {:>10} {:>12.3g} {:>12.3g}  {}\n", r.setup.model,
                       name(r.setup.update), name(r.setup.precision), r.setup.L, r.sweeps, r.mean, r.largest,
                       r.device);
            rows.push_back(r);
        }
        std::fflush(stdout);
        if (!request.json.empty()) write_text_file(request.json, vector_lengths_json(rows));
    }
}

void time_all(const ProgramContext& context, const Request& request) {
    if (request.lengths > 0) return measure_lengths(context, request);
    std::vector<VectorBenchmarkResult> results;
    fmt::print("{:>14} {:>16} {:>8} {:>5} {:>9} {:>10} {:>8} {:>8} {:>10}  device\n", "model", "update",
               "precision", "L", "lattices", "ns/spin", "spread", "renewed", "ns of sums");
    for (const VectorBenchmarkCase& which : cases_of(request)) {
        results.push_back(time_vectors(context.backend, which, request.timing));
        print_row(results.back());
        if (!request.json.empty()) write_text_file(request.json, vector_benchmark_json(results));
    }
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    const ProgramInfo info = {
        .name = "bench-vector",
        .purpose = "Times sweeps of vector spins, and of Ising spins with Gaussian couplings.",
        .one_size = false,
        .takes_config = false,
        .long_running = false};
    return run_program(
        argc, argv, info, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { time_all(context, request); });
}
