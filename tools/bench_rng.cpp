#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "bench/rng_curand.hpp"
#include "bench/rng_quality.hpp"
#include "bench/rng_relaxation.hpp"
#include "bench/rng_stream.hpp"
#include "bench/rng_timings.hpp"
#include "common/older_output.hpp"
#include "common/program.hpp"
#include "disorder/couplings.hpp"
#include "io/output/atomic_file.hpp"
#include "random/generators/generator_list.hpp"

using namespace psflip;
using namespace psflip::tools;

namespace {

struct Request {
    std::vector<std::string> generators{"all"}, series{"fill", "odd", "glass", "ferromagnet"},
        orders{"sequential", "double-checkerboard"}, site_orders{"standard"};
    std::vector<int> sizes{8, 16, 32};
    std::uint64_t numbers = 1 << 24, seed = 12345;
    int square = 1024, dimension = 2, words = 0, copies = 16, every = 8, relax = 0;
    bool quality = false, stream = false;
    std::uint64_t bytes = 0;
    double temperature = 1.0;
    QualitySweeps sweeps;
    std::string disorder, json;
    BenchmarkTiming timing;
};

void declare_quality(ProgramOptions& options, Request& request) {
    options.flag(
        "--quality", request.quality,
        "no timings: energy and specific heat of the ferromagnet on the square lattice at beta = 0.4 "
        "against exact values; with --disorder those of a glass in equilibrium");
    options
        .optional(
            "--orders", request.orders,
            "of the sites of the ferromagnet, separated by commas: sequential (CPU only), checkerboard, "
            "double-checkerboard, packed (the checkerboard with a bit for each spin)")
        ->delimiter(',');
    options
        .optional("--seed", request.seed,
                  "with --quality: of the generators and of the start; with --stream the key")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62));
    options.optional("--thermalize", request.sweeps.thermalize,
                     "with --quality: sweeps that are not measured");
    options.optional("--sweeps", request.sweeps.measured,
                     "with --quality: measured sweeps, a multiple of 32");
    options.input(options.optional("--disorder", request.disorder,
                                   "with --quality: couplings of 32 realizations of the glass in three "
                                   "dimensions, whose size is the first of --L; all copies have them"));
    options.optional(
        "--relax", request.relax,
        "no timings: energy and chi of the glass of the first size of --L after 1, 2, 4, ... sweeps "
        "from random spins, up to so many, at --temperature, in --copies words");
    options.optional("--temperature", request.temperature, "of the glass")->check(CLI::PositiveNumber);
    options.optional("--copies", request.copies,
                     "words with the same 32 realizations and numbers of their own, each in 4 replicas");
    options.optional("--every", request.every, "sweeps from one measurement of the glass to the next");
}

