#include "bench/slab_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/device.hpp"
#include "base/error.hpp"
#include "bench/median_time.hpp"
#include "run/slab_spins.hpp"

namespace psflip {
namespace {

constexpr double beta = 0.2;

Shape shape_of(const SlabCase& setup, int rank) {
    const Shape whole{.L = setup.L,
                      .replicas = setup.replicas,
                      .temperatures = setup.temperatures,
                      .realizations = std::int64_t{column_bits} * (setup.columns - 1) + 1,
                      .share = setup.share};
    return slab_of(whole, rank, setup.slabs);
}

/// One rank's slabs and the clock of its sweeps.
class SlabBench {
  public:
    SlabBench(const BackendChoice& choice, const SlabCase& setup, Ranks& ranks) : ranks_(ranks) {
        const Shape shape = shape_of(setup, ranks.rank());
        const std::vector<double> betas(setup.temperatures, beta);
        BackendChoice mine = choice;
        if (const int devices = cuda_devices(); ranks.share_memory() && devices > choice.device)
            mine.device += ranks.rank() % (devices - choice.device);
        const std::vector<std::int8_t> couplings(shape.realizations * 3 * shape.held_sites(), 1);
        ensemble_ = make_ising_ensemble({mine, shape, betas, 1, couplings, 0, {}, &ranks});
    }

    /// Seconds of a sweep of the slowest rank. Collective.
    double time(int sweeps) {
        ensemble_->synchronize();
        ranks_.barrier();
        const Stopwatch watch;
        ensemble_->sweep(completed_, sweeps);
        ensemble_->synchronize();
        completed_ += sweeps;
        const auto ns = static_cast<std::int64_t>(watch.seconds() * 1e9);
        return static_cast<double>(ranks_.maximum(ns)) * 1e-9 / sweeps;
    }
    /// The median of so many repeats, and their spread.
    MedianTime median(int sweeps, int repeats) {
        std::vector<double> seconds;
        for (int i = 0; i < repeats; ++i) seconds.push_back(time(sweeps));
        std::ranges::sort(seconds);
        const double middle = seconds[seconds.size() / 2];
        return {middle, (seconds.back() - seconds.front()) / middle};
    }
    std::string description() const { return ensemble_->description(); }

  private:
    Ranks& ranks_;
    std::unique_ptr<Ensemble> ensemble_;
    std::int64_t completed_ = 0;
};

}  // namespace

void check_slab_case(const SlabCase& setup) {
    if (setup.slabs < 1) throw InputError(fmt::format("{} slabs; at least one is needed", setup.slabs));
    if (setup.columns < 1)
        throw InputError(fmt::format("{} columns of realizations; at least one is needed", setup.columns));
    check_shape(shape_of(setup, 0));
}

SlabResult time_slabs(const BackendChoice& choice, const SlabCase& setup, const BenchmarkTiming& timing,
                      Ranks& ranks) {
    check_slab_case(setup);
    SlabBench bench(choice, setup, ranks);
    constexpr int few = 10;
    bench.time(few);  // warm up
    const int sweeps = std::clamp(static_cast<int>(timing.seconds / bench.time(few)), few, 1 << 20);
    const MedianTime found = bench.median(sweeps, timing.repeats);
    return {setup, choice.halo, choice.kernel, bench.description(), found.seconds, found.spread};
}

}  // namespace psflip
