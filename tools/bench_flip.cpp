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
#include "common/bench_timing.hpp"
#include "common/command_line.hpp"
#include "common/existing_output.hpp"
#include "common/program.hpp"
#include "io/output/atomic_file.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{8, 12, 16}, shares{128, 32};
    std::vector<std::string> series;
    BenchmarkCase setup;
    BenchmarkTiming timing;
    bool sweep_sizes = false, sweep_lanes = false;
    bool sizes_chosen = false, shares_chosen = false, columns_chosen = false;
    std::vector<std::string> kernels{"auto"};
    std::string json, csv, compare;
    double tolerance = 5;
    std::int64_t relax = 0;  ///< sweeps
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

/// Options that say what is timed.
void declare_cases(ProgramOptions& options, Request& request) {
    BenchmarkCase& setup = request.setup;
    options.optional("--L", request.sizes, "lattice sizes, separated by commas").delimiter(',');
    options
        .optional("--share", request.shares,
                  "realizations per random number: 1, 32, 64, 128, separated by commas")
        .delimiter(',');
    options.optional("--replicas", setup.replicas, "replicas");
    options.optional("--temperatures", setup.temperatures, "temperatures, between 0.7 and 2.0");
    options.optional("--columns", setup.columns,
                     "batch size in columns of 128 realizations; with --sweep-sizes: at most so many");
    options.optional("--realizations", setup.realizations, "batch size in realizations, in place of columns")
        .check(whole_number_from(1));
    options
        .optional(
            "--lanes", setup.lanes,
            "what a word holds: realizations, or replicas, the replicas and temperatures of one (share 1)")
        .check(one_of({"realizations", "replicas"}));
    options.optional("--model", setup.model, "what is timed: " + model_names()).check(known_model());
    options.flag("--production", setup.production,
                 "with exchanges every 10 sweeps and measurements every 10 exchanges");
    Option sweep =
        options.flag("--sweep-sizes", request.sweep_sizes,
                     "the whole table (shares 128, 64, 32, 1; L = 8 to 256), the curve over all even "
                     "L up to 64 and that over the number of columns, in production and with batches "
                     "that fill the device; --L and --share choose from these");
    Option sweep_lanes = options.flag(
        "--sweep-lanes", request.sweep_lanes,
        "both codings of lanes at share 1, in production, 24 and 56 temperatures, L = 8 to 48, 1 to 256 "
        "realizations; --L chooses from these");
    Option compare = options.optional("--compare", request.compare,
                                      "time the entries of this JSON file again; exit code 1 where one is "
                                      "slower; --L, --share and --backend choose from them");
    options
        .optional("--series", request.series,
                  "with --sweep-sizes or --compare: only these of table, sizes, columns, lanes, list")
        .delimiter(',')
        .check(one_of({"table", "sizes", "columns", "lanes", "list"}));
    Option relax = options.optional("--relax", request.relax,
                                    "a relaxation of so many sweeps with the measurements of relax on a "
                                    "logarithmic grid, beside its sweeps alone");
    relax.check(in_range(std::int64_t{2}, std::int64_t{1} << 40)).type_name("N");
    for (const char* other :
         {"--production", "--lanes", "--realizations", "--sweep-sizes", "--sweep-lanes", "--compare"})
        relax.excludes(other);
    sweep_lanes.excludes("--sweep-sizes").excludes("--columns").excludes("--compare");
    for (const char* other :
         {"--replicas", "--temperatures", "--realizations", "--lanes", "--model", "--production"}) {
        sweep.excludes(other);
        sweep_lanes.excludes(other);
        compare.excludes(other);
    }
    options.input(compare.excludes("--sweep-sizes").excludes("--columns"));
}

void declare(ProgramOptions& options, Request& request) {
    declare_cases(options, request);
    options.optional("--tolerance", request.tolerance, "with --compare: percent that an entry may be slower")
        .check(number_from(0, 1e300));
    declare_timing(options, request.timing);
    options
        .optional(
            "--kernel", request.kernels,
            "of the CUDA backend, for study: auto, resident, tiled, streaming or fused, or a plan as in "
            "resident:8x5x16 (temperatures, blocks per cluster, warps), resident:8x8+2x2x16x8 (a second plan "
            "beside, for so many pairs of column and replica), tiled:16x8x2 (tile, pieces along z) or "
            "fused:2x1x1 (temperatures and teams of threads per block, words per thread), "
            "behind it /1 or /2 for the parts of a batch with a stream each; several separated by commas, of "
            "which those that do not suit a lattice are skipped")
        .delimiter(',')
        .check(kernel_text());
    options.output(
        options.optional("--json", request.json, "also write the timings to this file, as a list of objects")
            .excludes("--relax"),
        text_kind::timings);
    options.output(options.optional("--csv", request.csv, "also write the timings to this file, as a table")
                       .excludes("--relax"),
                   text_kind::timings_table);
}

