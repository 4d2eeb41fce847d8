#include "tuning/tune_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/numbers.hpp"
#include "base/stop.hpp"
#include "config/checks.hpp"
#include "config/limits.hpp"
#include "evolution/sampler_state.hpp"
#include "io/existing_file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/schema.hpp"
#include "run/memory.hpp"
#include "run/run_loop.hpp"
#include "run/simulation.hpp"
#include "statistics/jackknife.hpp"
#include "tuning/ladder_file.hpp"
#include "tuning/ladder_tuning.hpp"

namespace psflip {

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

namespace {

constexpr std::int64_t exchanges_per_sample = 9;

/// Stores the end of the ladder at which every walker was last. TemperingState::last_end does not mark a
/// walker at the hot end before it was at the cold end; WalkerLabels does.
class WalkerLabels {
  public:
    explicit WalkerLabels(const Shape& shape)
        : slots_(static_cast<std::size_t>(shape.temperatures)),
          seen_hot_(shape.realizations * shape.replicas * slots_, 0),
          cold_(slots_, 0),
          hot_(slots_, 0) {}

    /// Stores hot ends only, before counting begins.
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

    /// Returns the fraction for each slot, or NaN at a slot without labelled walkers.
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

/// Sets acceptances and round trips from the difference of the counts of two states.
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

/// Runs the batch at parameters.temperatures (2 or more) from random spins for `sweeps` (100 or more) sweeps
/// with exchanges, and then measures for `sweeps` more. It makes more sweeps if dynamics.hits needs them. The
/// labels of the walkers are read every 9 exchanges. This number is odd, so that even and odd pairs count
/// equally. `title` names the work in the progress. Errors: Stopped on a stop request, with nothing saved;
/// EnvironmentError if there is not enough memory.
LadderMeasurement measure_ladder(const Parameters& parameters, Batch& batch, std::int64_t sweeps,
                                 const RunOptions& options, const std::string& title) {
    batch.shape.temperatures = parameters.n_temperatures();
    const Shape& shape = batch.shape;
    const std::int64_t two_steps = 2 * parameters.dynamics.hits;
    sweeps = (sweeps + two_steps - 1) / two_steps * two_steps;  // half of it is whole steps
    check_memory(memory_needs(parameters, shape, options.backend), available_bytes());
    Simulation simulation = make_simulation(setup_of(parameters, batch, options.backend), parameters, 0);
    simulation.set(batch.random_start(parameters));
    RunLoop loop(*simulation.sampler, nullptr,
                 {.end = 2 * sweeps,
                  .sweeps_per_swap = parameters.dynamics.sweeps_per_swap,
                  .sweeps_per_step = parameters.dynamics.hits},
                 {});
    Progress progress(options.progress, title, 2 * sweeps, 0, flips_per_sweep(shape));
    LoopHooks hooks;
    hooks.stop_reason = stop_reason;
    hooks.progress = [&](std::int64_t completed) { progress.update(completed); };
    const auto tempering_at = [&](std::int64_t sweep) {
        if (const char* reason = loop.advance_to(sweep, hooks))
            throw Stopped(fmt::format(
                "stopped by {}; the tuning of a ladder keeps no checkpoint: the same command starts anew",
                reason));
        return tempering_of(simulation.sampler->state());
    };
    WalkerLabels labels(shape);
    labels.look(tempering_at(sweeps / 2));
    const TemperingState start = tempering_at(sweeps);
    labels.look(start);
    TemperingState now = start;
    const std::int64_t sample = exchanges_per_sample * parameters.dynamics.sweeps_per_swap;
    while (loop.completed() < 2 * sweeps) {
        now = tempering_at(std::min(2 * sweeps, loop.completed() + sample));
        labels.count(now);
    }
    LadderMeasurement result;
    result.temperatures = parameters.temperatures;
    add_counts(result, shape, sweeps, start, now);
    result.cold_fraction = labels.cold_fraction();
    result.flips = static_cast<double>(2 * sweeps) * flips_per_sweep(shape);
    return result;
}

constexpr int max_rounds = 8, feedback_rounds = 4;

double unevenness(const LadderMeasurement& ladder) {
    const double mean = ladder.mean_acceptance();
    return std::max(ladder.highest_acceptance() - mean, mean - ladder.lowest_acceptance());
}

/// Returns whether a has more round trips by more than twice the standard error of the difference.
bool better(const LadderMeasurement& a, const LadderMeasurement& b) {
    return a.round_trips - b.round_trips > 2.0 * std::hypot(a.round_trips_error, b.round_trips_error);
}

void refuse_count(int count, double length, const LadderMeasurement& ladder, const TuneOptions& options) {
    if (count <= limits::temperatures) return;
    const double possible = acceptance_of_distance(length / (limits::temperatures - 1));
    throw InputError(fmt::format(
        "the range from T = {} to {} needs about {} temperatures for an acceptance of {}, but at most {} are "
        "possible, which would give about {:.2g}; use a smaller --target-acceptance or a narrower range",
        ladder.temperatures.front(), ladder.temperatures.back(), count, options.target_acceptance,
        limits::temperatures, possible));
}

/// Tunes one ladder, see tune_ladder_program.
class Tuner {
  public:
    Tuner(const Parameters& parameters, Batch& batch, const TuneOptions& options,
          const RunOptions& run_options)
        : parameters_(parameters), batch_(batch), options_(options), run_options_(run_options) {}

