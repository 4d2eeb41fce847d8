// bench-flip: times proposed spin flips, and compares them with earlier timings.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "bench/benchmark.hpp"
#include "bench/benchmark_cases.hpp"
#include "bench/benchmark_file.hpp"
#include "bench/relax_benchmark.hpp"
#include "common/bench_program.hpp"
#include "common/existing_output.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{8, 12, 16}, shares{128, 32};
    std::vector<std::string> series;
    std::string lanes = "realizations";
    BenchmarkCase setup;
    bool sweep_sizes = false, sweep_lanes = false;
    bool sizes_chosen = false, shares_chosen = false, columns_chosen = false;
    std::vector<std::string> kernels{"auto"}, site_orders{"standard"};
    std::string compare;
    double tolerance = 5;
    std::int64_t relax = 0;  ///< sweeps
    BenchOptions bench;
};

std::string model_names() {
    std::string names;
    for (const BenchmarkModel& known : benchmark_models()) names += (names.empty() ? "" : ", ") + known.name;
    return names;
}

ValueCheck known_model() {
    return {.refusal = [](const std::string& text) {
        for (const BenchmarkModel& known : benchmark_models())
            if (known.name == text) return std::string();
        return "one of " + model_names();
    }};
}

/// Declares the options of the batch. Tables and earlier files replace them.
void declare_batch(ProgramOptions& options, Request& request) {
    BenchmarkCase& setup = request.setup;
    options.optional("--L", request.sizes, "Lattice sizes, separated by commas.").delimiter(',');
    options
        .optional("--share", request.shares,
                  "Realizations per random number, separated by commas: 1, 32, 64 or 128.")
        .delimiter(',');
    options.optional("--replicas", setup.replicas, "Number of replicas.");
    options.optional("--temperatures", setup.temperatures, "Number of temperatures from 0.7 to 2.0.");
    options.optional(
        "--columns", setup.columns,
        "Batch size in columns of 128 realizations. With --sweep-sizes: the maximum batch size.");
    options.optional("--realizations", setup.realizations, "Batch size in realizations instead of columns.")
        .check(whole_number_from(1));
    options
        .optional("--lanes", request.lanes,
                  "Lane coding: the spins that share a machine word. replicas implies share 1.")
        .check(one_of({"realizations", "replicas"}));
    options.optional("--model", setup.model, "The model: " + model_names() + ".").check(known_model());
    options.flag("--production", setup.production,
                 "Exchanges temperatures every 10 sweeps and measures every 10 exchanges.");
}

void declare(ProgramOptions& options, Request& request) {
    declare_batch(options, request);
    options.flag(
        "--sweep-sizes", request.sweep_sizes,
        "Times every entry of the documentation's tables and curves, with exchanges and measurements as "
        "--production, and batches that fill the device. --L, --share, --series and --columns select "
        "entries.");
    options.flag(
        "--sweep-lanes", request.sweep_lanes,
        "Times both lane codings with share 1, with exchanges and measurements as --production, for L = 8 to "
        "48 and 1 to 256 realizations. --L selects sizes.");
    options.input(options.optional(
        "--compare", request.compare,
        "Times the entries of this JSON file again. The exit code is 1 if an entry is slower. --L, --share, "
        "--series and --backend select entries."));
    options
        .optional("--tolerance", request.tolerance,
                  "With --compare: maximum percentage by which an entry may be slower.")
        .check(number_from(0, 1e300));
    options
        .optional("--series", request.series,
                  "With --sweep-sizes or --compare: times only these series, separated by commas.")
        .delimiter(',')
        .check(one_of({"table", "sizes", "columns", "lanes", "list"}));
    options
        .optional("--relax", request.relax,
                  "Times a relaxation of this number of sweeps, with its measurements and without them.")
        .check(in_range(std::int64_t{2}, std::int64_t{1} << 40))
        .type_name("N");
    options
        .optional("--kernel", request.kernels,
                  "CUDA kernels, separated by commas: auto, resident, strips, tiled, streaming or fused. "
                  "Kernels that do not suit a lattice are skipped if there are several. A plan may follow a "
                  "name, as in resident:8x5x2 (libcore/sweep/kernel_request.hpp).")
        .delimiter(',')
        .check(kernel_text());
    options
        .optional("--site-order", request.site_orders,
                  "Orders of the sites in memory, separated by commas. Orders that do not suit a lattice are "
                  "skipped if there are several.")
        .delimiter(',')
        .check(one_of({"standard", "bitwise", "sliced"}));
    options.output(
        options.optional("--csv", request.bench.csv, "Also writes the results to this file, as a table."),
        text_kind::timings_table);
}