void declare(ProgramOptions& options, Request& request) {
    options
        .optional("--generators", request.generators,
                  "names separated by commas, or all: minstd, lcg32, lcg64, xorshift64star, parisi-rapuano, "
                  "mt19937, fibonacci521, fibonacci1279, philox; lcg32-sequence and lcg64-sequence are one "
                  "sequence whose numbers all streams share. On a GPU all has cuRAND's, too: curand-xorwow, "
                  "curand-mtgp32, curand-mrg32k3a, curand-philox, curand-mt19937")
        ->delimiter(',');
    options
        .optional("--series", request.series,
                  "what is timed, separated by commas: fill (an array), odd (numbers are drawn and counted; "
                  "on a GPU "
                  "by as many threads as published, and by as many as it takes), "
                  "glass (flips of the glass), ferromagnet (flips on the square lattice)")
        ->delimiter(',');
    options.optional("--L", request.sizes, "sizes of the glass, separated by commas")->delimiter(',');
    options
        .optional("--site-orders", request.site_orders,
                  "of the glass, separated by commas: standard, bitwise (where L is a power of two), sliced")
        ->delimiter(',');
    options.optional("--square", request.square, "size of the ferromagnet");
    options.optional("--dimension", request.dimension, "of the ferromagnet")->check(CLI::Range(2, 3));
    options.optional("--numbers", request.numbers, "of the array of fill")
        ->check(CLI::Range(std::uint64_t{64}, std::uint64_t{1} << 34));
    options
        .optional("--words", request.words,
                  "of 32 realizations of the glass; 0: as many as fill the device, or four for each thread")
        ->check(CLI::Range(0, 1 << 24));
    options.optional("--repeats", request.timing.repeats, "timings of which the median is given")
        ->check(CLI::PositiveNumber);
    options.optional("--seconds", request.timing.seconds, "wall time of a timing, at least")
        ->check(CLI::Range(1e-6, 1e5));
    declare_quality(options, request);
    options.flag("--stream", request.stream,
                 "no timings: psflip's own Philox numbers as bytes on standard output, in the order in which "
                 "sweeps of four replicas and eight temperatures take them, of the first size of --L; for "
                 "programs that test generators");
    options.optional("--bytes", request.bytes,
                     "with --stream: at least so many, whole sweeps; 0: without end");
    options.output(
        options.optional("--json", request.json, "also write the results to this file, as a list of objects"),
        text_kind::timings);
}

bool takes_all(const Request& request) {
    return request.generators == std::vector<std::string>{"all"};
}

std::vector<std::string> chosen_generators(const Request& request) {
    std::vector<std::string> all;
    for_each_generator([&](auto listed) { all.emplace_back(listed.key); });
    if (takes_all(request)) return all;
    std::vector<std::string> chosen;
    for (const std::string& key : request.generators) {
        if (std::ranges::count(curand_generators(), key)) continue;
        if (!std::ranges::count(all, key)) throw InputError("--generators: " + unknown_generator(key));
        chosen.push_back(key);
    }
    return chosen;
}

/// Those of cuRAND, which are timed on a GPU.
std::vector<std::string> chosen_of_curand(const Request& request) {
    if (takes_all(request)) return curand_generators();
    std::vector<std::string> chosen;
    for (const std::string& key : request.generators)
        if (std::ranges::count(curand_generators(), key)) chosen.push_back(key);
    return chosen;
}

/// A ferromagnet of the request in each of its orders.
std::vector<FerromagnetSetup> chosen_ferromagnets(const Request& request) {
    std::vector<FerromagnetSetup> setups;
    for (const std::string& text : request.orders) {
        const auto known = {UpdateOrder::sequential, UpdateOrder::checkerboard,
                            UpdateOrder::double_checkerboard};
        const bool packed = text == "packed";
        const auto* found = std::ranges::find(known, packed ? "checkerboard" : text,
                                              [](UpdateOrder order) { return name(order); });
        if (found == known.end())
            throw InputError("--orders '" + text +
                             "' is unknown; use sequential, checkerboard, double-checkerboard or packed");
        setups.push_back({.generator = {},
                          .dimension = request.dimension,
                          .L = request.square,
                          .packed = packed,
                          .order = *found,
                          .seed = request.seed});
    }
    return setups;
}

std::vector<SiteOrder> chosen_site_orders(const Request& request) {
    std::vector<SiteOrder> orders;
    for (const std::string& text : request.site_orders) {
        const auto known = {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced};
        const auto* found = std::ranges::find(known, text, [](SiteOrder order) { return name(order); });
        if (found == known.end())
            throw InputError("--site-orders '" + text + "' is unknown; use standard, bitwise or sliced");
        orders.push_back(*found);
    }
    return orders;
}

/// All that a series needs, before the first is timed.
void check_series(const Request& request, const std::vector<FerromagnetSetup>& ferromagnets) {
    for (const std::string& series : request.series) {
        if (series == "glass")
            for (const int L : request.sizes) check_site_table(L, 3, UpdateOrder::checkerboard);
        else if (series == "ferromagnet")
            for (const FerromagnetSetup& setup : ferromagnets) check_ferromagnet_size(setup);
        else if (series != "fill" && series != "odd")
            throw InputError("--series '" + series + "' is unknown; use fill, odd, glass or ferromagnet");
    }
}