bool contains(const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// What --L, --share and --series leave of a longer list.
bool chosen(const Request& request, const BenchmarkCase& setup) {
    return (!request.sizes_chosen || contains(request.sizes, setup.L)) &&
           (!request.shares_chosen || contains(request.shares, setup.share)) &&
           (request.series.empty() || contains(request.series, setup.series));
}

/// Prints timings as they come and keeps the files up to date, so that an interrupted run leaves what it has.
class Report {
  public:
    explicit Report(const Request& request) : request_(request) {}

    void add(const BenchmarkResult& result) {
        results_.push_back(result);
        if (!request_.json.empty()) write_text_file(request_.json, benchmark_json(results_));
        if (!request_.csv.empty()) write_text_file(request_.csv, benchmark_csv(results_));
        std::fflush(stdout);
    }

    std::size_t size() const { return results_.size(); }

    /// An earlier timing of the same work.
    const BenchmarkResult* find(const BenchmarkResult& wanted) const {
        for (const auto& r : results_)
            if (same_work(r.setup, wanted.setup) && r.backend == wanted.backend &&
                r.threads == wanted.threads && r.kernel == wanted.kernel)
                return &r;
        return nullptr;
    }

  private:
    const Request& request_;
    std::vector<BenchmarkResult> results_;
};

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
    if (cases.empty()) throw InputError("--L, --share, --series and --columns leave nothing of the table");
    return cases;
}

/// Every case with every kernel.
std::vector<std::pair<BenchmarkCase, std::string>> cases_and_kernels(const std::vector<BenchmarkCase>& cases,
                                                                     const Request& request) {
    std::vector<std::pair<BenchmarkCase, std::string>> all;
    for (const BenchmarkCase& setup : cases)
        for (const std::string& kernel : request.kernels) all.emplace_back(setup, kernel);
    return all;
}

std::string counted(int count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// What is not the glass without field in columns of realizations.
std::string batch_of(const BenchmarkCase& setup) {
    return (setup.model == "ea3d" ? "" : setup.model + ", ") +
           (setup.realizations == 0 ? "" : counted(setup.realizations, "realization") + ", ") +
           (setup.lanes == "realizations" ? "" : "lanes = " + setup.lanes + ", ");
}

void time_all(BackendChoice choice, const Request& request) {
    const auto cases = requested_cases(request, choice);
    Report report(request);
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
            r = same != done.end() ? *same : benchmark.time(choice, setup, request.timing);
        } catch (const Error& error) {  // this kernel does not suit this lattice
            if (request.kernels.size() == 1) throw;
            fmt::print("{}\n", error.what());
            continue;
        }
        r.setup.series = setup.series;
        fmt::print("{:>7} {:>8} {:>4} {:>6} {:>9} {:>13} {:>7} {:>12.4f} {:>12.4f} {:>7.1f}%  {}{}\n",
                   setup.series, r.backend, setup.L, setup.share, setup.replicas, setup.temperatures,
                   setup.columns, r.ps_per_flip, r.ps_per_flip * std::max(1, r.threads), 100 * r.spread,
                   batch_of(setup), r.device);
        done.push_back(r);
        report.add(r);
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

/// Times an entry of an earlier file; once more where it seems slower, and the faster counts.
BenchmarkResult time_again(Benchmark& benchmark, BackendChoice choice, const Request& request,
                           const BenchmarkResult& old) {
    choice.backend = old.backend;
    choice.threads = old.threads;
    choice.kernel = old.kernel;
    BenchmarkResult now = benchmark.time(choice, old.setup, request.timing);
    if (now.ps_per_flip > old.ps_per_flip * (1 + request.tolerance / 100)) {
        const BenchmarkResult again = benchmark.time(choice, old.setup, request.timing);
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
    if (entries.empty()) throw InputError(request.compare + " has no entries, or none of the chosen ones");
    Report report(request);
    Benchmark benchmark;
    std::vector<std::string> slower;
    std::set<std::string> devices;
    fmt::print("{:>12} {:>12} {:>8}  entry\n", "old ps/flip", "new ps/flip", "new/old");
    for (const BenchmarkResult& old : entries) {
        if (report.find(old)) continue;
        const BenchmarkResult now = time_again(benchmark, choice, request, old);
        const double ratio = now.ps_per_flip / old.ps_per_flip;
        const bool worse = ratio > 1 + request.tolerance / 100;
        fmt::print("{:>12.4f} {:>12.4f} {:>8.3f}  {}{}\n", old.ps_per_flip, now.ps_per_flip, ratio,
                   printable(name_of(old)), worse ? "  SLOWER" : "");
        if (old.device != now.device && devices.insert(old.device + now.device).second)
            fmt::print("{:>35} was timed on: {}\n{:>35} now:          {}\n", "", printable(old.device), "",
                       now.device);
        if (worse) slower.push_back(fmt::format("{} ({:+.1f}%)", name_of(old), 100 * (ratio - 1)));
        report.add(now);
    }
    if (slower.empty()) return;
    throw InputError(fmt::format("{} of {} entries {} more than {}% slower than in {}: {}", slower.size(),
                                 report.size(), slower.size() == 1 ? "is" : "are", request.tolerance,
                                 request.compare, fmt::join(slower, "; ")));
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    const ProgramOptions* declared = nullptr;
    return run_program(
        argc, argv,
        {.name = "bench-flip",
         .purpose = "Times proposed spin flips, in picoseconds.",
         .one_size = false,
         .takes_config = false,
         .long_running = false},
        [&](ProgramOptions& options) {
            declare(options, request);
            declared = &options;
        },
        [&](const ProgramContext& context) {
            request.sizes_chosen = declared->is_given("--L");
            request.shares_chosen = declared->is_given("--share");
            if (request.setup.lanes == "replicas" && !request.shares_chosen) request.shares = {1};
            request.columns_chosen = declared->is_given("--columns");
            BackendChoice choice = context.backend;
            if (request.relax > 0)
                time_relaxations(choice, request);
            else
                request.compare.empty() ? time_all(choice, request) : compare(choice, request);
        });
}
