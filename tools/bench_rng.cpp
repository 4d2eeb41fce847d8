// bench-rng: times the random number generators of the literature, and measures their effect on energies.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <future>

#include "base/error.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/rng_curand.hpp"
#include "bench/rng_quality.hpp"
#include "bench/rng_relaxation.hpp"
#include "bench/rng_stream.hpp"
#include "bench/rng_timings.hpp"
#include "common/bench_rng_request.hpp"
#include "common/existing_output.hpp"
#include "disorder/couplings.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

bool is_loads(const std::string& series) {
    return series == "loads" || series == "grid-loads";
}

/// Returns whether words of the series hold temperatures (stateful/temperature_words.hpp).
bool has_temperature_words(const std::string& series) {
    return series == "codings" || series == "probabilities" || series == "arrangements";
}

/// Checks all inputs of the series before the first timing.
void check_series(const BenchRngRequest& request, const std::vector<FerromagnetSetup>& ferromagnets) {
    for (const std::string& series : request.series) {
        if (series == "glass" || is_loads(series))
            for (const int L : request.sizes) check_site_table(L, 3, UpdateOrder::checkerboard);
        else if (series == "ferromagnet")
            for (const FerromagnetSetup& setup : ferromagnets) check_ferromagnet_size(setup);
        else if (series != "fill" && series != "odd" && !has_temperature_words(series))
            throw InputError("--series '" + series +
                             "' is unknown; use fill, odd, glass, loads, grid-loads, codings, probabilities, "
                             "arrangements or ferromagnet");
    }
}

void add_note(BenchReport& report, const BenchRow& row) {
    report.add(row,
               fmt::format("{:>12} {:>15} {}", row.text("series"), row.text("generator"), row.text("note")));
}

void add_numbers(BenchReport& report, const BenchRow& row) {
    if (!row.text("note").empty()) return add_note(report, row);
    const double seeding = row.number("init_seconds");
    report.add(row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} numbers/s {:>6.1f}% {:>9.3g} B/number  {}",
                                row.text("series"), row.text("generator"),
                                fmt::format("{:.0f} streams", row.number("streams")) +
                                    (std::isnan(seeding) ? "" : fmt::format(", {:.3g} s to seed", seeding)),
                                row.number("numbers_per_second"), 100 * row.number("spread"),
                                row.number("bytes_per_number"), row.text("device")));
}

void add_flips(BenchReport& report, const BenchRow& row) {
    if (!row.text("note").empty()) return add_note(report, row);
    report.add(row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} ps/flip   {:>6.1f}% {:>9.3g} B/number  {}",
                                row.text("series"), row.text("generator"),
                                fmt::format("L = {:.0f} {}", row.number("L"), row.text("order")),
                                row.number("ps_per_flip"), 100 * row.number("spread"),
                                row.number("bytes_per_number"), row.text("device")));
}

/// Calls f for each size, site order and number of words of the glass.
void for_each_glass(const BenchRngRequest& request,
                    const std::function<void(int L, SiteOrder order, int words)>& f) {
    for (const SiteOrder order : chosen_site_orders(request))
        for (const int L : request.sizes)
            if (order != SiteOrder::bitwise || std::has_single_bit(static_cast<unsigned>(L)))
                for (const int words : request.words) f(L, order, words);
}

void time_all_loads(BenchReport& report, const BackendChoice& choice, const BenchRngRequest& request,
                    bool threads_in_grid) {
    for_each_glass(request, [&](int L, SiteOrder order, int words) {
        const BenchRow row = time_loads(choice, L, order, words, threads_in_grid, request.bench.timing);
        report.add(
            row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} ps/site   {:>6.1f}% {:>19}  {}",
                             row.text("series"), "", fmt::format("L = {} {}", L, name(order)),
                             row.number("ps_per_site"), 100 * row.number("spread"), "", row.text("device")));
    });
}

void time_temperature_words(BenchReport& report, const BackendChoice& choice, const BenchRngRequest& request,
                            const std::string& series, const std::string& generator) {
    using C = TemperatureCoding;
    using P = FlipProbability;
    const auto add = [&](C coding, P probability) {
        const BenchRow row =
            time_temperatures(choice, series, generator, coding, probability, request.bench.timing);
        report.add(
            row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} ps/flip   {:>6.1f}% {:>19}  {}", series,
                             generator, fmt::format("{}, {}", name(coding), name(probability)),
                             row.number("ps_per_flip"), 100 * row.number("spread"), "", row.text("device")));
    };
    if (series == "codings")
        for (const C coding : {C::amsc1, C::amsc3, C::amsc4, C::camsc}) add(coding, P::thresholds);
    if (series == "probabilities")
        for (const P probability :
             {P::exponential, P::fast_exponential, P::memory_table, P::shared_table, P::thresholds})
            add(C::amsc1, probability);
}

