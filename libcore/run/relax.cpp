#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "config/checks.hpp"
#include "config/physics_text.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/site_bits.hpp"
#include "random/purposes.hpp"
#include "run/memory.hpp"
#include "run/relaxation.hpp"
#include "run/relaxation_file.hpp"
#include "run/run.hpp"
#include "run/simulation.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Accepts Ising spins on lattices whose opposite sides are neighbours, and vectors.
void check_model(const Parameters& parameters) {
    if (parameters.model.gaussian())
        refuse_key(parameters, "model.couplings",
                   "does not go with relax; use thermalize, pt-run and measure");
    if (parameters.dynamics.hits != 1)
        refuse_key(parameters, "dynamics.hits",
                   "does not go with relax, which measures after single sweeps; use 1");
    if (parameters.model.boundary != Boundary::periodic && !parameters.model.has_vectors())
        refuse_key(parameters, "model.boundary",
                   "does not go with relax, which measures correlations along lines around the lattice; use "
                   "periodic");
}

/// InputError unless relax.start fits the state that is given, if one is. `of_relaxation`: relax wrote it.
void check_start(const Parameters& parameters, const std::string& state_path, bool of_relaxation) {
    const bool from_state = parameters.relax.start == RelaxOrigin::state, has_state = !state_path.empty();
    if (from_state && !has_state)
        refuse_key(parameters, "relax.start", "needs a state file; give it with --state");
    if (!from_state && has_state && !of_relaxation)
        refuse_key(parameters, "relax.start",
                   fmt::format("does not go with {}, which relax did not write; set relax.start to state to "
                               "begin from it",
                               state_path));
}

/// Returns spins that all point along z.
std::vector<double> vectors_up(const Shape& shape) {
    std::vector<double> spins(static_cast<std::size_t>(shape.spin_words()), 0.0);
    const std::int64_t sites = shape.own_sites(), lattice = sites * shape.components;
    for (std::int64_t z = lattice - sites; z < std::ssize(spins); z += lattice)
        std::fill_n(spins.begin() + z, sites, 1.0);
    return spins;
}

/// Returns random spins, or spins that are all up: Ising spins +1, vectors along z.
SimulationState initial_state(const Parameters& parameters, const Batch& batch) {
    SimulationState state = batch.random_start(parameters);
    state.run_start = 0;
    if (parameters.relax.start == RelaxOrigin::up)
        state.spins = batch.shape.has_vectors() ? Spins{.vectors = vectors_up(batch.shape)}
                                                : Spins{.bits = spins_up(batch.shape)};
    return state;
}

/// InputError if a relaxation stands at none of its times, or if the spins of a waiting time that has passed
/// are missing.
void check_relaxed(const SimulationCall& call, const std::string& path) {
    const SimulationState& state = call.start;
    RelaxSection past = call.parameters.relax;
    past.last = state.sweep - state.run_start;
    const std::vector<std::int64_t> times = relax_times(past, call.parameters.has_even_times());
    const bool begun = past.start == RelaxOrigin::state ? state.run_start >= 0 : state.run_start == 0;
    if (!begun || times.empty() || times.back() != past.last)
        throw InputError(fmt::format("{}: no relaxation from sweep {} on has a time at sweep {}", path,
                                     state.run_start, state.sweep));
    std::vector<std::int64_t> wanted, found;
    for (const std::int64_t time : past.waiting)
        if (time <= past.last) wanted.push_back(time);
    for (const Snapshot& snapshot : call.run.snapshots) found.push_back(snapshot.sweep);
    if (found != wanted)
        throw InputError(fmt::format("{}: dataset {} holds [{}], but the waiting times up to {} are [{}]",
                                     path, schema::snapshots_sweep, fmt::join(found, ", "), past.last,
                                     fmt::join(wanted, ", ")));
}

/// Reads the start from a state file: of an earlier relax, or of any program with relax.start = state.
void read_start(SimulationCall& call, const std::string& path) {
    const Batch& batch = call.batch;
    call.start = load_state(path, batch.identity, batch.shape, batch.threads);
    const InputFile file(path, schema::state, batch.threads);
    const bool of_relaxation = file.has_attribute(schema::relax_lines);
    check_start(call.parameters, path, of_relaxation);
    if (!of_relaxation) {
        call.start.run_start = call.start.sweep;
        return;
    }
    check_same_physics("state " + path, file.text_attribute(schema::relax_lines), "this call",
                       relax_lines(call.parameters.relax),
                       "a relaxation continues only with the keys it began with");
    call.run.snapshots = read_snapshots(file, batch.shape);
    check_relaxed(call, path);
}