    LadderTuning tune() {
        measure(parameters_.temperatures);
        equalize();
        result_.chosen = result_.constant;
        if (options_.feedback) feed_back();
        return std::move(result_);
    }

  private:
    const LadderMeasurement& last() const { return result_.rounds.back(); }

    void measure(const std::vector<double>& temperatures) {
        parameters_.temperatures = temperatures;
        const std::size_t number = result_.rounds.size();
        result_.rounds.push_back(measure_ladder(
            parameters_, batch_, options_.sweeps, run_options_,
            fmt::format("{} L={}, ladder {}", run_options_.provenance.program, parameters_.L, number)));
        const double flips = static_cast<double>(last().n_temperatures()) * parameters_.n_sites();
        spdlog::info(
            "ladder {}: {} temperatures, acceptance {:.3f} to {:.3f}, {:.4g} +- {:.2g} round trips per 10^9 "
            "flips",
            number, last().n_temperatures(), last().lowest_acceptance(), last().highest_acceptance(),
            1e9 * last().round_trips / flips, 1e9 * last().round_trips_error / flips);
    }

    void equalize() {
        for (int round = 0;; ++round) {
            const std::vector<double> distance = pair_distances(last().acceptance, last().attempts);
            const double length = std::accumulate(distance.begin(), distance.end(), 0.0);
            const int present = last().n_temperatures();
            const int count = options_.count > 0
                                  ? options_.count
                                  : count_for_acceptance(length, options_.target_acceptance, present);
            refuse_count(count, length, last(), options_);
            result_.converged = count == present && unevenness(last()) <= acceptance_tolerance;
            if (result_.converged || round == max_rounds) break;
            const std::vector<double> next = ladder_of_equal_weights(last().temperatures, distance, count);
            if (next == last().temperatures) break;
            measure(next);
        }
        result_.constant = static_cast<int>(result_.rounds.size()) - 1;
        if (!result_.converged)
            spdlog::warn("the acceptances still differ by {:.3f} from their mean; raise --tune-sweeps",
                         unevenness(last()));
    }

