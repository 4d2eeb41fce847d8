#include <fmt/core.h>

#include <cmath>

#include "base/error.hpp"
#include "bench/slab_benchmark_file.hpp"
#include "common/bench_timing.hpp"
#include "common/command_line.hpp"
#include "common/existing_output.hpp"
#include "common/program.hpp"
#include "config/limits.hpp"
#include "io/output/atomic_file.hpp"
#include "slab/agreement.hpp"
#include "slab/local_ranks.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{64, 128}, slabs{1, 2}, columns{1};
    std::vector<std::string> halos{"auto"};
    int weak = 0;
    std::string kernel = "auto", json;
    SlabCase setup;
    BenchmarkTiming timing;
};

void declare(ProgramOptions& options, Request& request) {
    options.optional("--L", request.sizes, "lattice sizes, separated by commas").delimiter(',');
    options
        .optional("--slabs", request.slabs,
                  "numbers of slabs, separated by commas, each slab with a thread of its own and, with CUDA, "
                  "a GPU of its own where there are enough; under mpirun 1 and the number of ranks")
        .delimiter(',');
    options
        .optional(
            "--weak", request.weak,
            "weak scaling: instead of --L, this size for one slab, and for N slabs the even one nearest "
            "to N^(1/3) times as large")
        .check(in_range(0, limits::largest_L));
    options.optional("--columns", request.columns, "of 128 realizations, separated by commas").delimiter(',');
    options.optional("--replicas", request.setup.replicas, "replicas");
    options.optional("--temperatures", request.setup.temperatures, "temperatures");
    options.optional("--share", request.setup.share, "realizations per random number: 1, 32, 64 or 128");
    options
        .optional(
            "--halo", request.halos,
            "how halos travel: auto, peer, mpi or host; several separated by commas, of which those that "
            "do not work here are skipped")
        .delimiter(',')
        .check(one_of({"auto", "peer", "mpi", "host"}));
    options.optional("--kernel", request.kernel, "as that of bench-flip").check(kernel_text());
    declare_timing(options, request.timing);
    options.output(
        options.optional("--json", request.json, "also write the timings to this file, as a list of objects"),
        text_kind::slab_timings);
}

/// Sizes that a number of slabs is timed on.
std::vector<int> sizes_for(const Request& request, int slabs) {
    if (request.weak == 0) return request.sizes;
    return {2 * static_cast<int>(std::lround(request.weak * std::cbrt(slabs) / 2))};
}

/// A case on threads of this process, or on the ranks of mpirun, of which the first does whole lattices.
SlabResult time_case(const BackendChoice& choice, const SlabCase& setup, const Request& request,
                     Ranks& ranks) {
    SlabResult result;
    const auto work = [&](Ranks& mine) {
        const SlabResult found = time_slabs(choice, setup, request.timing, mine);
        if (mine.is_first()) result = found;
    };
    if (setup.slabs == 1) {
        first_does(ranks, [&] { work(single_rank()); });
    } else if (ranks.alone()) {
        with_local_ranks(setup.slabs, work);
    } else {
        work(ranks);
    }
    return result;
}

void print_header() {
    fmt::print("{:>4} {:>6} {:>6} {:>6} {:>8} {:>12} {:>10} {:>11} {:>8}  device\n", "L", "slabs", "packs",
               "halo", "planes", "us/sweep", "ps/flip", "efficiency", "spread");
}

void print_row(const SlabResult& r, double efficiency) {
    fmt::print("{:>4} {:>6} {:>6} {:>6} {:>8.4g} {:>12.2f} {:>10.4f} {:>11} {:>7.1f}%  {}\n", r.setup.L,
               r.setup.slabs, r.setup.packs(), r.setup.slabs > 1 ? r.halo : "", r.planes(), r.seconds * 1e6,
               r.ps_per_flip(), efficiency > 0 ? fmt::format("{:.3f}", efficiency) : "", 100 * r.spread,
               r.device);
    std::fflush(stdout);
}

/// All that is timed, with any way for halos to travel.
std::vector<SlabCase> requested_cases(const Request& request, const Ranks& ranks) {
    const std::vector<int> numbers = ranks.alone() ? request.slabs : std::vector<int>{1, ranks.size()};
    std::vector<SlabCase> cases;
    for (const int columns : request.columns)
        for (const int slabs : numbers)
            for (const int L : sizes_for(request, slabs)) {
                SlabCase setup = request.setup;
                setup.L = L, setup.columns = columns, setup.slabs = slabs, setup.weak = request.weak > 0;
                check_slab_case(setup);
                cases.push_back(setup);
            }
    return cases;
}

void time_all(const ProgramContext& context, const Request& request) {
    Ranks& ranks = *context.ranks;
    std::vector<SlabCase> cases;
    all_do(ranks, [&] { cases = requested_cases(request, ranks); });
    std::vector<SlabResult> results;
    if (ranks.is_first()) print_header();
    BackendChoice choice = context.backend;
    choice.kernel = request.kernel;
    const auto add = [&](const SlabCase& setup) {
        const SlabResult found = time_case(choice, setup, request, ranks);
        if (!ranks.is_first()) return;
        results.push_back(found);
        print_row(found, efficiency(results, found));
        if (!request.json.empty()) write_text_file(request.json, slab_benchmark_json(results));
    };
    for (const SlabCase& setup : cases)
        for (const std::string& halo : request.halos) {
            choice.halo = halo;
            try {
                add(setup);
            } catch (const EnvironmentError& error) {
                if (request.halos.size() == 1 || !(ranks.alone() || error.of_all_ranks())) throw;
                if (ranks.is_first()) fmt::print("{}\n", error.what());
            }
            if (setup.slabs == 1) break;
        }
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    const ProgramInfo info = {
        .name = "bench-slab",
        .purpose =
            "Times sweeps of lattices that are cut into slabs: strong scaling, or weak scaling with --weak. "
            "Efficiency is that of each device as compared with whole lattices on one.",
        .one_size = false,
        .takes_config = false,
        .long_running = false,
        .several_ranks = true};
    return run_program(
        argc, argv, info, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { time_all(context, request); });
}