/// Prints rows and keeps the file up to date.
class Report {
  public:
    explicit Report(const Request& request) : json_(request.json) {}
    void add(const RngRow& row, const std::string& line) {
        rows_.push_back(row);
        fmt::print("{}\n", line);
        std::fflush(stdout);
        if (!json_.empty()) write_text_file(json_, rng_json(rows_));
    }

  private:
    std::string json_;
    std::vector<RngRow> rows_;
};

void add_note(Report& report, const RngRow& row) {
    report.add(row,
               fmt::format("{:>12} {:>15} {}", row.text("series"), row.text("generator"), row.text("note")));
}

void add_numbers(Report& report, const RngRow& row) {
    if (!row.text("note").empty()) return add_note(report, row);
    report.add(row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} numbers/s {:>6.1f}% {:>9.3g} B/number  {}",
                                row.text("series"), row.text("generator"),
                                fmt::format("{:.0f} streams, {:.3g} s to seed", row.number("streams"),
                                            row.number("init_seconds")),
                                row.number("numbers_per_second"), 100 * row.number("spread"),
                                row.number("bytes_per_number"), row.text("device")));
}

void add_flips(Report& report, const RngRow& row) {
    if (!row.text("note").empty()) return add_note(report, row);
    report.add(row, fmt::format("{:>12} {:>15} {:>34} {:>12.4g} ps/flip   {:>6.1f}% {:>9.3g} B/number  {}",
                                row.text("series"), row.text("generator"),
                                fmt::format("L = {:.0f} {}", row.number("L"), row.text("order")),
                                row.number("ps_per_flip"), 100 * row.number("spread"),
                                row.number("bytes_per_number"), row.text("device")));
}

/// Those of cuRAND beside all others, on a GPU.
void time_curand(Report& report, const BackendChoice& choice, const Request& request,
                 const std::string& series) {
    for (const std::string& generator : chosen_of_curand(request)) {
        if (series == "fill")
            add_numbers(report, time_curand_fill(choice, generator, request.numbers, request.timing));
        if (series == "odd") add_numbers(report, time_curand_odd(choice, generator, request.timing));
        if (series == "glass")
            for (const int L : request.sizes)
                add_flips(report, time_curand_glass(choice, generator, L, request.words, request.timing));
    }
}

void time_glasses(Report& report, const BackendChoice& choice, const Request& request,
                  const std::string& generator) {
    for (const SiteOrder order : chosen_site_orders(request))
        for (const int L : request.sizes)
            if (order != SiteOrder::bitwise || std::has_single_bit(static_cast<unsigned>(L)))
                add_flips(report, time_glass(choice, generator, L, order, request.words, request.timing));
}

void time_all(const BackendChoice& choice, const Request& request) {
    const auto generators = chosen_generators(request);
    const auto ferromagnets = chosen_ferromagnets(request);
    chosen_site_orders(request);
    check_series(request, ferromagnets);
    const bool device = choose_backend(choice) == Backend::cuda;
    Report report(request);
    for (const std::string& series : request.series) {
        for (const std::string& generator : generators) {
            if (series == "fill")
                add_numbers(report, time_fill(choice, generator, request.numbers, request.timing));
            if (series == "odd") {
                add_numbers(report, time_odd(choice, generator, false, request.timing));
                if (device) add_numbers(report, time_odd(choice, generator, true, request.timing));
            }
            if (series == "glass") time_glasses(report, choice, request, generator);
            if (series == "ferromagnet")
                for (FerromagnetSetup setup : ferromagnets) {
                    setup.generator = generator;
                    if (!device || setup.order != UpdateOrder::sequential)
                        add_flips(report, time_ferromagnet(choice, setup, request.timing));
                }
        }
        if (device) time_curand(report, choice, request, series);
    }
}