Schedule relax_schedule(const Parameters& parameters, const SimulationState& state) {
    Schedule schedule;
    schedule.times = relax_times(parameters.relax, parameters.has_even_times());
    schedule.waiting = parameters.relax.waiting;
    schedule.start = state.sweep;
    schedule.run_start = state.run_start;
    schedule.end = state.run_start + schedule.times.back();
    if (schedule.end > max_sweeps)
        refuse_key(parameters, "relax.last",
                   fmt::format("ends at sweep {}, but random numbers exist for {} sweeps only; use a smaller "
                               "value",
                               schedule.end, max_sweeps));
    const std::int64_t past = state.sweep - state.run_start;
    if (schedule.end <= schedule.start)
        refuse_key(parameters, "relax.last",
                   fmt::format("has {} as its last time, but the state stands {} sweeps after the start, so "
                               "nothing is left to do; use the next time, {}, or more",
                               schedule.times.back(), past,
                               next_relax_time(parameters.relax, parameters.has_even_times(), past)));
    return schedule;
}

/// Returns a bin for each remaining time.
RunBins bins_of(const Schedule& schedule) {
    RunBins bins{{schedule.start - schedule.run_start}};
    for (const std::int64_t time : schedule.times)
        if (time > bins.edges.front()) bins.edges.push_back(time);
    return bins;
}

/// Warns of what a relaxation to `last` (sweeps since the start) does not measure, though its keys may ask
/// for it: waiting times that it does not get beyond, and overlaps of a single replica.
void warn_of_gaps(const Parameters& parameters, std::int64_t last) {
    std::vector<std::int64_t> late;
    for (const std::int64_t waiting : parameters.relax.waiting)
        if (waiting >= last) late.push_back(waiting);
    if (!late.empty())
        spdlog::warn(
            "relax.waiting: nothing is compared with the spins at {}, because the last time is {}; a larger "
            "relax.last continues from the state at the end",
            fmt::join(late, ", "), last);
    if (parameters.model.kind == ModelKind::edwards_anderson && parameters.replicas < 2)
        spdlog::warn(
            "replicas = 1 gives no overlaps, and so no C4, coherence length or Binder ratio; set replicas to "
            "2 or more for them");
}

void check_call_memory(const SimulationCall& call, const BackendChoice& choice, int ranks_here) {
    const auto waiting = static_cast<int>(call.parameters.relax.waiting.size());
    const auto loaded = static_cast<double>(call.batch.couplings.size() + call.start.spins.bytes());
    MemoryNeeds needs = memory_needs(call.parameters, call.batch.shape, choice);
    needs.bins = call.run.bins.count();
    needs.histogram_bins = 1;
    needs.snapshots = needs.remembered = waiting;
    needs.measured = call.run.measured;
    needs.ranks_here = ranks_here;
    check_memory(needs, available_bytes() + ranks_here * loaded);
}

/// Relaxations make neither exchanges nor Houdayer moves.
Parameters without_exchanges(Parameters parameters) {
    parameters.dynamics.sweeps_per_swap = parameters.dynamics.houdayer_every = 0;
    return parameters;
}

/// Loads all that the call needs. Collective.
SimulationCall load_call(const Parameters& parameters, const std::string& disorder_path,
                         const std::string& state_path, const RunOptions& options) {
    Ranks& ranks = *options.ranks;
    SimulationCall call;
    call.parameters = without_exchanges(parameters);
    const auto times = static_cast<int>(relax_times(parameters.relax, parameters.has_even_times()).size());
    const auto waiting = std::ssize(parameters.relax.waiting);
    call.batch = load_batch(parameters, disorder_path, options.backend, times, waiting, ranks, options.order);
    check_couplings(call, disorder_path, options);
    const int here = ranks.alone() ? 1 : ranks_here(ranks).count;
    RunData& run = call.run;
    all_do(ranks, [&] {
        if (state_path.empty())
            call.start = initial_state(parameters, call.batch);
        else
            read_start(call, state_path);
        const bool at_start = call.start.sweep == call.start.run_start;
        if (at_start && waiting > 0 && parameters.relax.waiting.front() == 0)
            run.snapshots = {{0, call.start.spins}};
        call.schedule = relax_schedule(parameters, call.start);
        run.identity = call.batch.identity;
        run.temperatures = parameters.temperatures;
        run.first = call.schedule.start - call.schedule.run_start;
        run.last = call.schedule.end - call.schedule.run_start;
        run.bins = bins_of(call.schedule);
        run.grid.histogram_bins = 1;
        run.measured = relaxation_measured(call.batch.model, parameters.run.measures_magnetisation(),
                                           call.batch.shape, static_cast<int>(waiting));
    });
    first_does(ranks, [&] { warn_of_gaps(parameters, run.last); });
    all_do(ranks, [&] { check_call_memory(call, options.backend, here); });
    return call;
}