    void feed_back() {
        if (last().trips_per_walker < 1.0)
            spdlog::warn(
                "a walker made only {:.2g} round trips, which are too few for the feedback; raise "
                "--tune-sweeps",
                last().trips_per_walker);
        const int count = last().n_temperatures();
        for (int step = 0; step < feedback_rounds; ++step) {
            const std::vector<double>& fraction = last().cold_fraction;
            if (std::any_of(fraction.begin(), fraction.end(), [](double f) { return std::isnan(f); }))
                throw InputError(
                    "no walker went from one end of the ladder to some of its temperatures, so there is "
                    "nothing for the feedback to learn from; raise --tune-sweeps");
            std::vector<double> weights = feedback_weights(fraction);
            for (double& weight : weights) weight = 0.5 * (weight + 1.0 / (count - 1));
            const std::vector<double> next = ladder_of_equal_weights(last().temperatures, weights, count);
            if (next == last().temperatures) break;
            measure(next);
            if (better(last(), result_.rounds[result_.constant]) &&
                last().round_trips > result_.after().round_trips)
                result_.chosen = static_cast<int>(result_.rounds.size()) - 1;
        }
        if (result_.chosen == result_.constant)
            spdlog::info(
                "no feedback step gave significantly more round trips than equal acceptances, which are "
                "kept");
    }

    Parameters parameters_;
    Batch& batch_;
    TuneOptions options_;
    RunOptions run_options_;
    LadderTuning result_;
};

void check_ends(const Parameters& parameters) {
    if (parameters.n_temperatures() < 2)
        refuse_key(parameters, "temperatures",
                   fmt::format("has one value for L = {}, but a ladder is tuned between the lowest and the "
                               "highest temperature; give a list of two or more, or min and max",
                               parameters.L));
}

void check_call(const Parameters& parameters) {
    check_ends(parameters);
    if (const char* const key = real_numbers_key(parameters.model))
        refuse_key(parameters, key,
                   "does not go with pt-run --tune-ladder; choose the temperatures by hand, for example with "
                   "temperatures.list");
}

/// Loads the batch and checks what the outputs would replace.
Batch load_checked(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                   const std::string& numbers, const RunOptions& options) {
    Batch batch = load_batch(parameters, disorder_path, options.backend, 0, 0);
    if (options.force) return batch;
    if (!numbers.empty())
        check_existing_file(numbers, schema::ladder, [&](const InputFile& file) {
            return other_lines(read_identity(file).lines(), batch.identity.lines());
        });
    check_existing_text(out, "list of temperatures", ladder_first_line(parameters, batch));
    return batch;
}

}  // namespace

void tune_ladder_program(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& out, const std::string& numbers, const TuneOptions& options,
                         const RunOptions& run_options) {
    UsageMeter meter;
    std::vector<NamedFile> outputs{{"the list of temperatures", out}};
    if (!numbers.empty()) outputs.push_back({"the file of numbers", numbers});
    check_outputs({{"the disorder file", disorder_path}}, outputs);
    check_call(parameters);
    Batch batch = load_checked(parameters, disorder_path, out, numbers, run_options);
    Provenance provenance;
    {
        const Simulation simulation =
            make_simulation(setup_of(parameters, batch, run_options.backend), parameters, 0);
        provenance = full_provenance(run_options, simulation.sampler->ensemble(), {disorder_path});
        meter.start(simulation.sampler->ensemble(), run_options.backend.device, 0, {});
    }
    const LadderTuning tuning = Tuner(parameters, batch, options, run_options).tune();
    Usage usage = meter.at(0);
    for (const LadderMeasurement& round : tuning.rounds) usage.flips += round.flips;
    check_locks(run_options);
    if (!numbers.empty())
        write_ladder_numbers(numbers, parameters, batch, options, tuning, provenance, usage);
    write_text_file(out, ladder_yaml(parameters, batch, options, tuning));
}

void check_tune_ladder(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                       const std::string& numbers, const RunOptions& run_options) {
    check_call(parameters);
    if (!disorder_path.empty()) load_checked(parameters, disorder_path, out, numbers, run_options);
}

}  // namespace psflip
