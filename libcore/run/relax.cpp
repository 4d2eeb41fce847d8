#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "config/physics_text.hpp"
#include "evolution/annealing.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "random/purposes.hpp"
#include "run/batch.hpp"
#include "run/fingerprint.hpp"
#include "run/memory.hpp"
#include "run/older_output.hpp"
#include "run/relax_times.hpp"
#include "run/relaxation_file.hpp"
#include "run/relaxation_measurement.hpp"
#include "run/run.hpp"
#include "run/run_datasets.hpp"
#include "run/run_file.hpp"

namespace psflip {
namespace {

/// Where a relaxation begins or goes on.
struct Beginning {
    SimulationState state;          ///< run_start: the sweep at which the relaxation began
    std::vector<Snapshot> waiting;  ///< spins at waiting times up to here
};

/// All that one call does, known before it works.
struct Plan {
    Parameters parameters;  ///< of the evolution: without exchange
    Batch batch;
    Beginning begin;
    Schedule schedule;
    RunBins bins;
    Measured measured;
};

/// For Ising spins on lattices whose opposite sides are neighbours.
void check_model(const Parameters& parameters) {
    refuse_vectors(parameters, "relax");
    if (parameters.hits != 1) throw InputError("relax measures after single sweeps; set dynamics.hits to 1");
    if (parameters.boundary != "periodic")
        throw InputError(
            "relax measures correlations along lines around the lattice; set model.boundary to periodic");
}

void check_start(const Parameters& parameters, bool has_state, bool of_relaxation,
                 const std::string& state_path) {
    const bool from_state = parameters.relax.start == "state";
    if (from_state && !has_state) throw InputError("relax.start = state, but no file is given with --state");
    if (!from_state && has_state && !of_relaxation)
        throw InputError(
            fmt::format("relax.start = {}, but {} is no state that relax wrote; set relax.start to state to "
                        "begin from it",
                        parameters.relax.start, state_path));
}

/// InputError where a relaxation stands at none of its times, or the spins of a waiting time that has passed
/// are missing.
void check_relaxed(const Parameters& parameters, const Beginning& begin, const std::string& path) {
    const SimulationState& state = begin.state;
    RelaxParameters past = parameters.relax;
    past.last = state.sweep - state.run_start;
    const std::vector<std::int64_t> times = relax_times(past);
    const bool begun = past.start == "state" ? state.run_start >= 0 : state.run_start == 0;
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

Beginning read_beginning(const Parameters& parameters, const std::string& path, const Batch& batch) {
    Beginning begin;
    begin.state = load_state(path, batch.identity, batch.shape, batch.threads);
    const InputFile file(path, schema::state, batch.threads);
    const bool of_relaxation = file.has_attribute(schema::relax_lines);
    check_start(parameters, true, of_relaxation, path);
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

Beginning new_beginning(const Parameters& parameters, const Batch& batch) {
    std::vector<std::uint64_t> spins = random_spins(batch.shape, batch.key(parameters.seed));
    if (parameters.relax.start == "up") {
        const std::int64_t packs = batch.shape.packs64(), sites = batch.shape.sites();
        const std::int64_t last = batch.shape.realizations - 64 * (packs - 1);
        for (std::int64_t i = 0; i < std::ssize(spins); ++i)
            spins[i] = ~std::uint64_t{0} >> (i / sites % packs == packs - 1 ? 64 - last : 0);
    }
    return {{0, 0, std::move(spins), initial_tempering(batch.shape)}, {}};
}

/// The spins at the start are those of the waiting time 0.
void remember_start(const Parameters& parameters, Beginning& begin) {
    const auto& waiting = parameters.relax.waiting;
    if (begin.state.sweep == begin.state.run_start && !waiting.empty() && waiting.front() == 0)
        begin.waiting = {{0, begin.state.spins}};
}

Schedule relax_schedule(const Parameters& parameters, const SimulationState& state) {
    Schedule schedule;
    schedule.times = relax_times(parameters.relax);
    schedule.waiting = parameters.relax.waiting;
    schedule.start = state.sweep;
    schedule.run_start = state.run_start;
    schedule.end = state.run_start + schedule.times.back();
    if (schedule.end > max_sweeps)
        throw InputError(
            fmt::format("this relaxation would end at sweep {}; random numbers are there for {} sweeps",
                        schedule.end, max_sweeps));
    if (schedule.end <= schedule.start)
        throw InputError(fmt::format(
            "the state stands {} sweeps after the start, where the last time up to relax.last = {} is {}; "
            "nothing is left to do",
            state.sweep - state.run_start, parameters.relax.last, schedule.times.back()));
    return schedule;
}

/// A bin for each time that is left.
RunBins bins_of(const Schedule& schedule) {
    RunBins bins{{schedule.start - schedule.run_start}};
    for (const std::int64_t time : schedule.times)
        if (time > bins.edges.front()) bins.edges.push_back(time);
    return bins;
}

Plan make_plan(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
               const RunOptions& options) {
    Plan plan;
    plan.parameters = parameters;
    plan.parameters.sweeps_per_swap = 0;
    const auto times = static_cast<int>(relax_times(parameters.relax).size());
    plan.batch = load_batch(parameters, disorder_path, options.backend, times,
                            std::ssize(parameters.relax.waiting), *options.ranks, options.order);
    plan.begin = state_path.empty() ? new_beginning(parameters, plan.batch)
                                    : read_beginning(parameters, state_path, plan.batch);
    remember_start(parameters, plan.begin);
    plan.schedule = relax_schedule(parameters, plan.begin.state);
    plan.bins = bins_of(plan.schedule);
    const auto waiting = static_cast<int>(parameters.relax.waiting.size());
    plan.measured =
        relaxation_measured(plan.batch.model, parameters.magnetisation, plan.batch.shape, waiting);
    check_memory({.shape = plan.batch.shape,
                  .bins = plan.bins.count(),
                  .histogram_bins = 1,
                  .snapshots = waiting,
                  .backend_on_host = options.backend.backend != "cuda",
                  .absent_bonds = parameters.p_absent > 0.0,
                  .measured = plan.measured,
                  .remembered = waiting},
                 available_bytes() +
                     static_cast<double>(plan.batch.couplings.size() + 8 * plan.begin.state.spins.size()));
    return plan;
}

/// Refuses what the outputs would lose.
CheckpointFile checked_output(const Plan& plan, const std::string& out, const std::string& state_out,
                              const RunOptions& options) {
    const std::string lines = relax_lines(plan.parameters.relax);
    const Schedule& schedule = plan.schedule;
    if (!options.force) {
        check_older_relaxation(out, plan.batch.identity, lines, schedule.start - schedule.run_start,
                               schedule.end - schedule.run_start);
        if (!state_out.empty()) check_older_state(state_out, plan.batch.identity, schedule.end, lines);
    }
    return {
        out,
        plan.batch.identity,
        fmt::format("program: relax\nhash of the state: {}\nuntil: {}\n{}",
                    state_hash(plan.begin.state, plan.batch.shape), schedule.end - schedule.run_start, lines),
        plan.batch.shape,
        plan.bins,
        1,
        plan.measured,
        *options.ranks,
        plan.batch.threads};
}

/// Evolution and measurement of the plan, on the backend.
Parts make_relaxation(const Plan& plan, const BackendChoice& choice) {
    Parts parts = make_parts(plan.parameters, plan.batch, choice, 0);
    parts.measurement = make_relaxation_measurement(*parts.evolution, plan.measured, plan.bins.count());
    const RelaxParameters& relax = plan.parameters.relax;
    parts.evolution = std::make_unique<Annealing>(std::move(parts.evolution),
                                                  TemperaturePath{relax.factors, relax.stage_sweeps},
                                                  plan.schedule.run_start);
    return parts;
}

RelaxationData relaxation_data(const Plan& plan, Accumulators sums) {
    const Schedule& schedule = plan.schedule;
    const RelaxParameters& relax = plan.parameters.relax;
    const TemperaturePath path{relax.factors, relax.stage_sweeps};
    RelaxationData data{.identity = plan.batch.identity,
                        .lines = relax_lines(relax),
                        .temperatures = plan.parameters.temperatures,
                        .first = schedule.start - schedule.run_start,
                        .last = schedule.end - schedule.run_start,
                        .times = {plan.bins.edges.begin() + 1, plan.bins.edges.end()},
                        .factors = {},
                        .waiting = relax.waiting,
                        .accumulators = std::move(sums)};
    for (const std::int64_t time : data.times) data.factors.push_back(path.factor(time - 1));
    return data;
}

/// Both outputs are complete on disk before the first, the state, gets its name.
void write_outputs(const std::string& out, const std::string& state_out, const Plan& plan,
                   const RelaxationData& data, const SimulationState& end,
                   const std::vector<Snapshot>& waiting, const Provenance& provenance, const Usage& usage) {
    const Batch& batch = plan.batch;
    const int dimension = batch.shape.dimension;
    std::optional<OutputFile> state_file;
    if (!state_out.empty()) {
        state_file.emplace(state_out, schema::state, provenance, run_datasets(dimension, plan.measured.field),
                           batch.threads);
        write_identity(*state_file, batch.identity);
        write_usage(*state_file, usage);
        state_file->attribute(schema::relax_lines, data.lines);
        write_state(&*state_file, batch.shape, end);
        write_snapshots(&*state_file, batch.shape, waiting);
        state_file->finish();
    }
    OutputFile file(out, schema::relaxation, provenance, relaxation_datasets(dimension, plan.measured.field),
                    batch.threads);
    ThreadPool pool(batch.threads);
    write_relaxation(file, data, pool);
    write_usage(file, usage);
    file.finish();
    if (state_file) state_file->commit();
    file.commit();
}

}  // namespace

void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options) {
    check_model(parameters);
    if (disorder_path.empty()) {
        if (!state_path.empty()) check_state_physics(state_path, parameters);
        return;
    }
    if (state_path.empty()) check_start(parameters, false, false, state_path);
    const Plan plan = make_plan(parameters, disorder_path, state_path, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = checked_output(plan, out, state_out, options);
    if (checkpoint.exists()) checkpoint.load();
}

void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options) {
    check_model(parameters);
    std::vector<NamedFile> inputs = {{"the disorder file", disorder_path}}, outputs = {{"the output", out}};
    if (state_path.empty())
        check_start(parameters, false, false, state_path);
    else
        inputs.push_back({"the state", state_path});
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs(inputs, outputs);
    UsageMeter usage;
    Plan plan = make_plan(parameters, disorder_path, state_path, options);
    CheckpointFile checkpoint = checked_output(plan, out, state_out, options);
    check_writable(checkpoint.path());
    std::optional<Checkpoint> resumed;
    if (checkpoint.exists()) resumed = checkpoint.load();

    Parts parts = make_relaxation(plan, options.backend);
    plan.batch.couplings = {};
    std::vector<std::string> read = {disorder_path};
    if (!state_path.empty()) read.push_back(state_path);
    const Provenance provenance = full_provenance(options, parts.evolution->ensemble(), read);
    usage.start(parts.evolution->ensemble(), options.backend.device,
                resumed ? resumed->state.sweep : plan.begin.state.sweep, resumed ? resumed->usage : Usage{});
    Simulation simulation(*parts.evolution, parts.measurement.get(), plan.schedule, plan.bins);
    static_cast<RelaxationMeasurement&>(*parts.measurement).compare_with(simulation.snapshots());
    parts.set(resumed ? resumed->state : plan.begin.state);
    if (resumed) parts.measurement->set_accumulators(resumed->accumulators);
    simulation.resume(resumed ? resumed->state.sweep : plan.begin.state.sweep,
                      std::move(resumed ? resumed->snapshots : plan.begin.waiting));
    plan.begin.state.spins = {};
    resumed.reset();
    simulate(simulation, parts, parameters, plan.schedule, checkpoint, usage, provenance, options);

    check_locks(options);
    const SimulationState end = parts.state(plan.schedule.end, plan.schedule.run_start);
    ThreadPool pool(plan.batch.threads);
    const RelaxationData data = relaxation_data(plan, parts.measurement->take(pool));
    const Usage used = usage.at(plan.schedule.end);
    checkpoint.with_room(
        [&] { write_outputs(out, state_out, plan, data, end, simulation.snapshots(), provenance, used); });
    checkpoint.remove();
}

}  // namespace psflip
