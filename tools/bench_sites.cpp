// bench-sites: times and measures large lattices whose subdomains are the lanes of words.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "bench/sites_benchmark.hpp"
#include "bench/slab_benchmark.hpp"
#include "common/bench_program.hpp"
#include "common/existing_output.hpp"
#include "config/limits.hpp"
#include "slab/agreement.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{1024}, tiles{0}, hits{1};
    std::vector<double> betas{0.4};
    std::string model = "ferromagnet2d", kernel = "auto", tile_order = "fixed";
    double field = 0;
    bool heat_bath = false, swendsen_wang = false, start_up = false;
    int demon_sites = 0, wolff_clusters = 0;
    std::vector<std::uint64_t> seeds{20261121};
    SitesSeries length{.measured = 0};
    int together = 1;
    SitesBatchCase batch;
    std::vector<int> slabs{1};
    std::vector<std::string> halos{"auto"};
    BenchOptions bench;

    bool measures() const { return length.measured > 0; }
};

Model model_of(const Request& request) {
    Model model;
    if (request.model.starts_with("ferromagnet")) model.kind = ModelKind::ferromagnet;
    model.dimension = request.model.ends_with("2d") ? 2 : 3;
    model.field = request.field;
    model.demon_sites = request.demon_sites;
    model.wolff_clusters = request.wolff_clusters;
    int chosen = 0;
    for (const auto& [update, is_chosen] : {std::pair{Update::heat_bath, request.heat_bath},
                                            {Update::demon, request.demon_sites > 0},
                                            {Update::swendsen_wang, request.swendsen_wang},
                                            {Update::wolff, request.wolff_clusters > 0}}) {
        if (is_chosen) model.update = update;
        chosen += is_chosen;
    }
    if (chosen > 1)
        throw InputError(
            "--heat-bath, --demon-sites, --swendsen-wang and --wolff exclude each other; give one");
    return model;
}

void declare(ProgramOptions& options, Request& request) {
    options.optional("--L", request.sizes, "Lattice sizes, separated by commas.").delimiter(',');
    options.optional("--model", request.model, "The model.")
        .check(one_of({"ferromagnet2d", "ferromagnet3d", "glass2d", "glass3d"}));
    options.optional("--beta", request.betas, "Inverse temperatures, separated by commas.").delimiter(',');
    options
        .optional(
            "--tile", request.tiles,
            "Edges of the tiles of a double checkerboard, separated by commas. 0 is the plain checkerboard.")
        .delimiter(',');
    options.optional("--hits", request.hits, "Numbers of updates of a tile in a step, separated by commas.")
        .delimiter(',');
    options
        .optional("--tile-order", request.tile_order,
                  "Order of the tiles: fixed, alternating or reversed (dynamics.tile_order).")
        .check(one_of({"fixed", "alternating", "reversed"}));
    options.optional("--field", request.field, "Magnetic field.");
    options.flag("--heat-bath", request.heat_bath, "Uses heat-bath updates instead of Metropolis updates.");
    options
        .optional(
            "--demon-sites", request.demon_sites,
            "Uses demons that serve up to this number of sites instead of Metropolis updates. 0 means no "
            "demons.")
        .check(in_range(0, limits::max_demon_sites));
    options.flag("--swendsen-wang", request.swendsen_wang,
                 "Uses Swendsen-Wang updates. A step gives every cluster a new random spin.");
    options
        .optional("--wolff", request.wolff_clusters,
                  "Uses Wolff updates that flip this number of clusters in a step. 0 means another update.")
        .check(in_range(0, limits::max_wolff_clusters));
    options.flag("--start-up", request.start_up, "Starts with all spins +1 instead of random spins.");
    options
        .optional("--seed", request.seeds,
                  "Seeds of couplings, start and random numbers, separated by commas.")
        .delimiter(',');
    options
        .optional("--measure", request.length.measured,
                  "Without timings: measures energies, specific heats and autocorrelation times over this "
                  "number of steps.")
        .check(whole_number_from(0));
    options.optional("--thermalize", request.length.thermalize, "Number of steps before the measured steps.")
        .check(whole_number_from(0));
    options
        .optional("--together", request.together,
                  "With --measure: number of lattices that run at the same time, for GPUs that one lattice "
                  "does not fill.")
        .check(in_range(1, 256));
    options.optional("--kernel", request.kernel,
                     "CUDA kernel: auto, or WORDSxROWS that one thread updates, for example 4x8. With "
                     "--tile, ROWS is 1. With --demon-sites, ROWS are the rows of a chain.");
    for (auto& [what, count] : {std::pair{"realizations", &request.batch.realizations},
                                {"replicas", &request.batch.replicas},
                                {"temperatures", &request.batch.temperatures}})
        options
            .optional(std::string("--") + what, *count,
                      fmt::format("Without --measure: number of {} of the batch that is timed.", what))
            .check(in_range(1, 64));
    declare_slabs(options, request.slabs, request.halos);
    options.flag("--apart", request.batch.apart,
                 "Times the lattices of a batch one after the other, not together.");
}

