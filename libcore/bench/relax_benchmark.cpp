#include "bench/relax_benchmark.hpp"

#include <chrono>

#include "config/config.hpp"
#include "disorder/couplings.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "run/relaxation.hpp"

namespace psflip {
namespace {

/// Returns the seconds that work takes, including synchronisation.
template <class Work>
double seconds(Ensemble& ensemble, const Work& work) {
    ensemble.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    work();
    ensemble.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the milliseconds of one measurement of these quantities, as the mean of several.
double milliseconds_of(Sampler& sampler, const Measured& measured) {
    constexpr int repeats = 5;
    const auto measurement = make_relaxation_measurement(sampler, measured, 1);
    for (int i = 0; i < measured.waiting; ++i) measurement->add_snapshot(sampler.ensemble().held_spins());
    measurement->measure(0);  // warm up
    return 1e3 / repeats * seconds(sampler.ensemble(), [&] {
               for (int i = 0; i < repeats; ++i) measurement->measure(0);
           });
}

void time_parts(Sampler& sampler, const Measured& measured, RelaxTiming& timing) {
    Measured averages = measured, distances = measured, two_times = measured;
    averages.distances = averages.waiting = distances.waiting = two_times.distances = 0;
    two_times.waiting = 1;
    timing.averages = milliseconds_of(sampler, averages);
    timing.distances = milliseconds_of(sampler, distances) - timing.averages;
    timing.two_times = milliseconds_of(sampler, two_times) - timing.averages;
}

}  // namespace

RelaxTiming time_relaxation(const BackendChoice& choice, const BenchmarkCase& setup, std::int64_t sweeps) {
    const Model& model = model_of(setup);
    const Shape shape = shape_of(setup);
    RelaxSection relax = default_config().relax;
    relax.last = sweeps;
    relax.per_decade = 8;
    relax.waiting = {0, 1024};
    const std::vector<std::int64_t> times = relax_times(relax, true);
    const auto bins = static_cast<int>(times.size());
    const auto sampler = make_ising_sampler({choice, shape, inverse_temperatures(setup), benchmark_seed,
                                             benchmark_couplings(setup, choice.threads), 0, model});
    Ensemble& ensemble = sampler->ensemble();
    const Measured measured = relaxation_measured(model, false, shape, 2);
    const auto measurement = make_relaxation_measurement(*sampler, measured, bins);
    const Spins start{random_spins(shape, ensemble.key())};
    ensemble.set_held_spins(start);
    measurement->add_snapshot(start);
    measurement->measure(0);  // warm up

    RelaxTiming timing{.sweeps = times.back(), .measurements = bins, .device = ensemble.description()};
    const double flips = static_cast<double>(shape.sites()) * static_cast<double>(shape.realizations) *
                         shape.replicas * shape.temperatures * static_cast<double>(times.back());
    double measuring = 0.0;
    const double all = seconds(ensemble, [&] {
        std::int64_t completed = 0;
        for (int bin = 0; bin < bins; ++bin) {
            sampler->advance(completed, times[bin]);
            completed = times[bin];
            measuring += seconds(ensemble, [&] { measurement->measure(bin); });
            if (completed == relax.waiting.back()) measurement->snapshot_taken();
        }
    });
    timing.ps_measured = all / flips * 1e12;
    timing.ps_alone =
        seconds(ensemble, [&] { sampler->advance(times.back(), 2 * times.back()); }) / flips * 1e12;
    timing.milliseconds = 1e3 * measuring / bins;
    time_parts(*sampler, measured, timing);
    return timing;
}

}  // namespace psflip
