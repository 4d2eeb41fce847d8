#include "tuning/ladder_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/version.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "tuning/ladder_tuning.hpp"

namespace psflip {
namespace {

constexpr DatasetRow round_rows[] = {
    {schema::temperatures, "J / k_B", "Temperatures, ascending.", "temperature"},
    {schema::ladder_acceptance, "1", "Accepted over attempted exchanges of neighbouring temperatures.",
     "temperature pair"},
    {schema::ladder_acceptance_error, "1", "Standard error of acceptance.", "temperature pair"},
    {schema::ladder_cold_fraction, "1",
     "Of the walkers at each temperature that were at an end, the part that was last at the coldest.",
     "temperature"},
    {schema::ladder_diffusivity, "(J/k_B)^2 per sweep", "Diffusivity of walkers between temperatures.",
     "temperature pair"},
};
constexpr DatasetRow choice_rows[] = {
    {schema::ladder_choice_count, "1", "Numbers of temperatures over the same range.", "choice"},
    {schema::ladder_choice_acceptance, "1",
     "Estimated acceptance of exchanges with this number of temperatures.", "choice"},
    {schema::ladder_choice_round_trips, "1 per sweep", "Estimated round trips of all walkers of one replica.",
     "choice"},
};

DatasetInfo ladder_dataset(const std::string& name) {
    if (!name.starts_with("/round")) return row_named(choice_rows, name);
    return row_named(round_rows, name.substr(std::min(name.find('/', 1), name.size())));
}

/// Returns the measured round trips divided by the number for independent successive exchanges.
double efficiency(const LadderMeasurement& ladder, int sweeps_per_swap) {
    return ladder.round_trips * sweeps_per_swap / independent_round_trips(ladder.acceptance);
}

/// Estimates other numbers of temperatures over the same range. Round trips are scaled to the result.
std::vector<LadderChoice> choices(const LadderMeasurement& ladder, int sweeps_per_swap) {
    const std::vector<double> distance = pair_distances(ladder.acceptance, ladder.attempts);
    std::vector<LadderChoice> list = ladder_choices(std::accumulate(distance.begin(), distance.end(), 0.0));
    for (LadderChoice& choice : list) choice.round_trips *= efficiency(ladder, sweeps_per_swap);
    return list;
}

/// Returns round trips per 10^9 proposed flips.
double per_flips(double round_trips, int count, int sites) {
    return 1e9 * round_trips / (static_cast<double>(count) * sites);
}

std::string table(const Parameters& p, const LadderTuning& tuning) {
    std::string text = "#                                          before       after\n";
    const auto row = [&](const char* name, const std::function<double(const LadderMeasurement&)>& value) {
        text +=
            fmt::format("# {:<36}{:>12.4g}{:>12.4g}\n", name, value(tuning.before()), value(tuning.after()));
    };
    using Ladder = LadderMeasurement;
    row("temperatures", [](const Ladder& l) { return l.n_temperatures(); });
    row("acceptance of exchanges, mean", [](const Ladder& l) { return l.mean_acceptance(); });
    row("  lowest", [](const Ladder& l) { return l.lowest_acceptance(); });
    row("  highest", [](const Ladder& l) { return l.highest_acceptance(); });
    row("round trips per 10^6 sweeps", [](const Ladder& l) { return 1e6 * l.round_trips; });
    row("  standard error", [](const Ladder& l) { return 1e6 * l.round_trips_error; });
    row("  of a walker, while measured", [](const Ladder& l) { return l.trips_per_walker; });
    const auto of_flips = [&p](double round_trips, const Ladder& l) {
        return per_flips(round_trips, l.n_temperatures(), p.n_sites());
    };
    row("round trips per 10^9 flips", [&](const Ladder& l) { return of_flips(l.round_trips, l); });
    row("  standard error", [&](const Ladder& l) { return of_flips(l.round_trips_error, l); });
    return text;
}

std::string choices_text(const Parameters& p, const LadderTuning& tuning) {
    std::string text =
        "# Other numbers of temperatures over this range, estimated from the result:\n"
        "#   temperatures  acceptance  round trips per 10^9 flips\n";
    for (const LadderChoice& choice : choices(tuning.after(), p.dynamics.sweeps_per_swap))
        text += fmt::format(
            "#   {:>12}  {:>10.2f}  {:>26.4g}\n", choice.count, choice.acceptance,
            per_flips(choice.round_trips / p.dynamics.sweeps_per_swap, choice.count, p.n_sites()));
    return text;
}

void write_round(OutputFile& file, const std::string& group, const LadderMeasurement& ladder) {
    const std::int64_t slots = ladder.n_temperatures(), pairs = slots - 1;
    file.write(group + schema::temperatures, {slots}, ladder.temperatures);
    file.write(group + schema::ladder_acceptance, {pairs}, ladder.acceptance);
    file.write(group + schema::ladder_acceptance_error, {pairs}, ladder.acceptance_error);
    file.write(group + schema::ladder_cold_fraction, {slots}, ladder.cold_fraction);
    file.write(group + schema::ladder_diffusivity, {pairs},
               diffusivity(ladder.temperatures, ladder.cold_fraction, ladder.round_trips));
    file.attribute(group + "@round_trips", ladder.round_trips);
    file.attribute(group + "@round_trips_error", ladder.round_trips_error);
    file.attribute(group + "@round_trips_per_walker", ladder.trips_per_walker);
}

}  // namespace

std::string ladder_first_line(const Parameters& p, const Batch& batch) {
    const std::int64_t first = batch.identity.first_realization;
    return fmt::format("# Temperatures for L = {}, realizations {} to {}", p.L, first,
                       first + batch.identity.realizations - 1);
}

std::string ladder_yaml(const Parameters& p, const Batch& batch, const TuneOptions& options,
                        const LadderTuning& tuning) {
    std::string text = fmt::format(
        "{}\n# By pt-run --tune-ladder of psflip {}: {}.\n"
        "# {} replicas of each realization, exchanges every {} sweeps: {} sweeps from random spins, then as\n"
        "# many that count. Round trips count all walkers of one replica of one realization, from cold to "
        "hot and back.\n",
        ladder_first_line(p, batch), version(),
        tuning.chosen != tuning.constant ? "optimised for round trips by feedback"
                                         : "equal acceptance of all exchanges",
        p.replicas, p.dynamics.sweeps_per_swap, options.sweeps);
    if (!tuning.converged)
        text += fmt::format(
            "# The acceptances did not become equal within {}; a larger --tune-sweeps may help.\n",
            acceptance_tolerance);
    text += "#\n" + table(p, tuning) + "#\n" + choices_text(p, tuning);
    text += fmt::format("temperatures:\n  list: [{}]\n", fmt::join(tuning.after().temperatures, ", "));
    return text;
}

void write_ladder_numbers(const std::string& path, const Parameters& parameters, const Batch& batch,
                          const TuneOptions& options, const LadderTuning& tuning,
                          const Provenance& provenance, const Usage& usage) {
    OutputFile file(path, schema::ladder, provenance, ladder_dataset);
    write_identity(file, batch.identity);
    write_usage(file, usage);
    file.attribute("tune_sweeps", options.sweeps);
    if (options.count == 0) file.attribute(schema::ladder_target, options.target_acceptance);
    file.attribute("sweeps_per_swap", std::int64_t{parameters.dynamics.sweeps_per_swap});
    file.attribute("replicas", std::int64_t{parameters.replicas});
    file.attribute("rounds", static_cast<std::int64_t>(tuning.rounds.size()));
    file.attribute("constant", std::int64_t{tuning.constant});
    file.attribute("chosen", std::int64_t{tuning.chosen});
    file.attribute("converged", std::int64_t{tuning.converged});
    for (std::size_t i = 0; i < tuning.rounds.size(); ++i)
        write_round(file, fmt::format("/round{}", i), tuning.rounds[i]);

    std::vector<std::int64_t> count;
    std::vector<double> acceptance, round_trips;
    for (const LadderChoice& choice : choices(tuning.after(), parameters.dynamics.sweeps_per_swap)) {
        count.push_back(choice.count);
        acceptance.push_back(choice.acceptance);
        round_trips.push_back(choice.round_trips / parameters.dynamics.sweeps_per_swap);
    }
    const auto n = static_cast<std::int64_t>(count.size());
    file.write(schema::ladder_choice_count, {n}, count);
    file.write(schema::ladder_choice_acceptance, {n}, acceptance);
    file.write(schema::ladder_choice_round_trips, {n}, round_trips);
    file.commit();
}

}  // namespace psflip