std::vector<LargeLatticeSetup> setups_of(const Request& request) {
    std::vector<LargeLatticeSetup> setups;
    if (request.tile_order != "fixed" && std::ranges::max(request.tiles) == 0)
        throw InputError("--tile-order goes with tiles only; give --tile, or leave it out");
    for (const int L : request.sizes)
        for (const int tile : request.tiles)
            for (const int hits : tile == 0 && request.tiles.size() > 1 ? std::vector{1} : request.hits)
                for (const double beta : request.betas)
                    for (const std::uint64_t seed : request.seeds) {
                        setups.push_back({.model = model_of(request),
                                          .L = L,
                                          .beta = beta,
                                          .seed = seed,
                                          .start_up = request.start_up,
                                          .tile = tile,
                                          .hits = hits,
                                          .tile_order = tile > 0 ? named<TileOrder>(request.tile_order)
                                                                 : TileOrder::fixed});
                        check_large_lattice(setups.back());
                    }
    return setups;
}

/// Returns the numbers of slabs to time, after a check of all cases.
std::vector<int> slabs_of(const Request& request, const std::vector<LargeLatticeSetup>& setups,
                          const Ranks& ranks) {
    std::vector<int> numbers = ranks.alone() ? request.slabs : std::vector<int>{1, ranks.size()};
    for (const int slabs : numbers) {
        check_slabs(slabs);
        if (slabs == 1) continue;
        if (request.measures() || request.batch.lattices() > 1)
            throw InputError(
                "several slabs are timed for one lattice only; use one rank and --slabs 1, or leave out "
                "--measure, --realizations, --replicas and --temperatures");
        for (const LargeLatticeSetup& setup : setups)
            check_site_ranks({setup.model.dimension, setup.L}, setup.tile, slabs);
    }
    return numbers;
}

std::string line_of(const BenchRow& row, const LargeLatticeSetup& setup) {
    const std::string begin =
        fmt::format("{:>6} {:>5} {:>5} {:>10.7g}", setup.L, setup.tile, setup.hits, setup.beta);
    if (row.text("series") == "flips")
        return fmt::format("{} {:>12.4f} {:>7.1f}% {:>12.4f} {:>6} {:>10}  {}", begin,
                           row.number("ps_per_flip"), 100 * row.number("spread"),
                           row.number("ps_per_flip_with_sums"), row.number("slabs"),
                           row.number("slabs") > 1 ? fmt::format("{:.3f}", row.number("efficiency")) : "",
                           row.text("device"));
    return fmt::format(
        "{} {:>13.8f} +- {:<10.2g} {:>9.5f} +- {:<9.2g} {:>9.3g} +- {:<8.2g} {:>9.3g} +- {:.2g}", begin,
        row.number("e"), row.number("e_error"), row.number("C"), row.number("C_error"), row.number("tau_e"),
        row.number("tau_e_error"), row.number("tau_m2"), row.number("tau_m2_error"));
}

