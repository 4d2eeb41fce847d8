#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../messages.hpp"
#include "bench/bench_rows.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "bench/rng_curand.hpp"
#include "bench/rng_numbers.hpp"
#include "bench/rng_quality.hpp"
#include "bench/rng_relaxation.hpp"
#include "bench/rng_stream.hpp"
#include "bench/rng_timings.hpp"
#include "disorder/couplings.hpp"
#include "one_thread.hpp"
#include "random/philox.hpp"

using namespace psflip;
using psflip::test::contains;
using psflip::test::message_of;
using psflip::test::one_thread;

TEST_CASE("rows are lines of JSON, with null for what is not a number") {
    BenchRow row("fill");
    row.add("generator", std::string("a \"b\"\n")).add("count", 3).add("rate", 0.5);
    row.add("unknown", std::numeric_limits<double>::quiet_NaN()).add("list", std::vector<double>{1, 0.25});
    CHECK(
        row.json() ==
        R"({"series": "fill", "generator": "a \"b\"", "count": 3, "rate": 0.5, "unknown": null, "list": [1, 0.25]})");
    CHECK(row.number("count") == 3);
    CHECK(row.text("series") == "fill");
    CHECK(std::isnan(row.number("series")));
    CHECK(rows_json({row, row}).starts_with("[\n  {\"series\": \"fill\""));
    CHECK(rows_json({row}).ends_with("\"}\n]\n"));
}

TEST_CASE("arrays and odd numbers equal the streams taken one by one, with any number of threads") {
    for (const std::uint32_t run : {4u, 7u})
        for_each_generator([run](auto listed) {
            using G = typename decltype(listed)::G;
            constexpr int each = 56;
            NumbersSetup setup{
                .generator = std::string(listed.key), .seed = 3, .streams = 5, .run = run, .each = each};
            const auto one = make_numbers(one_thread, setup);
            const auto three = make_numbers({.backend = "cpu", .threads = 3}, setup);
            StreamSet<G> set(5, {3, listed.in_sequence});
            std::vector<float> array(5 * each);
            std::uint64_t odd = 0;
            for (std::uint32_t t = 0; t < 5; ++t) {
                G numbers = set.view().stream(t, 0);
                for (int j = 0; j < each; ++j) odd += numbers.next() % 2;
                for (std::uint32_t j = 0; j < each; ++j)
                    array[(j / run * 5 + t) * run + j % run] =
                        static_cast<float>(numbers.next()) * (1.0f / static_cast<float>(G::range));
            }
            CHECK(one->count_odd() == odd);
            one->fill();
            CHECK(one->floats() == array);
            CHECK(three->count_odd() == odd);
            three->fill();
            CHECK(three->floats() == array);
        });
}

TEST_CASE("timings have all fields; what is proposed is counted") {
    const BenchmarkTiming once{.repeats = 1, .seconds = 1e-6};
    for (const std::string generator : {"minstd", "mt19937", "fibonacci521", "philox"}) {
        const BenchRow fill = time_fill(one_thread, generator, 6400, once);
        CHECK(fill.number("numbers") == 6400);
        CHECK(fill.number("numbers_per_second") * fill.number("fill_seconds") == doctest::Approx(6400));
        const BenchRow odd = time_odd(one_thread, generator, 64, once);
        CHECK(odd.number("numbers") == 64 * 32768);
        CHECK(std::abs(odd.number("odd_fraction") - 0.5) < 5 * 0.5 / std::sqrt(64 * 32768.0));
        const BenchRow glass = time_glass(one_thread, generator, 4, SiteOrder::sliced, 1, once);
        CHECK(glass.number("ps_per_flip") > 0);
        CHECK(glass.number("words") == 1);
        for (const UpdateOrder order : {UpdateOrder::sequential, UpdateOrder::checkerboard})
            CHECK(time_ferromagnet(one_thread, {.generator = generator, .L = 8, .order = order}, once)
                      .number("ps_per_flip") > 0);
        const BenchRow packed =
            time_ferromagnet(one_thread, {.generator = generator, .L = 64, .packed = true}, once);
        CHECK(packed.text("order") == "packed");
    }
    CHECK(time_glass(one_thread, "mt19937", 4, SiteOrder::standard, 1, once).number("state_bytes") == 2496);
    CHECK(time_glass(one_thread, "mt19937", 4, SiteOrder::standard, 1, once).number("bytes_per_number") ==
          16);
    CHECK(time_glass(one_thread, "xorshift64star", 4, SiteOrder::standard, 1, once)
              .number("bytes_per_number") == 16.0 / (32 * 4));
    CHECK(time_glass(one_thread, "philox", 4, SiteOrder::standard, 1, once).number("bytes_per_number") == 0);
}