/// Streams as on a device, also on the CPU: of spins that are not packed L^2 / 4 in the checkerboard, as in
/// the double one.
RngRow quality_of_ferromagnet(const BackendChoice& choice, const Request& request,
                              const std::string& generator, FerromagnetSetup setup) {
    setup.generator = generator;
    setup.beta = quality_beta;
    const bool halves = setup.order == UpdateOrder::checkerboard && !setup.packed;
    if (setup.order != UpdateOrder::sequential)
        setup.layout =
            usual_layout(generator, setup.units_of_phase() / (halves ? 2 : 1), true, setup.numbers_of_unit());
    return ferromagnet_quality(choice, setup, request.sweeps);
}

RngRow quality_of_glass(const BackendChoice& choice, const Request& request, const std::string& generator,
                        const Disorder& disorder) {
    if (disorder.count != 32)
        throw InputError(fmt::format("{}: {} realizations, where a word has 32; make the file with as many",
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

void measure_glass(const BackendChoice& choice, const Request& request) {
    Report report(request);
    const Disorder disorder = read_disorder(request.disorder, request.sizes.front(), 32);
    for (const std::string& generator : chosen_generators(request)) {
        const RngRow row = quality_of_glass(choice, request, generator, disorder);
        report.add(row, fmt::format("{:>15} glass of L = {}, T = {}, {} copies of 32 realizations: energies "
                                    "and specific heats are in the file of --json",
                                    generator, disorder.L, request.temperature, request.copies * 4));
    }
}

void measure_ferromagnet(const BackendChoice& choice, const Request& request) {
    Report report(request);
    const bool device = choose_backend(choice) == Backend::cuda;
    const auto setups = chosen_ferromagnets(request);
    for (const FerromagnetSetup& setup : setups) check_ferromagnet_size(setup);
    fmt::print("{:>15} {:>20} {:>20} {:>9} {:>18} {:>9}\n", "generator", "order", "-e", "sigma off", "C",
               "sigma off");
    for (const FerromagnetSetup& setup : setups) {
        if (device && setup.order == UpdateOrder::sequential) continue;
        for (const std::string& generator : chosen_generators(request)) {
            const RngRow row = quality_of_ferromagnet(choice, request, generator, setup);
            report.add(row, fmt::format("{:>15} {:>20} {:>11.7f}({:.7f}) {:>8.2f} {:>9.5f}({:.5f}) {:>8.2f}",
                                        generator, row.text("order"), row.number("minus_e"),
                                        row.number("minus_e_error"), row.number("minus_e_sigma"),
                                        row.number("C"), row.number("C_error"), row.number("C_sigma")));
        }
    }
}

/// All words have the same 32 realizations.
void relax_glass(const BackendChoice& choice, const Request& request) {
    Report report(request);
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

void work(const ProgramContext& context, const Request& request) {
    if (!request.disorder.empty() && !request.quality)
        throw InputError("--disorder is for --quality; timings draw couplings of their own");
    if (request.stream)
        return write_sweep_numbers({.seed = request.seed, .L = request.sizes.front()}, request.bytes);
    if (request.relax > 0) return relax_glass(context.backend, request);
    if (!request.quality) return time_all(context.backend, request);
    if (request.disorder.empty()) return measure_ferromagnet(context.backend, request);
    measure_glass(context.backend, request);
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    return run_program(
        argc, argv,
        {.name = "bench-rng",
         .purpose = "Times the random number generators of the literature, and sweeps with them; with "
                    "--quality holds what they give against exact values. Nothing of it enters results.",
         .one_size = false,
         .takes_config = false,
         .long_running = false},
        [&](ProgramOptions& options) { declare(options, request); },
        [&](const ProgramContext& context) { work(context, request); });
}
