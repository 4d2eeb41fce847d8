#include "run/hottest_slot.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "lattice/site_bits.hpp"
#include "random/splitmix64.hpp"
#include "run/schedule.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Makes an ensemble of this shape at the hottest temperature, with its own random numbers.
std::unique_ptr<Ensemble> hottest_ensemble(const Parameters& parameters, const Batch& batch,
                                           const Shape& shape, const BackendChoice& choice) {
    BatchSetup setup = setup_of(parameters, batch, choice).with(shape);
    setup.betas = {1.0 / parameters.temperatures.back()};
    setup.seed = splitmix64(parameters.seed);
    setup.sweeps_per_swap = 0;
    setup.houdayer = {};
    return make_ensemble(setup);
}

/// Sweeps `count` times and waits for the device; the clock of rank 0 counts.
void timed_sweep(Ensemble& ensemble, std::int64_t first, std::int64_t count, Pacer& pacer) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    ensemble.sweep(first, static_cast<int>(count));
    ensemble.synchronize();
    const std::chrono::duration<double> passed = Clock::now() - begin;
    pacer.looked(count, of_first(ensemble.ranks(), passed.count()));
}

}  // namespace

bool tests_hottest_slot(const Shape& shape, const Measured& measured) {
    return !shape.has_vectors() && (shape.temperatures > 1 || !measured.field);
}

std::vector<std::int64_t> hottest_times(std::int64_t run_last, std::int64_t sweeps_per_step) {
    std::vector<std::int64_t> times;
    for (auto t = std::max<std::int64_t>(1, run_last / sweeps_per_step / run_per_hottest_time); t > 0; t /= 2)
        if (t * sweeps_per_step <= max_hottest_sweeps || t == 1) times.push_back(t * sweeps_per_step);
    std::reverse(times.begin(), times.end());
    return times;
}

std::optional<TwoTimeOverlaps> simulate_hottest_slot(const Parameters& parameters, const Batch& batch,
                                                     const std::vector<std::uint64_t>& spins,
                                                     std::int64_t run_last, const BackendChoice& choice,
                                                     const std::function<bool()>& stop) {
    const bool one = batch.shape.temperatures == 1,
               up = one && !measured_of(model_of(parameters), false).overlaps;
    const std::vector<std::uint64_t> last =
        one ? std::vector<std::uint64_t>() : last_slot(batch.shape, spins);
    const std::vector<std::uint64_t> all_up;  // two_time_sums takes empty for spins that are all up
    // With one temperature the state itself is the start: no copy of all its spins.
    const std::vector<std::uint64_t>& start = up ? all_up : one ? spins : last;
    Shape shape = batch.shape;
    shape.temperatures = 1;
    const auto ensemble = hottest_ensemble(parameters, batch, shape, choice);
    ensemble->set_held_spins({up ? spins_up(shape) : start});
    TwoTimeOverlaps overlaps{hottest_times(run_last, shape.hits), {}};
    const std::int64_t first = run_last - overlaps.sweeps.back();
    std::int64_t done = 0;
    Pacer pacer;
    for (const std::int64_t t : overlaps.sweeps) {
        while (done < t) {
            if (done > 0 && stop && stop()) return std::nullopt;
            const std::int64_t steps = (pacer.budget() + shape.hits - 1) / shape.hits;
            const std::int64_t count = std::min(steps * shape.hits, t - done);
            timed_sweep(*ensemble, first + done, count, pacer);
            done += count;
        }
        auto sums = two_time_sums(shape, start, ensemble->held_spins().bits);
        if (shape.is_slab()) batch.ranks->sum(std::span(sums));
        overlaps.sums.insert(overlaps.sums.end(), sums.begin(), sums.end());
    }
    return overlaps;
}

}  // namespace psflip
