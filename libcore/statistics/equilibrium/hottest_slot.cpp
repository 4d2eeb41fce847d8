#include "statistics/equilibrium/hottest_slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/limits.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"

namespace psflip {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Returns the memory c from sums over `number` realizations.
double memory_of(double correlation, double square, double reference, double number, bool compared) {
    if (!compared) return correlation / number;
    return number > reference ? (square - reference) / (number - reference) : 0.0;
}

/// Returns the first time at which c is at most `level`, interpolated in log t between recorded times. If c
/// is at most `level` from the start, returns the first recorded time.
double time_of(const std::vector<std::int64_t>& sweeps, const std::vector<double>& memory, double level) {
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
        if (!(memory[k] <= level)) continue;
        const double after = static_cast<double>(sweeps[k]);
        if (k == 0) return after;
        const double before = static_cast<double>(sweeps[k - 1]);
        return before * std::pow(after / before, (memory[k - 1] - level) / (memory[k - 1] - memory[k]));
    }
    return never;
}

/// Returns c(t) of the realizations [begin, end).
std::vector<double> memories(const HottestMemory& memory, const double* reference, std::int64_t begin,
                             std::int64_t end, std::int64_t realizations) {
    std::vector<double> result;
    for (std::size_t k = 0; k < memory.sweeps.size(); ++k) {
        double correlation = 0.0, square = 0.0, compared = 0.0;
        for (std::int64_t r = begin; r < end; ++r) {
            const std::size_t i = k * static_cast<std::size_t>(realizations) + static_cast<std::size_t>(r);
            correlation += memory.correlation[i];
            square += memory.square[i];
            if (reference) compared += reference[r];
        }
        result.push_back(
            memory_of(correlation, square, compared, static_cast<double>(end - begin), reference != nullptr));
    }
    return result;
}

/// Returns the first recorded time at which c is clearly less than 1.
double own_time(const std::vector<std::int64_t>& sweeps, const std::vector<double>& memory, bool compared) {
    for (std::size_t k = 0; k < sweeps.size(); ++k)
        if (memory[k] <= (compared ? clearly_less : clearly_less_single))
            return static_cast<double>(sweeps[k]);
    return never;
}

void fill_means(HottestMemory& memory, const RunSums& run) {
    const std::size_t R = static_cast<std::size_t>(run.realizations),
                      A = static_cast<std::size_t>(run.replicas);
    const double sites = run.sites();
    memory.correlation.assign(memory.sweeps.size() * R, 0.0);
    memory.square = memory.correlation;
    for (std::size_t i = 0; i < run.hottest.sums.size(); ++i) {
        const std::size_t place = i / (A * R) * R + i % R;
        const double q = static_cast<double>(run.hottest.sums[i]) / sites;
        memory.correlation[place] += q / static_cast<double>(A);
        memory.square[place] += q * q / static_cast<double>(A);
    }
}

}  // namespace

bool has_hottest_memory(const Measured& measured) {
    return !measured.field && !measured.vectors();
}

TwoTimeOverlaps read_hottest(const InputFile& file, const RunSums& run) {
    if (!has_hottest_memory(run.measured)) return {};
    const auto sites = static_cast<std::int64_t>(run.sites());
    TwoTimeOverlaps overlaps;
    overlaps.sweeps = read_ascending<std::int64_t>(file, schema::hottest_sweeps, {1, run.run_last});
    overlaps.sums = read_in_range<std::int64_t>(
        file, schema::hottest_correlation,
        {static_cast<std::int64_t>(overlaps.sweeps.size()), run.replicas, run.realizations}, {-sites, sites});
    return overlaps;
}

std::optional<Observable> hottest_reference(const Measured& measured, int replicas, int temperatures) {
    if (measured.overlaps) return replicas > 1 ? std::optional(Observable("q2")) : std::nullopt;
    return temperatures == 1 ? std::optional(Observable("m2")) : std::nullopt;
}

HottestMemory hottest_memory(const RunSums& run, const double* reference, int share) {
    HottestMemory memory{run.hottest.sweeps, {}, {}, {}};
    if (memory.sweeps.empty()) return memory;
    fill_means(memory, run);
    const std::int64_t R = run.realizations, group = std::max(share, 32);
    for (std::int64_t begin = 0; begin < R; begin += group) {
        const std::int64_t end = std::min(begin + group, R);
        const double together = time_of(memory.sweeps, memories(memory, reference, begin, end, R), forgotten);
        for (std::int64_t r = begin; r < end; ++r) {
            const auto own = memories(memory, reference, r, r + 1, R);
            memory.time.push_back(std::max(together, own_time(memory.sweeps, own, reference != nullptr)));
        }
    }
    return memory;
}

