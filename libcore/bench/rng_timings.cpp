#include "bench/rng_timings.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "bench/benchmark_cases.hpp"
#include "bench/median_time.hpp"
#include "bench/rng_numbers.hpp"
#include "disorder/couplings.hpp"
#include "run/simulation.hpp"

namespace psflip {
namespace {

constexpr std::uint64_t timings_seed = 20261121;
constexpr std::uint32_t cpu_streams = 64;
constexpr std::uint32_t block_threads = 256;

bool on_device(const BackendChoice& choice) {
    return choose_backend(choice) == Backend::cuda;
}

/// Returns the bytes of state per number, if a stream moves from memory to registers and back once for every
/// `between` numbers.
double bytes_per_number(const std::string& generator, double between) {
    double bytes = 0.0;
    with_generator(generator, [&](auto listed) {
        using G = typename decltype(listed)::G;
        if (listed.counter_based) return;
        bytes = 4.0 * (G::accesses > 0 ? G::accesses : 2 * G::words / between);
    });
    return bytes;
}
double bytes_of_streams(const std::string& generator, double streams) {
    double words = 0.0;
    with_generator(generator, [&](auto listed) { words = decltype(listed)::G::words; });
    return 4.0 * words * streams;
}

BenchRow row_of(const std::string& series, const BackendChoice& choice, const std::string& generator,
                const std::string& device, std::int64_t streams, std::int64_t width) {
    const bool cpu = !on_device(choice);
    const int threads = choice.threads > 0 ? choice.threads : available_threads();
    BenchRow row(series);
    row.add("generator", generator)
        .add("backend", std::string(cpu ? "cpu" : "cuda"))
        .add("device", cpu ? device + ", " + processor_name() : device)
        .add("threads", cpu ? threads : 0)
        .add("seed", timings_seed)
        .add("streams", streams)
        .add("width", width);
    return row;
}

/// Returns the number of threads of a block that share a stream on a device.
std::uint32_t ring_width(const std::string& generator) {
    return usual_layout(generator, block_threads, true).width;
}

/// Returns the streams of a call on the CPU, or on a device with this number of blocks. The numbers of a
/// stream are a multiple of run. Threads with their own stream write four numbers at once.
NumbersSetup numbers_setup(const BackendChoice& choice, const std::string& generator, std::int64_t blocks) {
    NumbersSetup setup{.generator = generator, .seed = timings_seed, .streams = cpu_streams};
    if (!on_device(choice)) return setup;
    const std::uint32_t width = ring_width(generator);
    setup.run = width == 1 ? 4 : width;
    setup.streams = static_cast<std::uint32_t>(blocks) * block_threads / width;
    return setup;
}
/// Returns the number of blocks that fill a device.
std::int64_t filling_blocks(const BackendChoice& choice) {
    return on_device(choice) ? 8 * benchmark_processors(choice) : cpu_streams;
}

}  // namespace

BenchRow time_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                   const BenchmarkTiming& timing) {
    NumbersSetup setup = numbers_setup(choice, generator, filling_blocks(choice));
    setup.each = std::max<std::uint64_t>(1, numbers / setup.streams / setup.run) * setup.run;
    if (!on_device(choice)) setup.run = static_cast<std::uint32_t>(setup.each);
    const Stopwatch watch;
    const auto source = make_numbers(choice, setup);
    source->synchronize();
    const double init = watch.seconds();
    const MedianTime found = median_fill(*source, timing);
    BenchRow row = row_of("fill", choice, generator, source->device(), setup.streams, setup.run);
    row.add("numbers", setup.numbers())
        .add("init_seconds", init)
        .add("fill_seconds", found.seconds)
        .add("numbers_per_second", static_cast<double>(setup.numbers()) / found.seconds)
        .add("spread", found.spread)
        .add("state_bytes", bytes_of_streams(generator, setup.streams))
        .add("bytes_per_number", bytes_per_number(generator, static_cast<double>(setup.each)));
    return row;
}

