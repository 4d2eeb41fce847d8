#include "bench/rng_curand.hpp"

#include <cmath>

#include "base/device.hpp"
#include "bench/median_time.hpp"
#include "bench/rng_timings.hpp"

namespace psflip {
namespace {

constexpr std::uint64_t curand_seed = 20261121;
constexpr std::uint64_t odd_numbers = std::uint64_t{64} * 256 << 15;
constexpr const char* host_only = "curand-mt19937";

BenchRow curand_row(const std::string& series, const BackendChoice& choice, const std::string& generator) {
    BenchRow row(series);
    row.add("generator", generator)
        .add("backend", std::string("cuda"))
        .add("device", cuda_device_name(choice.device))
        .add("threads", 0)
        .add("seed", curand_seed);
    return row;
}

}  // namespace

const std::vector<std::string>& curand_generators() {
    static const std::vector<std::string> names{"curand-xorwow", "curand-mtgp32", "curand-mrg32k3a",
                                                "curand-philox", host_only};
    return names;
}

#if PSFLIP_HAVE_CURAND

BenchRow time_curand_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t numbers,
                          const BenchmarkTiming& timing) {
    const Stopwatch watch;
    const auto source = make_curand_array(generator, choice.device, curand_seed, numbers);
    source->synchronize();
    const double init = watch.seconds();
    const MedianTime found = median_fill(*source, timing);
    return curand_row("fill", choice, generator)
        .add("numbers", numbers)
        .add("init_seconds", init)
        .add("fill_seconds", found.seconds)
        .add("numbers_per_second", static_cast<double>(numbers) / found.seconds)
        .add("spread", found.spread);
}

BenchRow time_curand_odd(const BackendChoice& choice, const std::string& generator,
                         const BenchmarkTiming& timing) {
    BenchRow row = curand_row("odd", choice, generator);
    if (generator == host_only)
        return row.add("note", std::string("cuRAND has it by its host interface only"));
    const auto source = make_curand_states(generator, choice.device, curand_seed);
    std::uint64_t odd = 0;
    const MedianTime found = median_time(
        [&](int count) {
            for (int i = 0; i < count; ++i) odd = source->count_odd();
        },
        timing);
    return row.add("numbers", odd_numbers)
        .add("odd_fraction", static_cast<double>(odd) / static_cast<double>(odd_numbers))
        .add("numbers_per_second", static_cast<double>(odd_numbers) / found.seconds)
        .add("spread", found.spread);
}

BenchRow time_curand_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                           int words, const BenchmarkTiming& timing) {
    BenchRow row = curand_row("glass", choice, generator);
    row.add("L", L).add("order", name(order));
    if (generator == host_only)
        return row.add("note", std::string("cuRAND has it by its host interface only"));
    const GlassSetup setup = timed_glass(choice, "philox", L, order, words);
    const auto glass = make_curand_glass(generator, choice.device, setup);
    const MedianTime found = median_time(
        [&](int count) {
            glass->sweep(count);
            glass->synchronize();
        },
        timing);
    // A block of MTGP32 draws for many sites, so its bytes per number are not known.
    const bool of_blocks = generator == "curand-mtgp32";
    const auto bytes = static_cast<double>(glass->state_bytes());
    const double state = of_blocks ? std::nan("") : bytes / setup.words / setup.layout.streams;
    return row.add("streams", setup.layout.streams)
        .add("words", setup.words)
        .add("replicas", setup.replicas)
        .add("beta", setup.beta)
        .add("ps_per_flip", found.seconds / setup.flips_of_sweep() * 1e12)
        .add("spread", found.spread)
        .add("state_bytes", bytes)
        .add("bytes_per_number", 2 * state / setup.replicas)
        .add("bytes_per_flip", (24.0 / setup.replicas + 12.0 + 2 * state / setup.replicas) / 32);
}

#else

namespace {

BenchRow without_curand(BenchRow row) {
    return row.add("note",
                   std::string("psflip was built without cuRAND: configure it with -DPSFLIP_CURAND=ON and a "
                               "CUDA toolkit that has cuRAND"));
}

}  // namespace

BenchRow time_curand_fill(const BackendChoice& choice, const std::string& generator, std::uint64_t,
                          const BenchmarkTiming&) {
    return without_curand(curand_row("fill", choice, generator));
}

BenchRow time_curand_odd(const BackendChoice& choice, const std::string& generator, const BenchmarkTiming&) {
    return without_curand(curand_row("odd", choice, generator));
}

BenchRow time_curand_glass(const BackendChoice& choice, const std::string& generator, int L, SiteOrder order,
                           int, const BenchmarkTiming&) {
    return without_curand(curand_row("glass", choice, generator).add("L", L).add("order", name(order)));
}

#endif

}  // namespace psflip
