// bench-vector: times sweeps of vector spins.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "bench/slab_benchmark.hpp"
#include "bench/vector_benchmark.hpp"
#include "common/bench_program.hpp"
#include "common/existing_output.hpp"
#include "slab/agreement.hpp"
#include "sweep/vector/vector_ensemble.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{64}, slabs{1};
    std::vector<std::string> models{"ferromagnet"}, updates{"metropolis"}, precisions{"float"};
    std::vector<std::string> halos{"auto"};
    std::vector<double> betas{1.0};
    std::vector<int> tiles{0}, hits{1};
    std::string tile_order = "fixed";
    std::int64_t lattices = 1;
    int sites_of_thread = max_sites_of_thread;
    std::int64_t lengths = 0;
    BenchOptions bench;
};

void declare(ProgramOptions& options, Request& request) {
    options.optional("--L", request.sizes, "Lattice sizes, separated by commas.").delimiter(',');
    options
        .optional("--model", request.models,
                  "Models, separated by commas: ferromagnet, perovskite, canted, glass or ising-glass. "
                  "Append 2d for two dimensions, as in glass2d.")
        .delimiter(',');
    options
        .optional("--update", request.updates,
                  "Updates, separated by commas: metropolis, cone, heat-bath or over-relaxation. Updates "
                  "that a model does not have are skipped.")
        .delimiter(',');
    options
        .optional("--precision", request.precisions,
                  "Precisions, separated by commas. fast works on GPUs only.")
        .delimiter(',')
        .check(one_of({"float", "double", "fast"}));
    options
        .optional("--lengths", request.lengths,
                  "Without timings: measures the deviation of the lengths of spins from 1 after 1, 2, 4, ... "
                  "sweeps, up to this number. Skips ising-glass.")
        .check(in_range(std::int64_t{0}, std::int64_t{1} << 30));
    options
        .optional(
            "--beta", request.betas,
            "Inverse temperatures, separated by commas. The fraction of accepted updates depends on them.")
        .delimiter(',')
        .check(number_from(min_beta, max_beta));
    options
        .optional("--lattices", request.lattices,
                  "Number of lattices in a batch, each with its own disorder.")
        .check(whole_number_from(1));
    options
        .optional("--tile", request.tiles,
                  "Edges of the tiles of a double checkerboard, separated by commas. 0 is the plain "
                  "checkerboard. Models with open boundaries have no tiles.")
        .delimiter(',');
    options.optional("--hits", request.hits, "Numbers of updates of a tile in a step, separated by commas.")
        .delimiter(',')
        .check(whole_number_from(1));
    options
        .optional("--tile-order", request.tile_order,
                  "Order of the tiles: fixed, alternating or reversed (dynamics.tile_order).")
        .check(one_of({"fixed", "alternating", "reversed"}));
    options
        .optional("--sites-of-thread", request.sites_of_thread,
                  "On GPUs: maximum number of sites of a row that one thread updates.")
        .check(one_of({1, 2, 4}));
    declare_slabs(options, request.slabs, request.halos);
}

VectorUpdate update_of(const std::string& wanted) {
    for (VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::cone, VectorUpdate::heat_bath,
                                VectorUpdate::over_relaxation})
        if (wanted == name(update)) return update;
    throw InputError(
        fmt::format("--update '{}' is unknown; use metropolis, cone, heat-bath or over-relaxation", wanted));
}

std::string line_of(const VectorBenchmarkResult& r) {
    return fmt::format(
        "{:>14} {:>16} {:>8} {:>5} {:>8.4g} {:>9} {:>5} {:>5} {:>6} {:>10.4f} {:>7.1f}% {:>8.3g} {:>10.4f}  "
        "{}",
        r.setup.model, name(r.setup.update), name(r.setup.precision), r.setup.L, r.setup.beta,
        r.setup.lattices, r.setup.tile, r.setup.hits, r.slabs, r.ns_per_spin, 100 * r.spread, r.renewed,
        r.ns_of_sums, r.device);
}

/// Returns the numbers of slabs to time, after a check of all cases.
std::vector<int> slabs_of(const Request& request, const Ranks& ranks) {
    std::vector<int> numbers = ranks.alone() ? request.slabs : std::vector<int>{1, ranks.size()};
    for (const int slabs : numbers) {
        check_slabs(slabs);
        if (slabs > 1 && request.lengths > 0)
            throw InputError(
                "lengths of spins are measured on one rank; use --slabs 1, or leave out --lengths");
        for (const int L : request.sizes)
            if (slabs > 1) planes_of_rank(L, 0, slabs);
    }
    return numbers;
}