void print_header(bool measures) {
    fmt::print("{:>6} {:>5} {:>5} {:>10} ", "L", "tile", "hits", "beta");
    if (measures)
        fmt::print("{:>13} {:>25} {:>23} {:>22}\n", "e", "C", "tau_e", "tau_m2");
    else
        fmt::print("{:>12} {:>8} {:>12} {:>6} {:>10}  device\n", "ps/flip", "spread", "with sums", "slabs",
                   "efficiency");
}

void measure(const BackendChoice& choice, const Request& request,
             const std::vector<LargeLatticeSetup>& setups) {
    print_header(true);
    BenchReport report(request.bench);
    const auto together = static_cast<std::size_t>(request.together);
    for (std::size_t first = 0; first < setups.size(); first += together) {
        const std::size_t count = std::min(together, setups.size() - first);
        std::vector<BenchRow> rows(count, BenchRow(""));
        ThreadPool pool(static_cast<int>(count));
        pool.for_each(static_cast<std::int64_t>(count), [&](std::int64_t i, int) {
            const auto at = static_cast<std::size_t>(i);
            rows[at] = measure_sites(choice, setups[first + at], request.length);
        });
        for (std::size_t i = 0; i < count; ++i) report.add(rows[i], line_of(rows[i], setups[first + i]));
    }
}

/// Times a case with some slabs. The first rank gets the result. one_slab: ps per flip of the case with one
/// slab.
BenchRow timed(const BackendChoice& choice, const LargeLatticeSetup& setup, const Request& request, int slabs,
               Ranks& ranks, double& one_slab) {
    BenchRow row("");
    with_slabs(slabs, ranks, [&](Ranks& mine) {
        BenchRow found = request.batch.lattices() > 1
                             ? time_sites_batch(choice, setup, request.batch, request.bench.timing)
                             : time_sites(choice, setup, request.bench.timing, mine);
        if (mine.is_first()) row = std::move(found);
    });
    if (!ranks.is_first()) return row;
    const double ps = row.number("ps_per_flip");
    if (slabs == 1) one_slab = ps;
    return row.add("efficiency", one_slab / (slabs * ps));
}

void time_all(const BackendChoice& choice, const Request& request,
              const std::vector<LargeLatticeSetup>& setups, const std::vector<int>& slabs, Ranks& ranks) {
    if (ranks.is_first()) print_header(false);
    BenchReport report(request.bench);
    for (const LargeLatticeSetup& setup : setups) {
        double one_slab = std::numeric_limits<double>::quiet_NaN();
        for (const int number : slabs)
            for_each_halo(request.halos, number, ranks, [&](const std::string& halo) {
                BackendChoice mine = choice;
                mine.halo = halo;
                const BenchRow row = timed(mine, setup, request, number, ranks, one_slab);
                if (ranks.is_first()) report.add(row, line_of(row, setup));
            });
    }
}

void run(const BackendChoice& choice, const Request& request, Ranks& ranks) {
    std::vector<LargeLatticeSetup> setups;
    std::vector<int> slabs;
    all_do(ranks, [&] {
        setups = setups_of(request);
        slabs = slabs_of(request, setups, ranks);
    });
    if (request.measures()) return measure(choice, request, setups);
    time_all(choice, request, setups, slabs, ranks);
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    return run_bench(
        argc, argv,
        {.name = "bench-sites",
         .purpose = "Times or measures one large Ising lattice. A machine word holds the same site of 128 "
                    "subdomains.",
         .kind = text_kind::large_lattices,
         .several_ranks = true},
        request.bench, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) {
            BackendChoice choice = context.backend;
            choice.kernel = request.kernel;
            run(choice, request, *context.ranks);
        });
}