void time_arrangements(BenchReport& report, const BackendChoice& choice, const BenchRngRequest& request) {
    using A = LatticeArrangement;
    for (const A arrangement : {A::unified, A::separated, A::shuffled}) {
        const BenchRow row = time_arrangement(choice, arrangement, request.bench.timing);
        report.add(row,
                   fmt::format("{:>12} {:>15} {:>34} {:>12.4g} ps/word   {:>6.1f}% {:>14.4g} GB/s  {}",
                               "arrangements", "", name(arrangement), row.number("ps_per_transaction"),
                               100 * row.number("spread"), row.number("gb_per_second"), row.text("device")));
    }
}

/// Refuses generators and series that would give no rows.
void check_device(const BenchRngRequest& request, bool device) {
    if (!device && std::ranges::count(request.series, "grid-loads"))
        throw EnvironmentError(
            "--series: grid-loads needs an NVIDIA GPU, because only blocks of threads differ from loads; "
            "use --backend cuda, or leave grid-loads out");
    const auto named = named_of_curand(request);
    if (named.empty()) return;
    if (!device)
        throw EnvironmentError("--generators: " + named.front() +
                               " is a generator of cuRAND, which needs an NVIDIA GPU; run bench-rng with "
                               "--backend cuda, or name other generators");
    if (request.series == std::vector<std::string>{"ferromagnet"})
        throw InputError(
            "--generators: " + named.front() +
            " is a generator of cuRAND, which has no rows of --series ferromagnet; add fill, odd "
            "or glass, or name other generators");
}

/// Times the generators of cuRAND on a GPU, in addition to all others.
void time_curand(BenchReport& report, const BackendChoice& choice, const BenchRngRequest& request,
                 const std::string& series) {
    for (const std::string& generator : chosen_of_curand(request)) {
        if (series == "fill")
            add_numbers(report, time_curand_fill(choice, generator, request.numbers, request.bench.timing));
        if (series == "odd") add_numbers(report, time_curand_odd(choice, generator, request.bench.timing));
        if (series == "glass")
            for_each_glass(request, [&](int L, SiteOrder order, int words) {
                add_flips(report,
                          time_curand_glass(choice, generator, L, order, words, request.bench.timing));
            });
    }
}

void time_glasses(BenchReport& report, const BackendChoice& choice, const BenchRngRequest& request,
                  const std::string& generator) {
    for_each_glass(request, [&](int L, SiteOrder order, int words) {
        add_flips(report, time_glass(choice, generator, L, order, words, request.bench.timing));
    });
}

void time_all(const BackendChoice& choice, const BenchRngRequest& request) {
    const auto generators = chosen_generators(request);
    const auto ferromagnets = chosen_ferromagnets(request);
    chosen_site_orders(request);
    check_series(request, ferromagnets);
    const bool device = choose_backend(choice) == Backend::cuda;
    check_device(request, device);
    BenchReport report(request.bench);
    for (const std::string& series : request.series) {
        if (is_loads(series)) time_all_loads(report, choice, request, series == "grid-loads");
        if (series == "arrangements") time_arrangements(report, choice, request);
        for (const std::string& generator : generators) {
            if (has_temperature_words(series))
                time_temperature_words(report, choice, request, series, generator);
            if (series == "fill")
                add_numbers(report, time_fill(choice, generator, request.numbers, request.bench.timing));
            if (series == "odd") {
                for (const int blocks : request.blocks)
                    if (device || blocks == request.blocks.front())
                        add_numbers(report, time_odd(choice, generator, blocks, request.bench.timing));
            }
            if (series == "glass") time_glasses(report, choice, request, generator);
            if (series == "ferromagnet")
                for (FerromagnetSetup setup : ferromagnets) {
                    setup.generator = generator;
                    if (!device || setup.order != UpdateOrder::sequential)
                        add_flips(report, time_ferromagnet(choice, setup, request.bench.timing));
                }
        }
        if (device) time_curand(report, choice, request, series);
    }
}

/// Measures with the streams of a device, also on the CPU. Spins that are not packed have L^2 / 4 streams in
/// the checkerboard, as in the double checkerboard.
BenchRow quality_of_ferromagnet(const BackendChoice& choice, const BenchRngRequest& request,
                                const std::string& generator, FerromagnetSetup setup) {
    setup.generator = generator;
    setup.beta = quality_beta;
    const bool halves = setup.order == UpdateOrder::checkerboard && !setup.packed;
    if (setup.order != UpdateOrder::sequential)
        setup.layout =
            usual_layout(generator, setup.units_of_phase() / (halves ? 2 : 1), true, setup.numbers_of_unit());
    return ferromagnet_quality(choice, setup, request.sweeps);
}