void write_hottest_memory(OutputFile& file, const HottestMemory& memory) {
    if (memory.sweeps.empty()) return;
    const auto times = static_cast<std::int64_t>(memory.sweeps.size());
    const auto realizations = static_cast<std::int64_t>(memory.time.size());
    file.write(schema::hottest_memory_sweeps, {times}, memory.sweeps);
    file.write(schema::hottest_memory_correlation, {times, realizations}, memory.correlation);
    file.write(schema::hottest_memory_square, {times, realizations}, memory.square);
    file.write(schema::hottest_memory_time, {realizations}, memory.time);
}

void HottestMean::add(const InputFile& file, std::int64_t count, std::int64_t counted,
                      std::optional<Observable> reference) {
    ++files_;
    curve_.reference = reference;
    const auto last = file.integer_attribute(schema::run_last, 1, limits::sweeps);
    const double least = file.real_attribute(schema::min_walk_times, 0.0, 1e100);
    const double longest = least > 0.0 ? static_cast<double>(last) / least : never;
    realizations_ += static_cast<double>(counted);
    const auto temperature = read_temperatures(file);
    curve_.temperature = temperature.back();
    curve_.temperatures = static_cast<int>(temperature.size());
    if (reference) {
        const auto mean =
            read_in_range<double>(file, fmt::format("{}/{}", schema::mean_group, (*reference)->name),
                                  {curve_.temperatures, count}, {0.0, 1.0 + 1e-9, true});
        for (std::int64_t r = 0; r < counted; ++r) reference_ += mean[(curve_.temperatures - 1) * count + r];
    }
    const auto time = read_in_range<double>(file, schema::hottest_memory_time, {count}, {0.0, never});
    curve_.cold += std::count_if(time.begin(), time.begin() + counted, [&](double t) { return t > longest; });
    const auto sweeps = read_ascending<std::int64_t>(file, schema::hottest_memory_sweeps, {1, last});
    const Extents extents = {static_cast<std::int64_t>(sweeps.size()), count};
    const auto correlation =
        read_in_range<double>(file, schema::hottest_memory_correlation, extents, {-1.0 - 1e-9, 1.0 + 1e-9});
    const auto square =
        read_in_range<double>(file, schema::hottest_memory_square, extents, {0.0, 1.0 + 1e-9});
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
        Sums& sums = at_[sweeps[k]];
        ++sums.files;
        for (std::int64_t r = 0; r < counted; ++r) {
            const std::size_t i = k * static_cast<std::size_t>(count) + static_cast<std::size_t>(r);
            sums.correlation += correlation[i];
            sums.square += square[i];
        }
    }
}

HottestCurve HottestMean::curve() const {
    HottestCurve curve = curve_;
    for (const auto& [sweeps, sums] : at_) {
        if (sums.files < files_) continue;
        curve.sweeps.push_back(sweeps);
        curve.correlation.push_back(sums.correlation / realizations_);
        curve.memory.push_back(
            memory_of(sums.correlation, sums.square, reference_, realizations_, curve.reference.has_value()));
    }
    curve.time = time_of(curve.sweeps, curve.memory, forgotten);
    return curve;
}

std::string hottest_fault(std::optional<Observable> reference, int temperatures) {
    if (temperatures > 1) return "the hottest temperature does not decorrelate by itself";
    if (reference == Observable("m2")) return "a start with all spins up does not come down to the run";
    return "the spins do not forget where the run ended";
}

AnalysisWarning hottest_warning(const HottestCurve& curve, std::int64_t realizations, const Model& model) {
    constexpr double many = 0.01, hot = 4.0;
    if (static_cast<double>(curve.cold) <= many * static_cast<double>(realizations)) return {};
    const bool one = curve.temperatures == 1;
    const std::string left =
        curve.sweeps.empty()
            ? ""
            : fmt::format(" ({}{:.0f}% of {} of all realizations is left after {} sweeps)",
                          one ? "" : "without exchange ", 100.0 * curve.memory.back(),
                          curve.reference == Observable("m2") ? "the excess of m^2" : "the memory",
                          curve.sweeps.back());
    const std::string found = fmt::format("in {} of {} realizations {}{}", curve.cold, realizations,
                                          hottest_fault(curve.reference, curve.temperatures), left);
    const double limit = hot * model.dimension;
    if (model.update == Update::metropolis && curve.temperature > limit)
        return {"metropolis",
                fmt::format("{}, because dynamics.update: metropolis flips nearly every spin in every sweep "
                            "at T = {:g}, and configurations return after two sweeps; set dynamics.update: "
                            "heat-bath, or lower {} to {:g} or less",
                            found, curve.temperature, one ? "the temperature" : "temperatures.max", limit)};
    if (one)
        return {"one_temperature",
                found +
                    ", so that the averages are not equilibrium averages; take several temperatures, up to "
                    "one at which spins forget, or longer runs"};
    return {"hottest", fmt::format("{}, so that exchange only moves configurations that stay in their "
                                   "valleys; raise temperatures.max, {:g}; longer runs help only if it is "
                                   "nearly hot enough",
                                   found, curve.temperature)};
}

}  // namespace psflip
