#include "tuning/ladder_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/stop.hpp"
#include "evolution/tempering_state.hpp"
#include "lattice/site_bits.hpp"
#include "run/memory.hpp"
#include "run/simulation.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {
namespace {

constexpr std::int64_t exchanges_per_sample = 9;

/// Which end every walker was at last. TemperingState::last_end does not mark a walker at the hot end before
/// it was at the cold end; here it counts.
class WalkerLabels {
  public:
    explicit WalkerLabels(const Shape& shape)
        : slots_(static_cast<std::size_t>(shape.temperatures)),
          seen_hot_(shape.realizations * shape.replicas * slots_, 0),
          cold_(slots_, 0),
          hot_(slots_, 0) {}

    /// Notes the hot ends only, before counting begins.
    void look(const TemperingState& state) {
        for (std::size_t base = 0; base < state.walker.size(); base += slots_)
            seen_hot_[base + state.walker[base + slots_ - 1]] = 1;
    }

    void count(const TemperingState& state) {
        look(state);
        for (std::size_t i = 0; i < state.walker.size(); ++i) {
            const std::size_t slot = i % slots_, walker = i - slot + state.walker[i];
            const std::uint8_t end = state.last_end[walker];
            if (end == 1) ++cold_[slot];
            if (end == 2 || (end == 0 && seen_hot_[walker])) ++hot_[slot];
        }
    }

    /// NaN at a slot that no labelled walker was at.
    std::vector<double> cold_fraction() const {
        std::vector<double> result;
        for (std::size_t t = 0; t < slots_; ++t)
            result.push_back(cold_[t] + hot_[t] == 0
                                 ? nan_value
                                 : static_cast<double>(cold_[t]) / static_cast<double>(cold_[t] + hot_[t]));
        return result;
    }

  private:
    std::size_t slots_;
    std::vector<std::uint8_t> seen_hot_;    ///< (realization, replica, walker)
    std::vector<std::int64_t> cold_, hot_;  ///< (slot)
};

/// Acceptances and round trips from the counts gained between two states.
void add_counts(LadderMeasurement& result, const Shape& shape, std::int64_t sweeps,
                const TemperingState& start, const TemperingState& end) {
    const std::int64_t pairs = shape.temperatures - 1, replicas = shape.replicas;
    const auto per_realization = static_cast<double>(replicas);
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const auto tries = static_cast<double>(end.attempted[pair] - start.attempted[pair]);
        std::vector<double> rate(shape.realizations, 0.0);
        for (std::int64_t i = 0; i < shape.realizations * replicas; ++i)
            rate[i / replicas] +=
                static_cast<double>(end.accepted[i * pairs + pair] - start.accepted[i * pairs + pair]) /
                (tries * per_realization);
        const Estimate accepted = mean_and_error(rate.data(), shape.realizations);
        result.acceptance.push_back(accepted.value);
        result.acceptance_error.push_back(accepted.error);
        result.attempts.push_back(tries * per_realization * static_cast<double>(shape.realizations));
    }
    std::vector<double> trips(shape.realizations, 0.0);
    for (std::int64_t i = 0; i < shape.realizations * replicas; ++i)
        trips[i / replicas] +=
            static_cast<double>(end.round_trips[i] - start.round_trips[i]) / per_realization;
    const Estimate completed = mean_and_error(trips.data(), shape.realizations);
    result.round_trips = completed.value / static_cast<double>(sweeps);
    result.round_trips_error = completed.error / static_cast<double>(sweeps);
    result.trips_per_walker = completed.value / shape.temperatures;
}

/// The simulation of one ladder, piece by piece.
class LadderRun {
  public:
    LadderRun(const Parameters& parameters, const Batch& batch, const RunOptions& options,
              std::int64_t sweeps, const std::string& title)
        : simulation_(make_simulation(setup_of(parameters, batch, options.backend), parameters, 0)),
          loop_(*simulation_.sampler, nullptr, {0, 2 * sweeps, parameters.dynamics.sweeps_per_swap, 0, 0, 0},
                {}),
          progress_(options.progress, title, 2 * sweeps, 0, flips_per_sweep(batch.shape)) {
        simulation_.set({0,
                         -1,
                         {random_held_spins(batch.shape, batch.key(parameters.seed))},
                         initial_sampler_state(batch.shape)});
    }

    /// Sweeps up to `target` completed ones.
    void advance(std::int64_t target) {
        LoopHooks hooks;
        hooks.stop_reason = stop_reason;
        hooks.progress = [this](std::int64_t completed) { progress_.update(completed); };
        if (const char* reason = loop_.advance_to(target, hooks))
            throw Stopped(fmt::format(
                "stopped by {}; the tuning of a ladder keeps no checkpoint: the same command starts anew",
                reason));
    }

    TemperingState tempering() const { return tempering_of(simulation_.sampler->state()); }
    std::int64_t completed() const { return loop_.completed(); }

  private:
    Simulation simulation_;
    RunLoop loop_;
    Progress progress_;
};

}  // namespace

double LadderMeasurement::mean_acceptance() const {
    return std::accumulate(acceptance.begin(), acceptance.end(), 0.0) /
           static_cast<double>(acceptance.size());
}
double LadderMeasurement::lowest_acceptance() const {
    return *std::min_element(acceptance.begin(), acceptance.end());
}
double LadderMeasurement::highest_acceptance() const {
    return *std::max_element(acceptance.begin(), acceptance.end());
}

LadderMeasurement measure_ladder(const Parameters& parameters, Batch& batch, std::int64_t sweeps,
                                 const RunOptions& options, const std::string& title) {
    batch.shape.temperatures = parameters.n_temperatures();
    check_memory(memory_needs(parameters, batch.shape, options.backend), available_bytes());
    LadderMeasurement result;
    result.temperatures = parameters.temperatures;
    LadderRun run(parameters, batch, options, sweeps, title);
    WalkerLabels labels(batch.shape);
    run.advance(sweeps / 2);
    labels.look(run.tempering());
    run.advance(sweeps);
    const TemperingState start = run.tempering();
    labels.look(start);
    while (run.completed() < 2 * sweeps) {
        run.advance(std::min(2 * sweeps,
                             run.completed() + exchanges_per_sample * parameters.dynamics.sweeps_per_swap));
        labels.count(run.tempering());
    }
    add_counts(result, batch.shape, sweeps, start, run.tempering());
    result.cold_fraction = labels.cold_fraction();
    result.flips = static_cast<double>(2 * sweeps) * flips_per_sweep(batch.shape);
    return result;
}

}  // namespace psflip
