// bench-slab: times lattices that are cut into slabs, for strong and weak scaling.
#include <fmt/core.h>

#include <cmath>

#include "base/error.hpp"
#include "bench/slab_benchmark.hpp"
#include "common/bench_program.hpp"
#include "common/existing_output.hpp"
#include "config/limits.hpp"
#include "slab/agreement.hpp"
#include "slab/halo_way.hpp"
#include "slab/ranks.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<int> sizes{64, 128}, slabs{1, 2}, columns{1}, weak;
    std::vector<std::string> halos{"auto"}, orders{"auto"};
    std::string kernel = "auto", lanes = "realizations";
    SlabCase setup;
    BenchOptions bench;
};

void declare(ProgramOptions& options, Request& request) {
    options.optional("--L", request.sizes, "Lattice sizes, separated by commas.").delimiter(',');
    declare_slabs(options, request.slabs, request.halos);
    options
        .optional("--weak", request.weak,
                  "Times weak scaling. The lattice of one slab has this size instead of --L. The lattice of "
                  "N slabs has the even size nearest to N^(1/3) times this size. If you give several sizes, "
                  "separated by commas, they are the sizes for the numbers of slabs.")
        .delimiter(',')
        .check(in_range(0, limits::max_L));
    options
        .optional("--columns", request.columns,
                  "Numbers of columns of 128 realizations, separated by commas.")
        .delimiter(',');
    options
        .optional("--lanes", request.lanes,
                  "Lane coding: realizations or replicas. With replicas, --columns are numbers of "
                  "realizations, and --share must be 1.")
        .check(one_of({"realizations", "replicas"}));
    options.optional("--replicas", request.setup.replicas, "Number of replicas.");
    options.optional("--temperatures", request.setup.temperatures, "Number of temperatures.");
    options.optional("--share", request.setup.share, "Realizations per random number: 1, 32, 64 or 128.");
    options
        .optional("--halo-order", request.orders,
                  "Orders of the sites of slabs, separated by commas: standard, sliced or auto (standard).")
        .delimiter(',')
        .check(one_of({"auto", "standard", "sliced"}));
    options.optional("--kernel", request.kernel, "CUDA kernel, as for bench-flip.").check(kernel_text());
}

/// Returns the sizes that are timed for a number of slabs, the number with this index.
std::vector<int> sizes_for(const Request& request, std::size_t index, int slabs) {
    if (request.weak.empty()) return request.sizes;
    if (request.weak.size() > 1) return {request.weak[index]};
    return {2 * static_cast<int>(std::lround(request.weak[0] * std::cbrt(slabs) / 2))};
}

/// Times a case. The first rank gets the result.
SlabResult time_case(const BackendChoice& choice, const SlabCase& setup, const Request& request,
                     Ranks& ranks) {
    SlabResult result;
    with_slabs(setup.slabs, ranks, [&](Ranks& mine) {
        const SlabResult found = time_slabs(choice, setup, request.bench.timing, mine);
        if (mine.is_first()) result = found;
    });
    return result;
}

void print_header() {
    fmt::print("{:>4} {:>6} {:>6} {:>6} {:>9} {:>9} {:>8} {:>12} {:>10} {:>11} {:>8}  device\n", "L", "slabs",
               "packs", "halo", "order", "messages", "planes", "us/sweep", "ps/flip", "efficiency", "spread");
}

std::string line_of(const SlabResult& r, double efficiency) {
    const bool cut = r.setup.slabs > 1;
    return fmt::format(
        "{:>4} {:>6} {:>6} {:>6} {:>9} {:>9} {:>8.4g} {:>12.2f} {:>10.4f} {:>11} {:>7.1f}%  {}", r.setup.L,
        r.setup.slabs, r.setup.packs(), cut ? r.halo : "", cut ? name(r.setup.order) : "",
        cut ? fmt::format("{:.4g}", r.messages) : "", r.planes(), r.seconds * 1e6, r.ps_per_flip(),
        efficiency > 0 ? fmt::format("{:.3f}", efficiency) : "", 100 * r.spread, r.device);
}

/// Returns all cases to time, each for any way of halo transport. Whole lattices have one order.
std::vector<SlabCase> requested_cases(const Request& request, const Ranks& ranks) {
    const std::vector<int> numbers = ranks.alone() ? request.slabs : std::vector<int>{1, ranks.size()};
    if (request.weak.size() > 1 && request.weak.size() != numbers.size())
        throw InputError(
            fmt::format("--weak has {} sizes, but the numbers of slabs to time are {}; give one "
                        "size, or a size for each number of slabs",
                        request.weak.size(), numbers.size()));
    std::vector<SlabCase> cases;
    for (const int columns : request.columns)
        for (std::size_t i = 0; i < numbers.size(); ++i)
            for (const int L : sizes_for(request, i, numbers[i]))
                for (const std::string& order : request.orders) {
                    SlabCase setup = request.setup;
                    setup.L = L, setup.columns = columns, setup.slabs = numbers[i];
                    setup.lanes = request.lanes == "replicas" ? Lanes::replicas : Lanes::realizations;
                    setup.weak = !request.weak.empty();
                    setup.order = halo_order(order);
                    check_slab_case(setup);
                    cases.push_back(setup);
                    if (setup.slabs == 1) break;
                }
    return cases;
}

void time_all(const ProgramContext& context, const Request& request) {
    Ranks& ranks = *context.ranks;
    std::vector<SlabCase> cases;
    all_do(ranks, [&] { cases = requested_cases(request, ranks); });
    std::vector<SlabResult> results;
    BenchReport report(request.bench);
    if (ranks.is_first()) print_header();
    BackendChoice choice = context.backend;
    choice.kernel = request.kernel;
    const auto add = [&](const SlabCase& setup) {
        const SlabResult found = time_case(choice, setup, request, ranks);
        if (!ranks.is_first()) return;
        results.push_back(found);
        report.add(slab_row(results, found), line_of(found, efficiency(results, found)));
    };
    for (const SlabCase& setup : cases)
        for_each_halo(request.halos, setup.slabs, ranks, [&](const std::string& halo) {
            choice.halo = halo;
            add(setup);
        });
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    return run_bench(
        argc, argv,
        {.name = "bench-slab",
         .purpose = "Times sweeps of lattices that are cut into slabs. Lattices have fixed sizes (strong "
                    "scaling) or, with --weak, grow with the number of slabs. The efficiency compares the "
                    "time per device with one device.",
         .kind = text_kind::slab_timings,
         .several_ranks = true},
        request.bench, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { time_all(context, request); });
}
