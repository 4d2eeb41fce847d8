#include "tuning/tune_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/limits.hpp"
#include "io/existing_file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/schema.hpp"
#include "run/simulation.hpp"
#include "tuning/ladder_file.hpp"
#include "tuning/ladder_tuning.hpp"

namespace psflip {
namespace {

constexpr int most_rounds = 8, feedback_rounds = 4;

double unevenness(const LadderMeasurement& ladder) {
    const double mean = ladder.mean_acceptance();
    return std::max(ladder.highest_acceptance() - mean, mean - ladder.lowest_acceptance());
}

/// More round trips by more than twice the standard error of the difference.
bool better(const LadderMeasurement& a, const LadderMeasurement& b) {
    return a.round_trips - b.round_trips > 2.0 * std::hypot(a.round_trips_error, b.round_trips_error);
}

void refuse_count(int count, double length, const LadderMeasurement& ladder, const TuneOptions& options) {
    if (count <= limits::temperatures) return;
    const double possible = acceptance_of_distance(length / (limits::temperatures - 1));
    throw InputError(
        fmt::format("the range from T = {} to {} needs about {} temperatures for an acceptance of {}, but {} "
                    "are the most; "
                    "they would give about {:.2g}: ask for a smaller --target-acceptance or a narrower range",
                    ladder.temperatures.front(), ladder.temperatures.back(), count, options.target_acceptance,
                    limits::temperatures, possible));
}

/// One tuning: its ladders and how to measure another one.
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
            if (result_.converged || round == most_rounds) break;
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
                "a walker made only {:.2g} round trips: too few for the feedback; raise --tune-sweeps",
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
        throw InputError(
            "temperatures is a single one for this size; a ladder is tuned between the lowest and the "
            "highest temperature of the study: give a list of two or more, or min and max");
}

void check_existing_outputs(const Parameters& parameters, const Batch& batch, const std::string& out,
                            const std::string& numbers, const RunOptions& options) {
    if (options.force) return;
    if (!numbers.empty())
        check_existing_file(numbers, schema::ladder, [&](const InputFile& file) {
            return other_lines(read_identity(file).lines(), batch.identity.lines());
        });
    check_existing_text(out, "list of temperatures", ladder_first_line(parameters, batch));
}

}  // namespace

LadderTuning tune_ladder(const Parameters& parameters, Batch& batch, const TuneOptions& options,
                         const RunOptions& run_options) {
    check_ends(parameters);
    return Tuner(parameters, batch, options, run_options).tune();
}

void tune_ladder_program(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& out, const std::string& numbers, const TuneOptions& options,
                         const RunOptions& run_options) {
    UsageMeter meter;
    std::vector<NamedFile> outputs{{"the list of temperatures", out}};
    if (!numbers.empty()) outputs.push_back({"the file of numbers", numbers});
    check_outputs({{"the disorder file", disorder_path}}, outputs);
    refuse_vectors(parameters, "tune-ladder");
    Batch batch = load_batch(parameters, disorder_path, run_options.backend, 0, 0);
    check_existing_outputs(parameters, batch, out, numbers, run_options);
    Provenance provenance;
    {
        const Simulation simulation =
            make_simulation(setup_of(parameters, batch, run_options.backend), parameters, 0);
        provenance = full_provenance(run_options, simulation.sampler->ensemble(), {disorder_path});
        meter.start(simulation.sampler->ensemble(), run_options.backend.device, 0, {});
    }
    const LadderTuning tuning = tune_ladder(parameters, batch, options, run_options);
    Usage usage = meter.at(0);
    for (const LadderMeasurement& round : tuning.rounds) usage.flips += round.flips;
    check_locks(run_options);
    if (!numbers.empty())
        write_ladder_numbers(numbers, parameters, batch, options, tuning, provenance, usage);
    write_text_file(out, ladder_yaml(parameters, batch, options, tuning));
}

void check_tune_ladder(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                       const std::string& numbers, const RunOptions& run_options) {
    check_ends(parameters);
    if (disorder_path.empty()) return;
    refuse_vectors(parameters, "tune-ladder");
    const Batch batch = load_batch(parameters, disorder_path, run_options.backend, 0, 0);
    check_existing_outputs(parameters, batch, out, numbers, run_options);
}

}  // namespace psflip