TEST_CASE("the quality of the ferromagnet is what a plain average and its blocks say") {
    const FerromagnetSetup setup{.generator = "xorshift64star", .L = 16, .beta = 0.4, .seed = 5};
    const BenchRow row = ferromagnet_quality(one_thread, setup, {.thermalize = 10, .measured = 640});
    const auto lattice = make_ferromagnet(one_thread, setup);
    lattice->sweep(10);
    std::vector<double> block(32);
    double first = 0, second = 0;
    for (int i = 0; i < 640; ++i) {
        lattice->sweep(1);
        const double e = -static_cast<double>(lattice->energy()) / 256;
        block[i / 20] += e / 20;
        first += e / 640;
        second += e * e / 640;
    }
    CHECK(row.number("minus_e") == doctest::Approx(first).epsilon(1e-12));
    CHECK(row.number("C") == doctest::Approx(0.16 * 256 * (second - first * first)).epsilon(1e-9));
    double variance = 0;
    for (const double mean : block) variance += (mean - first) * (mean - first) / 31;
    CHECK(row.number("minus_e_error") == doctest::Approx(std::sqrt(variance / 32)).epsilon(1e-9));
    CHECK(std::isnan(row.number("minus_e_exact")));  // not of so small a lattice
}

TEST_CASE("numbers of a sweep as a stream equal the numbers of its counters, red sites first") {
    const SweepNumbers numbers{.seed = 7, .L = 4, .replicas = 2, .temperatures = 8, .pack = 3};
    const auto words = numbers.of_sweep(5);
    REQUIRE(words.size() == 64 * 2 * 8);
    const auto expected = [](std::uint32_t site, int replica, int slot) {
        return philox(make_counter(Purpose::metropolis, site, 5, slot / 4, replica, 0, 3), 7).word[slot % 4];
    };
    CHECK(words[0] == expected(0, 0, 0));
    CHECK(words[7] == expected(0, 0, 7));
    CHECK(words[9] == expected(0, 1, 1));
    CHECK(words[16] == expected(2, 0, 0));          // x = 2, the next red site
    CHECK(words[2 * 16 + 5] == expected(5, 0, 5));  // (1, 1, 0)
    CHECK(words[32 * 16] == expected(1, 0, 0));     // the first black one
}

TEST_CASE("relaxation: energies and overlaps of plain sums, errors of the average over words") {
    GlassSetup setup{.generator = "minstd", .L = 4, .words = 2, .replicas = 2, .beta = 0.9, .seed = 2};
    setup.layout = {32, 1};
    setup.couplings = generate_couplings({.seed = 4, .L = 4}, 0, 32, 1);
    const BenchRow row = glass_relaxation(one_thread, setup, 3);
    const auto glass = make_glass(one_thread, setup);
    std::string e, chi;
    for (const int sweeps : {1, 1}) {
        glass->sweep(sweeps);
        double energy = 0, squares = 0;
        for (const int E : glass->energies()) energy += E / 64.0 / 128;
        for (const int q : glass->overlaps()) squares += q * q / 64.0 / 64;
        e = fmt::format("{}{:.9g}", e.empty() ? "" : e + ", ", energy);
        chi = fmt::format("{}{:.9g}", chi.empty() ? "" : chi + ", ", squares);
    }
    CHECK(contains(row.json(), "\"t\": [1, 2]"));
    CHECK(contains(row.json(), "\"e\": [" + e.substr(0, 8)));
    CHECK(contains(row.json(), "\"chi\": [" + chi.substr(0, 8)));
    setup.words = 1;
    CHECK(contains(message_of<InputError>([&] { glass_relaxation(one_thread, setup, 3); }), "two words"));
}

#if !PSFLIP_HAVE_CUDA
TEST_CASE("without cuRAND its rows say so") {
    for (const std::string& generator : curand_generators())
        for (const BenchRow& row :
             {time_curand_fill({}, generator, 100, {}), time_curand_odd({}, generator, {}),
              time_curand_glass({}, generator, 8, SiteOrder::sliced, 1, {})}) {
            CHECK(row.text("generator") == generator);
            CHECK(contains(row.text("note"), "configure it with -DPSFLIP_CURAND=ON"));
            CHECK(std::isnan(row.number("numbers_per_second")));
        }
}
#endif

TEST_CASE("numbers and sweeps that cannot be are refused") {
    const auto refused = [](const NumbersSetup& setup) {
        return message_of<InputError>([&] { make_numbers(one_thread, setup); });
    };
    CHECK(contains(refused({.generator = "rand"}), "there is no generator 'rand'"));
    CHECK(refused({.generator = "minstd", .streams = 2, .run = 3, .each = 10}) ==
          "2 streams cannot give 10 numbers each, 3 of them next to each other; use numbers of at least 1, "
          "of which the third divides the second");
    const FerromagnetSetup setup{.generator = "minstd", .L = 8};
    CHECK(message_of<InputError>([&] {
              ferromagnet_quality(one_thread, setup, {0, 650});
          }) ==
          "--thermalize 0 and --sweeps 650 are not possible; use a --thermalize of 0 or more, and as "
          "--sweeps a multiple of 32 from 640 on");
}