BenchRow time_odd(const BackendChoice& choice, const std::string& generator, int blocks,
                  const BenchmarkTiming& timing) {
    constexpr std::uint64_t of_thread = 1 << 15;
    const std::int64_t used = blocks == 0 ? filling_blocks(choice) : blocks;
    NumbersSetup setup = numbers_setup(choice, generator, used);
    setup.each = of_thread * setup.run;
    const auto source = make_numbers(choice, setup);
    std::uint64_t odd = 0;
    const MedianTime found = median_time(
        [&](int count) {
            for (int i = 0; i < count; ++i) odd = source->count_odd();
        },
        timing);
    BenchRow row = row_of(blocks == 0 ? "odd-filling" : "odd", choice, generator, source->device(),
                          setup.streams, setup.run);
    row.add("blocks", used)
        .add("numbers", setup.numbers())
        .add("odd_fraction", static_cast<double>(odd) / static_cast<double>(setup.numbers()))
        .add("numbers_per_second", static_cast<double>(setup.numbers()) / found.seconds)
        .add("spread", found.spread)
        .add("state_bytes", bytes_of_streams(generator, setup.streams))
        .add("bytes_per_number", bytes_per_number(generator, static_cast<double>(setup.each)));
    return row;
}

namespace {

/// Returns the number of words that keeps each multiprocessor or thread busy.
int filling_words(const BackendChoice& choice, std::int64_t sites) {
    const std::int64_t processors = benchmark_processors(choice);
    if (!on_device(choice)) return static_cast<int>(4 * processors);
    constexpr std::int64_t sites_of_processor = 1 << 15;
    return static_cast<int>((processors * sites_of_processor + sites - 1) / sites);
}

/// Returns the numbers that a stream with the most rounds gives in a phase.
double numbers_of_phase(const StreamLayout& layout, std::uint32_t sites) {
    return static_cast<double>(layout.rounds(0, sites)) * layout.width;
}

}  // namespace

GlassSetup timed_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                       int words) {
    check_site_table(L, 3, UpdateOrder::checkerboard);
    GlassSetup setup{.generator = generator, .L = L, .words = words, .beta = 1 / 1.1, .seed = timings_seed};
    setup.site_order = order;
    const std::int64_t sites = setup.shape().sites();
    if (words == 0) setup.words = filling_words(choice, sites);
    setup.layout = usual_layout(generator, static_cast<std::uint32_t>(sites / 2), on_device(choice));
    setup.couplings = generate_couplings({.seed = timings_seed, .L = L}, 0, 32, choice.threads);
    return setup;
}

BenchRow time_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                    int words, const BenchmarkTiming& timing) {
    const GlassSetup setup = timed_glass(choice, generator, L, order, words);
    const auto of_phase = static_cast<std::uint32_t>(setup.shape().sites() / 2);
    const auto glass = make_glass(choice, setup);
    const MedianTime found = median_time(
        [&](int count) {
            glass->sweep(count);
            glass->synchronize();
        },
        timing);
    const double numbers = numbers_of_phase(setup.layout, of_phase) * setup.replicas;
    BenchRow row =
        row_of("glass", choice, generator, glass->device(), setup.layout.streams, setup.layout.width);
    row.add("L", L)
        .add("order", name(order))
        .add("words", setup.words)
        .add("replicas", setup.replicas)
        .add("beta", setup.beta)
        .add("ps_per_flip", found.seconds / setup.flips_of_sweep() * 1e12)
        .add("spread", found.spread)
        .add("state_bytes",
             bytes_of_streams(generator, static_cast<double>(setup.layout.streams) * setup.words))
        .add("bytes_per_number", bytes_per_number(generator, numbers))
        .add("bytes_per_flip", (24.0 / setup.replicas + 12.0 + bytes_per_number(generator, numbers)) / 32);
    return row;
}

BenchRow time_loads(const BackendChoice& choice, int L, SiteOrder order, int words, bool threads_in_grid,
                    const BenchmarkTiming& timing) {
    GlassSetup setup = timed_glass(choice, "philox", L, order, words);
    setup.replicas = 1;
    const auto glass = make_glass(choice, setup);
    const MedianTime found = median_time(
        [&](int count) {
            glass->load_neighbours(count, threads_in_grid);
            glass->synchronize();
        },
        timing);
    BenchRow row = row_of(threads_in_grid ? "grid-loads" : "loads", choice, "none", glass->device(), 0, 0);
    row.add("L", L)
        .add("order", name(order))
        .add("words", setup.words)
        .add("ps_per_site", found.seconds / (setup.flips_of_sweep() / 32) * 1e12)
        .add("spread", found.spread);
    return row;
}

