#include "bench/benchmark_cases.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/device.hpp"
#include "base/thread_pool.hpp"
#include "lattice/shape.hpp"

namespace psflip {
namespace {

constexpr std::int64_t words_per_processor = 32768;
constexpr std::int64_t host_bytes = std::int64_t{2} << 30;

/// Returns the largest number of columns that memory allows: 16 bytes per word of 128 spins, one byte per
/// bond.
int max_columns(const BenchmarkCase& setup) {
    const std::int64_t sites = std::int64_t{setup.L} * setup.L * setup.L;
    const std::int64_t spins = 16 * sites * setup.replicas * setup.temperatures;
    const std::int64_t couplings = 3 * sites * column_bits;
    return static_cast<int>(std::max<std::int64_t>(1, host_bytes / std::max(spins, couplings)));
}

BenchmarkCase production_case(const char* series, int L, int share) {
    const bool large = L > 64;
    return {.series = series,
            .L = L,
            .share = share,
            .replicas = large ? 4 : 2,
            .temperatures = large ? 1 : 24,
            .columns = 1,
            .production = true};
}

std::vector<int> even_sizes() {
    std::vector<int> sizes;
    for (int L = 8; L <= 64; L += 2) sizes.push_back(L);
    sizes.insert(sizes.end(), {96, 128, 192, 256});
    return sizes;
}

}  // namespace

int benchmark_processors(const BackendChoice& choice) {
    if (choice.backend != "cpu" && cuda_available(choice.device)) return cuda_multiprocessors(choice.device);
    return choice.threads > 0 ? choice.threads : available_threads();
}

int filling_columns(const BenchmarkCase& setup, int processors) {
    const std::int64_t words =
        std::int64_t{setup.L} * setup.L * setup.L * setup.replicas * setup.temperatures;
    const std::int64_t enough = (words_per_processor * processors + words - 1) / words;
    const std::int64_t multiple = processors / std::gcd(processors, setup.replicas);
    const std::int64_t columns = (enough + multiple - 1) / multiple * multiple;
    return static_cast<int>(std::min<std::int64_t>(columns, max_columns(setup)));
}

std::vector<BenchmarkCase> sweep_sizes_cases(int processors) {
    std::vector<BenchmarkCase> cases;
    for (int L : {8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256})
        for (int share : {128, 64, 32, 1}) cases.push_back(production_case("table", L, share));
    for (int L : even_sizes()) cases.push_back(production_case("sizes", L, 128));
    for (auto& setup : cases) setup.columns = filling_columns(setup, processors);
    for (int L : {4, 8, 16, 32, 64})
        for (int columns = 1; columns <= 256; columns *= 2) {
            BenchmarkCase setup = production_case("columns", L, 128);
            setup.columns = columns;
            if (columns <= max_columns(setup)) cases.push_back(setup);
        }
    return cases;
}

std::vector<BenchmarkCase> sweep_lanes_cases() {
    std::vector<BenchmarkCase> cases;
    for (const int L : {8, 12, 16, 24, 32, 48})
        for (const int temperatures : {24, 56}) {
            const auto add = [&](Lanes lanes, int realizations) {
                cases.push_back({.series = "lanes",
                                 .L = L,
                                 .share = 1,
                                 .temperatures = temperatures,
                                 .realizations = realizations,
                                 .lanes = lanes,
                                 .production = true});
            };
            for (const int realizations : {1, 4, 16, 64, 256}) add(Lanes::replicas, realizations);
            for (const int realizations : {128, 256}) add(Lanes::realizations, realizations);
        }
    return cases;
}

bool same_work(const BenchmarkCase& a, const BenchmarkCase& b) {
    return a.L == b.L && a.share == b.share && a.replicas == b.replicas && a.temperatures == b.temperatures &&
           a.columns == b.columns && a.realizations == b.realizations && a.lanes == b.lanes &&
           a.model == b.model && a.site_order == b.site_order && a.production == b.production;
}

}  // namespace psflip
