#include "common/bench_rng_request.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/rng_curand.hpp"

namespace psflip::tools {
namespace {

void declare_quality(ProgramOptions& options, BenchRngRequest& request) {
    options.flag(
        "--quality", request.quality,
        "Without timings: compares energy and specific heat of the ferromagnet on the square lattice at beta "
        "= 0.4 with exact values. With --disorder, measures a glass in equilibrium instead.");
    options
        .optional(
            "--orders", request.orders,
            "Orders of updates of the ferromagnet, separated by commas. sequential: CPU only. checkerboard. "
            "double-checkerboard. packed: checkerboard with one bit per spin.")
        .delimiter(',');
    options
        .optional("--seed", request.seed,
                  "With --quality: seed of the generators and of the initial spins. With --stream: key of "
                  "the generator.")
        .check(in_range(std::uint64_t{0}, std::uint64_t{1} << 62));
    options.optional("--thermalize", request.sweeps.thermalize,
                     "With --quality: number of sweeps before the measured sweeps.");
    options.optional("--sweeps", request.sweeps.measured,
                     "With --quality: number of measured sweeps, a multiple of 32.");
    options.input(options.optional("--disorder", request.disorder,
                                   "With --quality: file with couplings of 32 realizations of the glass in "
                                   "three dimensions. The first size of --L must be its size."));
    options
        .optional(
            "--relax", request.relax,
            "Without timings: measures energy and susceptibility of the glass after 1, 2, 4, ... sweeps from "
            "random spins, up to this number, at the first size of --L.")
        .check(whole_number_from(1));
    options.optional("--temperature", request.temperature, "Temperature of the glass.")
        .check(number_from(0.01, 1000));
    options.optional(
        "--copies", request.copies,
        "Number of words with the same 32 realizations and independent random numbers, in 4 replicas.");
    options.optional("--every", request.every, "Number of sweeps between measurements of the glass.");
}

bool takes_all(const BenchRngRequest& request) {
    return request.generators == std::vector<std::string>{"all"};
}

}  // namespace

void declare(ProgramOptions& options, BenchRngRequest& request) {
    options
        .optional(
            "--generators", request.generators,
            "Generators, separated by commas, or all: minstd, lcg32, lcg64, xorshift64star, xorwow, "
            "parisi-rapuano, mt19937, fibonacci521, fibonacci1279, philox, philox7. With lcg32-sequence and "
            "lcg64-sequence, all streams share one sequence. On a GPU, all includes the generators of "
            "cuRAND: curand-xorwow, curand-mtgp32, curand-mrg32k3a, curand-philox, curand-mt19937.")
        .delimiter(',');
    options
        .optional("--series", request.series,
                  "Benchmarks, separated by commas. fill: fill an array. odd: count odd numbers, on a GPU "
                  "with the published number of threads and with a full device. glass: flips of the glass. "
                  "ferromagnet: flips on the square lattice. loads: reads of the neighbours and couplings "
                  "of the glass, without a generator. grid-loads: loads with blocks of "
                  "whole rows of the lattice. codings, probabilities, arrangements: a glass with 24 "
                  "temperatures in a word, in the codings of arXiv:1311.5582, with its ways to find "
                  "probabilities, and loads alone; generators lcg32, xorwow, philox and philox7.")
        .delimiter(',');
    options.optional("--L", request.sizes, "Sizes of the glass, separated by commas.").delimiter(',');
    options
        .optional("--site-orders", request.site_orders,
                  "Site orders of the glass, separated by commas: standard, bitwise (L is a power of two) or "
                  "sliced.")
        .delimiter(',')
        .check(one_of({"standard", "bitwise", "sliced"}));
    options.optional("--square", request.square, "Size of the ferromagnet.");
    options.optional("--dimension", request.dimension, "Dimension of the ferromagnet.").check(in_range(2, 3));
    options.optional("--numbers", request.numbers, "Length of the array that fill fills.")
        .check(in_range(std::uint64_t{64}, std::uint64_t{1} << 34));
    options
        .optional(
            "--words", request.words,
            "Numbers of words of 32 realizations of the glass, separated by commas. 0: as many as fill the "
            "GPU, or four per CPU thread.")
        .delimiter(',')
        .check(in_range(0, 1 << 24));
    options
        .optional(
            "--blocks", request.blocks,
            "On a GPU: numbers of blocks of 256 threads that count odd numbers, separated by commas. 0: "
            "as many as the device holds.")
        .delimiter(',')
        .check(in_range(0, 65535));
    declare_quality(options, request);
    options.flag(
        "--stream", request.stream,
        "Writes psflip's Philox numbers as bytes to standard output, for programs that test generators. The "
        "numbers come in the order in which sweeps of four replicas and eight temperatures use them, at the "
        "first size of --L.");
    options
        .optional("--bytes", request.bytes,
                  "With --stream: minimum number of bytes, rounded up to whole sweeps. 0: no end.")
        .check(in_range(std::uint64_t{0}, std::uint64_t{1} << 62));
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

std::vector<std::string> named_of_curand(const BenchRngRequest& request) {
    std::vector<std::string> named;
    for (const std::string& key : request.generators)
        if (std::ranges::count(curand_generators(), key)) named.push_back(key);
    return named;
}

std::vector<std::string> chosen_of_curand(const BenchRngRequest& request) {
    return takes_all(request) ? curand_generators() : named_of_curand(request);
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
    for (const std::string& text : request.site_orders) orders.push_back(site_order_of(text));
    return orders;
}

}  // namespace psflip::tools