namespace {

TemperatureWordsSetup timed_temperatures(const BackendChoice& choice, const std::string& generator) {
    const int processors = benchmark_processors(choice);
    return {.generator = generator,
            .realizations = on_device(choice) ? 24 * processors : processors,
            .seed = timings_seed};
}

}  // namespace

BenchRow time_temperatures(const BackendChoice& choice, const std::string& series,
                           const std::string& generator, TemperatureCoding coding,
                           FlipProbability probability, const BenchmarkTiming& timing) {
    TemperatureWordsSetup setup = timed_temperatures(choice, generator);
    setup.coding = coding;
    setup.probability = probability;
    const auto words = make_temperature_words(choice, setup);
    const MedianTime found = median_time(
        [&](int count) {
            words->sweep(count);
            words->synchronize();
        },
        timing);
    BenchRow row = row_of(series, choice, generator, words->device(), setup.realizations, 1);
    row.add("L", setup.L)
        .add("temperatures", packed_temperatures)
        .add("realizations", setup.realizations)
        .add("coding", std::string(name(coding)))
        .add("probability", std::string(name(probability)))
        .add("ps_per_flip", found.seconds / setup.flips_of_sweep() * 1e12)
        .add("spread", found.spread);
    return row;
}

BenchRow time_arrangement(const BackendChoice& choice, LatticeArrangement arrangement,
                          const BenchmarkTiming& timing) {
    const TemperatureWordsSetup setup = timed_temperatures(choice, "lcg32");
    const auto words = make_temperature_words(choice, setup);
    const MedianTime found = median_time(
        [&](int count) {
            words->load_neighbours(count, arrangement);
            words->synchronize();
        },
        timing);
    const double seconds = found.seconds / transactions_of_loads(setup, arrangement);
    const int spins = arrangement == LatticeArrangement::shuffled ? 16 : packed_temperatures;
    BenchRow row = row_of("arrangements", choice, "none", words->device(), 0, 0);
    row.add("L", setup.L)
        .add("realizations", setup.realizations)
        .add("arrangement", std::string(name(arrangement)))
        .add("ps_per_transaction", seconds * 1e12)
        .add("gb_per_second", 32e-9 / seconds)
        .add("spins", spins)
        .add("ps_per_spin", seconds * 1e12 / spins)
        .add("spread", found.spread);
    return row;
}

BenchRow time_ferromagnet(const BackendChoice& choice, FerromagnetSetup setup,
                          const BenchmarkTiming& timing) {
    setup.beta = setup.dimension == 3 ? 0.22 : 0.4;
    setup.seed = timings_seed;
    const std::string& generator = setup.generator;
    const std::uint32_t of_phase = setup.units_of_phase();
    if (setup.order != UpdateOrder::sequential) {
        const StreamLayout some{std::min(of_phase, cpu_streams), 1};
        setup.layout =
            on_device(choice) ? usual_layout(generator, of_phase, true, setup.numbers_of_unit()) : some;
    }
    const auto lattice = make_ferromagnet(choice, setup);
    const MedianTime found = median_time(
        [&](int count) {
            lattice->sweep(count);
            lattice->synchronize();
        },
        timing);
    BenchRow row =
        row_of("ferromagnet", choice, generator, lattice->device(), setup.layout.streams, setup.layout.width);
    row.add("dimension", setup.dimension)
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("order", setup.packed ? "packed" : name(setup.order))
        .add("ps_per_flip", found.seconds / setup.flips_of_sweep() * 1e12)
        .add("spread", found.spread)
        .add("state_bytes", bytes_of_streams(generator, setup.layout.streams))
        .add("bytes_per_number",
             bytes_per_number(generator, setup.numbers_of_unit() * numbers_of_phase(setup.layout, of_phase)));
    return row;
}

BenchRow glass_row(const std::string& series, const GlassSetup& setup, const std::string& device) {
    BenchRow row(series);
    row.add("generator", setup.generator)
        .add("device", device)
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("words", setup.words)
        .add("replicas", setup.replicas)
        .add("streams", setup.layout.streams)
        .add("width", setup.layout.width)
        .add("seed", setup.seed);
    return row;
}

}  // namespace psflip