BenchRow quality_of_glass(const BackendChoice& choice, const BenchRngRequest& request,
                          const std::string& generator, const Disorder& disorder) {
    if (disorder.count != 32)
        throw InputError(fmt::format(
            "{}: the file has {} realizations, but a word holds 32; make a file with 32 realizations",
            request.disorder, disorder.count));
    GlassSetup setup{.generator = generator,
                     .L = disorder.L,
                     .words = request.copies,
                     .beta = 1 / request.temperature,
                     .seed = request.seed};
    setup.site_order = chosen_site_orders(request).front();
    const auto of_phase = static_cast<std::uint32_t>(disorder.sites() / 2);
    setup.layout = usual_layout(generator, of_phase, true);
    setup.couplings = disorder.couplings;
    return glass_quality(choice, setup, request.sweeps, request.every);
}

void measure_glass(const BackendChoice& choice, const BenchRngRequest& request) {
    BenchReport report(request.bench);
    const Disorder disorder = read_disorder(request.disorder, request.sizes.front(), 32);
    for (const std::string& generator : chosen_generators(request)) {
        const BenchRow row = quality_of_glass(choice, request, generator, disorder);
        report.add(row, fmt::format("{:>15} glass of L = {}, T = {}, {} copies of 32 realizations: energies "
                                    "and specific heats are in the file of --json",
                                    generator, disorder.L, request.temperature, request.copies * 4));
    }
}

/// Measures ferromagnets. All generators run at once on a device, because one lattice leaves most of it idle,
/// and in sequential order, because one lattice has one CPU thread.
void measure_ferromagnet(const BackendChoice& choice, const BenchRngRequest& request) {
    BenchReport report(request.bench);
    const bool device = choose_backend(choice) == Backend::cuda;
    const auto setups = chosen_ferromagnets(request);
    for (const FerromagnetSetup& setup : setups) check_ferromagnet_size(setup);
    fmt::print("{:>15} {:>20} {:>20} {:>9} {:>18} {:>9}\n", "generator", "order", "-e", "sigma off", "C",
               "sigma off");
    for (const FerromagnetSetup& setup : setups) {
        if (device && setup.order == UpdateOrder::sequential) continue;
        const bool at_once = device || setup.order == UpdateOrder::sequential;
        std::vector<std::future<BenchRow>> rows;
        for (const std::string& generator : chosen_generators(request))
            rows.push_back(std::async(at_once ? std::launch::async : std::launch::deferred, [&, generator] {
                return quality_of_ferromagnet(choice, request, generator, setup);
            }));
        for (auto& found : rows) {
            const BenchRow row = found.get();
            const std::string generator = row.text("generator");
            report.add(row, fmt::format("{:>15} {:>20} {:>11.7f}({:.7f}) {:>8.2f} {:>9.5f}({:.5f}) {:>8.2f}",
                                        generator, row.text("order"), row.number("minus_e"),
                                        row.number("minus_e_error"), row.number("minus_e_sigma"),
                                        row.number("C"), row.number("C_error"), row.number("C_sigma")));
        }
    }
}

/// Measures relaxations. All words have the same 32 realizations.
void relax_glass(const BackendChoice& choice, const BenchRngRequest& request) {
    BenchReport report(request.bench);
    const int L = request.sizes.front();
    check_site_table(L, 3, UpdateOrder::checkerboard);
    GlassSetup setup{.generator = {},
                     .L = L,
                     .words = request.copies,
                     .beta = 1 / request.temperature,
                     .seed = request.seed};
    setup.site_order = chosen_site_orders(request).front();
    setup.couplings = generate_couplings({.seed = request.seed, .L = L}, 0, 32, choice.threads);
    for (const std::string& generator : chosen_generators(request)) {
        setup.generator = generator;
        setup.layout = usual_layout(generator, static_cast<std::uint32_t>(setup.shape().sites() / 2), true);
        report.add(
            glass_relaxation(choice, setup, request.relax),
            fmt::format("{:>15} relaxation of L = {} at T = {}: energies and chi are in the file of --json",
                        generator, L, request.temperature));
    }
}

void work(const ProgramContext& context, const BenchRngRequest& request) {
    if (!request.disorder.empty() && !request.quality)
        throw InputError("--disorder is for --quality only; timings draw their own couplings");
    if (request.stream)
        return write_sweep_numbers({.seed = request.seed, .L = request.sizes.front()}, request.bytes);
    if ((request.quality || request.relax > 0) && chosen_generators(request).empty())
        throw InputError(
            "--quality and --relax do not work with generators of cuRAND; name other generators");
    if (request.relax > 0) return relax_glass(context.backend, request);
    if (!request.quality) return time_all(context.backend, request);
    if (request.disorder.empty()) return measure_ferromagnet(context.backend, request);
    measure_glass(context.backend, request);
}

}  // namespace

int main(int argc, char** argv) {
    BenchRngRequest request;
    return run_bench(
        argc, argv,
        {.name = "bench-rng",
         .purpose =
             "Times the random number generators of the literature, and sweeps with their numbers. With "
             "--quality, compares the averages of sweeps with exact values. Studies use only Philox.",
         .kind = text_kind::generators},
        request.bench, [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { work(context, request); });
}