/// Returns the pairs of tile and hits. Without tiles there is one hit.
std::vector<std::pair<int, int>> tiles_of(const Request& request) {
    std::vector<std::pair<int, int>> pairs;
    for (const int tile : request.tiles)
        if (tile == 0 && request.tiles.size() > 1)
            pairs.emplace_back(0, 1);
        else
            for (const int hits : request.hits) pairs.emplace_back(tile, hits);
    return pairs;
}

/// Returns all requested cases that their models allow.
std::vector<VectorBenchmarkCase> cases_of(const Request& request) {
    std::vector<VectorBenchmarkCase> cases;
    for (const std::string& model : request.models)
        for (const std::string& precision : request.precisions)
            for (const int L : request.sizes)
                for (const std::string& update : request.updates)
                    for (const double beta : request.betas)
                        for (const auto& [tile, hits] : tiles_of(request)) {
                            const TileOrder order =
                                tile > 0 ? named<TileOrder>(request.tile_order) : TileOrder::fixed;
                            VectorBenchmarkCase which{.model = model,
                                                      .update = update_of(update),
                                                      .L = L,
                                                      .lattices = request.lattices,
                                                      .sites_of_thread = request.sites_of_thread,
                                                      .beta = beta,
                                                      .tile = tile,
                                                      .hits = hits,
                                                      .tile_order = order};
                            for (const Precision other : {Precision::twofold, Precision::fast})
                                if (precision == name(other)) which.precision = other;
                            if (vector_benchmark_can(which)) cases.push_back(which);
                        }
    return cases;
}

/// Refuses requests that would time nothing, or not what they name.
void check_cases(const Request& request) {
    if (request.tile_order != "fixed" && std::ranges::max(request.tiles) == 0)
        throw InputError("--tile-order goes with tiles only; give --tile, or leave it out");
    if (request.lengths > 0 && request.lengths < std::ranges::max(request.hits))
        throw InputError(
            "--lengths is shorter than one step of --hits updates; use more sweeps, or fewer hits");
    if (cases_of(request).empty())
        throw InputError(
            "no requested model has these updates, precisions and tiles; tiles need periodic boundaries (not "
            "canted or perovskite), and an even number of tiles along each axis");
}

void measure_lengths(const ProgramContext& context, const Request& request) {
    BenchReport report(request.bench);
    fmt::print("{:>14} {:>16} {:>8} {:>5} {:>10} {:>12} {:>12}  device\n", "model", "update", "precision",
               "L", "sweeps", "mean", "largest");
    for (const VectorBenchmarkCase& which : cases_of(request)) {
        if (which.model.starts_with("ising")) continue;
        for (const VectorLengths& r : vector_lengths(context.backend, which, request.lengths))
            report.add(vector_row(r),
                       fmt::format("{:>14} {:>16} {:>8} {:>5} {:>10} {:>12.3g} {:>12.3g}  {}", r.setup.model,
                                   name(r.setup.update), name(r.setup.precision), r.setup.L, r.sweeps, r.mean,
                                   r.largest, r.device));
    }
}

void time_all(const ProgramContext& context, const Request& request) {
    Ranks& ranks = *context.ranks;
    std::vector<int> slabs;
    all_do(ranks, [&] {
        slabs = slabs_of(request, ranks);
        check_cases(request);
    });
    if (request.lengths > 0) return measure_lengths(context, request);
    BenchReport report(request.bench);
    if (ranks.is_first())
        fmt::print(
            "{:>14} {:>16} {:>8} {:>5} {:>8} {:>9} {:>5} {:>5} {:>6} {:>10} {:>8} {:>8} {:>10}  device\n",
            "model", "update", "precision", "L", "beta", "lattices", "tile", "hits", "slabs", "ns/spin",
            "spread", "renewed", "ns of sums");
    for (const VectorBenchmarkCase& which : cases_of(request))
        for (const int number : slabs)
            for_each_halo(request.halos, number, ranks, [&](const std::string& halo) {
                BackendChoice choice = context.backend;
                choice.halo = halo;
                with_slabs(number, ranks, [&](Ranks& mine) {
                    const VectorBenchmarkResult r = time_vectors(choice, which, request.bench.timing, mine);
                    if (mine.is_first()) report.add(vector_row(r), line_of(r));
                });
            });
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    return run_bench(
        argc, argv,
        {.name = "bench-vector",
         .purpose = "Times sweeps of vector spins, and of Ising spins with Gaussian couplings.",
         .kind = text_kind::vector_timings,
         .several_ranks = true},
        request.bench, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { time_all(context, request); });
}
