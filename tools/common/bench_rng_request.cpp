#include "common/bench_rng_request.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/rng_curand.hpp"
#include "common/bench_timing.hpp"
#include "common/command_line.hpp"
#include "common/existing_output.hpp"

namespace psflip::tools {
namespace {

void declare_quality(ProgramOptions& options, BenchRngRequest& request) {
    options.flag(
        "--quality", request.quality,
        "no timings: energy and specific heat of the ferromagnet on the square lattice at beta = 0.4 "
        "against exact values; with --disorder those of a glass in equilibrium");
    options
        .optional(
            "--orders", request.orders,
            "of the sites of the ferromagnet, separated by commas: sequential (CPU only), checkerboard, "
            "double-checkerboard, packed (the checkerboard with a bit for each spin)")
        .delimiter(',');
    options
        .optional("--seed", request.seed,
                  "with --quality: of the generators and of the start; with --stream the key")
        .check(in_range(std::uint64_t{0}, std::uint64_t{1} << 62));
    options.optional("--thermalize", request.sweeps.thermalize,
                     "with --quality: sweeps that are not measured");
    options.optional("--sweeps", request.sweeps.measured,
                     "with --quality: measured sweeps, a multiple of 32");
    options.input(options.optional("--disorder", request.disorder,
                                   "with --quality: couplings of 32 realizations of the glass in three "
                                   "dimensions, whose size is the first of --L; all copies have them"));
    options
        .optional(
            "--relax", request.relax,
            "no timings: energy and chi of the glass of the first size of --L after 1, 2, 4, ... sweeps "
            "from random spins, up to so many, at --temperature, in --copies words")
        .check(whole_number_from(1));
    options.optional("--temperature", request.temperature, "of the glass").check(number_from(0.01, 1000));
    options.optional("--copies", request.copies,
                     "words with the same 32 realizations and numbers of their own, each in 4 replicas");
    options.optional("--every", request.every, "sweeps from one measurement of the glass to the next");
}

bool takes_all(const BenchRngRequest& request) {
    return request.generators == std::vector<std::string>{"all"};
}

}  // namespace

void declare(ProgramOptions& options, BenchRngRequest& request) {
    options
        .optional("--generators", request.generators,
                  "names separated by commas, or all: minstd, lcg32, lcg64, xorshift64star, parisi-rapuano, "
                  "mt19937, fibonacci521, fibonacci1279, philox; lcg32-sequence and lcg64-sequence are one "
                  "sequence whose numbers all streams share. On a GPU all has cuRAND's, too: curand-xorwow, "
                  "curand-mtgp32, curand-mrg32k3a, curand-philox, curand-mt19937")
        .delimiter(',');
    options
        .optional("--series", request.series,
                  "what is timed, separated by commas: fill (an array), odd (numbers are drawn and counted; "
                  "on a GPU "
                  "by as many threads as published, and by as many as it takes), "
                  "glass (flips of the glass), ferromagnet (flips on the square lattice)")
        .delimiter(',');
    options.optional("--L", request.sizes, "sizes of the glass, separated by commas").delimiter(',');
    options
        .optional("--site-orders", request.site_orders,
                  "of the glass, separated by commas: standard, bitwise (where L is a power of two), sliced")
        .delimiter(',');
    options.optional("--square", request.square, "size of the ferromagnet");
    options.optional("--dimension", request.dimension, "of the ferromagnet").check(in_range(2, 3));
    options.optional("--numbers", request.numbers, "of the array of fill")
        .check(in_range(std::uint64_t{64}, std::uint64_t{1} << 34));
    options
        .optional("--words", request.words,
                  "of 32 realizations of the glass; 0: as many as fill the device, or four for each thread")
        .check(in_range(0, 1 << 24));
    declare_timing(options, request.timing);
    declare_quality(options, request);
    options.flag("--stream", request.stream,
                 "no timings: psflip's own Philox numbers as bytes on standard output, in the order in which "
                 "sweeps of four replicas and eight temperatures take them, of the first size of --L; for "
                 "programs that test generators");
    options
        .optional("--bytes", request.bytes, "with --stream: at least so many, whole sweeps; 0: without end")
        .check(in_range(std::uint64_t{0}, std::uint64_t{1} << 62));
    options.output(
        options.optional("--json", request.json, "also write the results to this file, as a list of objects"),
        text_kind::generators);
}

std::vector<std::string> chosen_generators(const BenchRngRequest& request) {
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

std::vector<std::string> chosen_of_curand(const BenchRngRequest& request) {
    if (takes_all(request)) return curand_generators();
    std::vector<std::string> chosen;
    for (const std::string& key : request.generators)
        if (std::ranges::count(curand_generators(), key)) chosen.push_back(key);
    return chosen;
}

std::vector<FerromagnetSetup> chosen_ferromagnets(const BenchRngRequest& request) {
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

std::vector<SiteOrder> chosen_site_orders(const BenchRngRequest& request) {
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

}  // namespace psflip::tools