/// Refuses to replace outputs that hold more. Collective.
CheckpointFile checked_output(const SimulationCall& call, const std::string& out,
                              const std::string& state_out, const RunOptions& options) {
    const std::string lines = relax_lines(call.parameters.relax);
    const RunData& run = call.run;
    first_does(*options.ranks, [&] {
        if (options.force) return;
        check_existing_relaxation(out, run.identity, lines, run.first, run.last);
        if (!state_out.empty()) check_existing_state(state_out, run.identity, call.schedule.end, lines);
    });
    return checkpoint_of(
        call, out,
        fmt::format("program: relax\nhash of the state: {}\nuntil: {}\n{}",
                    state_hash(call.start, call.batch.shape, *options.ranks), run.last, lines));
}

/// Makes sampler and measurement for this number of sweeps. Cones of vector spins are tuned all the way.
Simulation make_relaxation(const SimulationCall& call, const BackendChoice& choice, std::int64_t sweeps) {
    BatchSetup setup = setup_of(call.parameters, call.batch, choice);
    setup.program.tuned_until = call.schedule.end;
    setup.sweeps = sweeps;
    Simulation simulation = make_simulation(setup, call.parameters, 0);
    simulation.measurement =
        make_relaxation_measurement(*simulation.sampler, call.run.measured, call.run.bins.count());
    simulation.sampler = std::make_unique<Annealing>(std::move(simulation.sampler),
                                                     path_of(call.parameters.relax), call.schedule.run_start);
    return simulation;
}

}  // namespace

void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options) {
    check_backend(without_exchanges(parameters), options);
    all_do(*options.ranks, [&] {
        check_model(parameters);
        if (disorder_path.empty() && !state_path.empty()) check_state_physics(state_path, parameters);
        if (!disorder_path.empty() && state_path.empty()) check_start(parameters, "", false);
    });
    if (disorder_path.empty()) return;
    const SimulationCall call = load_call(parameters, disorder_path, state_path, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = checked_output(call, out, state_out, options);
    if (checkpoint.exists()) checkpoint.load();
}

void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options) {
    Ranks& ranks = *options.ranks;
    check_backend(without_exchanges(parameters), options);
    all_do(ranks, [&] {
        check_model(parameters);
        if (state_path.empty()) check_start(parameters, "", false);
    });
    std::vector<NamedFile> inputs = {{"the disorder file", disorder_path}}, outputs = {{"the output", out}};
    if (!state_path.empty()) inputs.push_back({"the state", state_path});
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs(inputs, outputs, ranks);
    SimulationCall call = load_call(parameters, disorder_path, state_path, options);
    CheckpointFile checkpoint = checked_output(call, out, state_out, options);
    std::vector<std::string> read;
    for (const NamedFile& input : inputs) read.push_back(input.path);
    run_simulation(
        call, [&](std::int64_t sweeps) { return make_relaxation(call, options.backend, sweeps); }, checkpoint,
        read, options);

    const Shape& shape = call.batch.shape;
    const CallOutput state = state_output(call, state_out, [&](OutputFile* file) {
        first_does(ranks, [&] { file->attribute(schema::relax_lines, relax_lines(call.parameters.relax)); });
        write_snapshots(file, shape, call.run.snapshots, ranks);
    });
    const CallOutput relaxation = {
        out, schema::relaxation,
        relaxation_datasets(shape.dimension, call.run.measured.field, shape.has_vectors()),
        [&](OutputFile* file) {
            first_does(ranks, [&] {
                ThreadPool pool(call.batch.threads);
                write_relaxation(*file, call.run, call.parameters, pool);
            });
        }};
    write_outputs(call, {state, relaxation}, checkpoint, options);
}

}  // namespace psflip
