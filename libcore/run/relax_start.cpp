#include "run/relax_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/physics_text.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/site_bits.hpp"
#include "run/fingerprint.hpp"
#include "run/relax_times.hpp"
#include "run/run_file.hpp"

namespace psflip {
namespace {

/// Returns spins that all point along z.
std::vector<double> vectors_up(const Shape& shape) {
    std::vector<double> spins(static_cast<std::size_t>(shape.spin_words()), 0.0);
    const std::int64_t sites = shape.sites(), lattice = sites * shape.components;
    for (std::int64_t z = lattice - sites; z < std::ssize(spins); z += lattice)
        std::fill_n(spins.begin() + z, sites, 1.0);
    return spins;
}

/// InputError where a relaxation stands at none of its times, or the spins of a waiting time that has passed
/// are missing.
void check_relaxed(const Parameters& parameters, const RelaxStart& begin, const std::string& path) {
    const SimulationState& state = begin.state;
    RelaxSection past = parameters.relax;
    past.last = state.sweep - state.run_start;
    const std::vector<std::int64_t> times = relax_times(past, parameters.has_even_times());
    const bool begun = past.start == RelaxOrigin::state ? state.run_start >= 0 : state.run_start == 0;
    if (!begun || times.empty() || times.back() != past.last)
        throw InputError(fmt::format("{}: no relaxation from sweep {} on has a time at sweep {}", path,
                                     state.run_start, state.sweep));
    std::vector<std::int64_t> wanted, found;
    for (const std::int64_t time : past.waiting)
        if (time <= past.last) wanted.push_back(time);
    for (const Snapshot& snapshot : begin.waiting) found.push_back(snapshot.sweep);
    if (found != wanted)
        throw InputError(fmt::format("{}: dataset {} holds [{}], but the waiting times up to {} are [{}]",
                                     path, schema::snapshots_sweep, fmt::join(found, ", "), past.last,
                                     fmt::join(wanted, ", ")));
}

}  // namespace

void check_relax_start(const Parameters& parameters, bool has_state, bool of_relaxation,
                       const std::string& state_path) {
    const bool from_state = parameters.relax.start == RelaxOrigin::state;
    if (from_state && !has_state) throw InputError("relax.start = state, but no file is given with --state");
    if (!from_state && has_state && !of_relaxation)
        throw InputError(
            fmt::format("relax.start = {}, but {} is no state that relax wrote; set relax.start to state to "
                        "begin from it",
                        name(parameters.relax.start), state_path));
}

RelaxStart read_relax_start(const Parameters& parameters, const std::string& path, const Batch& batch) {
    RelaxStart begin;
    begin.state = load_state(path, batch.identity, batch.shape, batch.threads);
    const InputFile file(path, schema::state, batch.threads);
    const bool of_relaxation = file.has_attribute(schema::relax_lines);
    check_relax_start(parameters, true, of_relaxation, path);
    if (!of_relaxation) {
        begin.state.run_start = begin.state.sweep;
        return begin;
    }
    check_same_physics("state " + path, file.text_attribute(schema::relax_lines), "this call",
                       relax_lines(parameters.relax), "a relaxation goes on only as it began");
    begin.waiting = read_snapshots(file, batch.shape);
    check_relaxed(parameters, begin, path);
    return begin;
}

RelaxStart new_relax_start(const Parameters& parameters, const Batch& batch) {
    RelaxStart begin{batch.random_start(parameters), {}};
    begin.state.run_start = 0;
    if (parameters.relax.start == RelaxOrigin::up)
        begin.state.spins = batch.shape.has_vectors() ? Spins{.vectors = vectors_up(batch.shape)}
                                                      : Spins{.bits = spins_up(batch.shape)};
    return begin;
}

void remember_relax_start(const Parameters& parameters, RelaxStart& begin) {
    const auto& waiting = parameters.relax.waiting;
    if (begin.state.sweep == begin.state.run_start && !waiting.empty() && waiting.front() == 0)
        begin.waiting = {{0, begin.state.spins}};
}

std::vector<std::string> relax_warnings(const Parameters& parameters, std::int64_t last) {
    std::vector<std::string> found;
    std::vector<std::int64_t> late;
    for (const std::int64_t waiting : parameters.relax.waiting)
        if (waiting >= last) late.push_back(waiting);
    if (!late.empty())
        found.push_back(
            fmt::format("relax.waiting: nothing is compared with the spins at {}, as the last time is {}; a "
                        "later relax.last goes on from the state at the end",
                        fmt::join(late, ", "), last));
    if (parameters.model.kind == ModelKind::edwards_anderson && parameters.replicas < 2)
        found.push_back(
            "replicas = 1: no overlaps, and so no C4, coherence length and Binder ratio; these need 2 "
            "replicas or more");
    return found;
}

}  // namespace psflip