/// Refuses command lines with two kinds of timings, and options that the chosen kind ignores.
void check_together(const ProgramOptions& options) {
    using Names = std::vector<std::string>;
    const Names batch{"--replicas", "--temperatures", "--realizations", "--lanes", "--model", "--production"};
    Names whole_batch = batch;
    whole_batch.insert(whole_batch.end(), {"--columns", "--site-order"});
    const std::vector<std::pair<std::string, Names>> kinds{
        {"--relax", {"--production", "--lanes", "--realizations", "--json", "--csv", "--site-order"}},
        {"--sweep-sizes", batch},
        {"--sweep-lanes", whole_batch},
        {"--compare", whole_batch}};
    std::string chosen;
    for (const auto& [kind, ignored] : kinds) {
        if (!options.is_given(kind)) continue;
        Names refused = ignored;
        if (!chosen.empty()) refused.push_back(chosen);
        for (const std::string& other : refused)
            if (options.is_given(other))
                throw InputError(fmt::format("{} does not go with {}; leave one out", other, kind));
        chosen = kind;
    }
}

bool contains(const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Returns whether --L, --share and --series select this case of a longer list.
bool chosen(const Request& request, const BenchmarkCase& setup) {
    return (!request.sizes_chosen || contains(request.sizes, setup.L)) &&
           (!request.shares_chosen || contains(request.shares, setup.share)) &&
           (request.series.empty() || contains(request.series, setup.series));
}

const BenchmarkResult* find(const std::vector<BenchmarkResult>& results, const BenchmarkResult& wanted) {
    const auto found = std::ranges::find_if(results, [&](const BenchmarkResult& r) {
        return same_work(r.setup, wanted.setup) && r.backend == wanted.backend &&
               r.threads == wanted.threads && r.kernel == wanted.kernel;
    });
    return found == results.end() ? nullptr : &*found;
}

std::vector<BenchmarkCase> requested_cases(const Request& request, const BackendChoice& choice) {
    std::vector<BenchmarkCase> cases;
    if (request.sweep_lanes) {
        for (const BenchmarkCase& setup : sweep_lanes_cases())
            if (chosen(request, setup)) cases.push_back(setup);
    } else if (request.sweep_sizes) {
        for (BenchmarkCase& setup : sweep_sizes_cases(benchmark_processors(choice))) {
            const bool fits = !request.columns_chosen || setup.columns <= request.setup.columns;
            if (!chosen(request, setup) || (setup.series == "columns" && !fits)) continue;
            if (!fits) setup.columns = request.setup.columns;
            cases.push_back(setup);
        }
    } else {
        for (const int share : request.shares)
            for (const int L : request.sizes) {
                cases.push_back(request.setup);
                cases.back().L = L;
                cases.back().share = share;
            }
    }
    if (cases.empty()) throw InputError("--L, --share, --series and --columns select no entry of the table");
    return cases;
}

/// Returns every case with every site order and kernel.
std::vector<std::pair<BenchmarkCase, std::string>> cases_and_kernels(const std::vector<BenchmarkCase>& cases,
                                                                     const Request& request) {
    std::vector<std::pair<BenchmarkCase, std::string>> all;
    for (BenchmarkCase setup : cases)
        for (const std::string& order : request.site_orders) {
            setup.site_order = site_order_of(order);
            for (const std::string& kernel : request.kernels) all.emplace_back(setup, kernel);
        }
    return all;
}

std::string counted(int count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Describes in what a batch differs from the glass without field in columns of realizations.
std::string batch_of(const BenchmarkCase& setup) {
    return (setup.model == "ea3d" ? "" : setup.model + ", ") +
           (setup.realizations == 0 ? "" : counted(setup.realizations, "realization") + ", ") +
           (setup.lanes == Lanes::realizations ? "" : fmt::format("lanes = {}, ", name(setup.lanes))) +
           (setup.site_order == SiteOrder::standard ? ""
                                                    : fmt::format("{} site order, ", name(setup.site_order)));
}

void time_all(BackendChoice choice, const Request& request) {
    const auto cases = requested_cases(request, choice);
    BenchReport report(request.bench);
    Benchmark benchmark;
    std::vector<BenchmarkResult> done;
    fmt::print("{:>7} {:>8} {:>4} {:>6} {:>9} {:>13} {:>7} {:>12} {:>12} {:>8}  device\n", "series",
               "backend", "L", "share", "replicas", "temperatures", "columns", "ps/flip", "ps/flip/core",
               "spread");
    for (const auto& [setup, kernel] : cases_and_kernels(cases, request)) {
        const auto same = std::find_if(done.begin(), done.end(), [&, k = kernel, s = setup](const auto& r) {
            return same_work(r.setup, s) && r.kernel == k;
        });
        BenchmarkResult r;
        choice.kernel = kernel;
        try {
            r = same != done.end() ? *same : benchmark.time(choice, setup, request.bench.timing);
        } catch (const Error& error) {  // this kernel or site order does not suit this lattice
            if (request.kernels.size() == 1 && request.site_orders.size() == 1) throw;
            fmt::print("{}\n", error.what());
            continue;
        }
        r.setup.series = setup.series;
        done.push_back(r);
        report.add(
            benchmark_row(r),
            fmt::format("{:>7} {:>8} {:>4} {:>6} {:>9} {:>13} {:>7} {:>12.4f} {:>12.4f} {:>7.1f}%  {}{}",
                        setup.series, r.backend, setup.L, setup.share, setup.replicas, setup.temperatures,
                        setup.columns, r.ps_per_flip, r.ps_per_flip * std::max(1, r.threads), 100 * r.spread,
                        batch_of(setup), r.device));
    }
}

void time_relaxations(const BackendChoice& choice, const Request& request) {
    fmt::print(
        "{:>4} {:>6} {:>9} {:>13} {:>7} {:>9} {:>12} {:>12} {:>12} {:>9} {:>9} {:>10} {:>10}  device\n", "L",
        "share", "replicas", "temperatures", "columns", "sweeps", "sweeps alone", "with all", "measurements",
        "ms each", "averages", "distances", "two times");
    for (const BenchmarkCase& setup : requested_cases(request, choice)) {
        const RelaxTiming r = time_relaxation(choice, setup, request.relax);
        fmt::print(
            "{:>4} {:>6} {:>9} {:>13} {:>7} {:>9} {:>12.4f} {:>12.4f} {:>12} {:>9.3f} {:>9.3f} {:>10.3f} "
            "{:>10.3f}  {}\n",
            setup.L, setup.share, setup.replicas, setup.temperatures, setup.columns, r.sweeps, r.ps_alone,
            r.ps_measured, r.measurements, r.milliseconds, r.averages, r.distances, r.two_times, r.device);
        std::fflush(stdout);
    }
}

std::string name_of(const BenchmarkResult& r) {
    const BenchmarkCase& s = r.setup;
    return fmt::format("{}{}: {}L = {}, share {}, {}, {}, {}{}{}", r.backend,
                       r.threads > 0 ? ", " + counted(r.threads, "thread") : "", batch_of(s), s.L, s.share,
                       counted(s.replicas, "replica"), counted(s.temperatures, "temperature"),
                       counted(s.columns, "column"), s.production ? ", production" : "",
                       r.kernel == "auto" ? "" : ", " + r.kernel + " kernel");
}

/// Times an entry of an earlier file. If it seems slower, it is timed once more, and the faster time counts.
BenchmarkResult time_again(Benchmark& benchmark, BackendChoice choice, const Request& request,
                           const BenchmarkResult& old) {
    choice.backend = old.backend;
    choice.threads = old.threads;
    choice.kernel = old.kernel;
    BenchmarkResult now = benchmark.time(choice, old.setup, request.bench.timing);
    if (now.ps_per_flip > old.ps_per_flip * (1 + request.tolerance / 100)) {
        const BenchmarkResult again = benchmark.time(choice, old.setup, request.bench.timing);
        if (again.ps_per_flip < now.ps_per_flip) now = again;
    }
    now.setup.series = old.setup.series;
    return now;
}

void compare(const BackendChoice& choice, const Request& request) {
    auto entries = read_benchmark_json(request.compare);
    std::erase_if(entries, [&](const auto& old) {
        return !chosen(request, old.setup) || (choice.backend != "auto" && choice.backend != old.backend);
    });
    if (entries.empty())
        throw InputError(request.compare +
                         " has no entries that --L, --share, --series and --backend choose");
    BenchReport report(request.bench);
    Benchmark benchmark;
    std::vector<BenchmarkResult> done;
    std::vector<std::string> slower;
    std::set<std::string> devices;
    fmt::print("{:>12} {:>12} {:>8}  entry\n", "old ps/flip", "new ps/flip", "new/old");
    for (const BenchmarkResult& old : entries) {
        if (find(done, old)) continue;
        const BenchmarkResult now = time_again(benchmark, choice, request, old);
        const double ratio = now.ps_per_flip / old.ps_per_flip;
        const bool worse = ratio > 1 + request.tolerance / 100;
        done.push_back(now);
        report.add(benchmark_row(now),
                   fmt::format("{:>12.4f} {:>12.4f} {:>8.3f}  {}{}", old.ps_per_flip, now.ps_per_flip, ratio,
                               printable(name_of(old)), worse ? "  SLOWER" : ""));
        if (old.device != now.device && devices.insert(old.device + now.device).second)
            fmt::print("{:>35} was timed on: {}\n{:>35} now:          {}\n", "", printable(old.device), "",
                       now.device);
        if (worse) slower.push_back(fmt::format("{} ({:+.1f}%)", name_of(old), 100 * (ratio - 1)));
    }
    if (slower.empty()) return;
    throw InputError(fmt::format("{} of {} entries {} more than {}% slower than in {}: {}", slower.size(),
                                 done.size(), slower.size() == 1 ? "is" : "are", request.tolerance,
                                 request.compare, fmt::join(slower, "; ")));
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    const ProgramOptions* declared = nullptr;
    return run_bench(
        argc, argv,
        {.name = "bench-flip",
         .purpose = "Measures the time per proposed spin flip, in picoseconds.",
         .kind = text_kind::timings},
        request.bench,
        [&](ProgramOptions& options) {
            declare(options, request);
            declared = &options;
        },
        [&](const ProgramContext& context) {
            check_together(*declared);
            request.sizes_chosen = declared->is_given("--L");
            request.shares_chosen = declared->is_given("--share");
            request.setup.lanes = named<Lanes>(request.lanes);
            if (request.setup.lanes == Lanes::replicas && !request.shares_chosen) request.shares = {1};
            request.columns_chosen = declared->is_given("--columns");
            if (request.relax > 0)
                time_relaxations(context.backend, request);
            else if (request.compare.empty())
                time_all(context.backend, request);
            else
                compare(context.backend, request);
        });
}
