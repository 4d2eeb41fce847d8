#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "config/physics_text.hpp"
#include "evolution/annealing.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "random/purposes.hpp"
#include "run/batch.hpp"
#include "run/fingerprint.hpp"
#include "run/memory.hpp"
#include "run/relax_start.hpp"
#include "run/relax_times.hpp"
#include "run/relaxation_file.hpp"
#include "run/relaxation_measurement.hpp"
#include "run/run.hpp"
#include "run/run_datasets.hpp"
#include "run/run_file.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// All that one call does, known before it works.
struct Plan {
    Parameters parameters;  ///< of the sampler: without exchange
    Batch batch;
    RelaxStart begin;
    Schedule schedule;
    RunBins bins;
    Measured measured;
};

/// Ising spins on lattices whose opposite sides are neighbours, or vectors.
void check_model(const Parameters& parameters) {
    refuse_gaussian(parameters, "relax");
    if (parameters.dynamics.hits != 1)
        throw InputError("relax measures after single sweeps; set dynamics.hits to 1");
    if (parameters.L > limits::largest_column_square_L)
        throw InputError(fmt::format("relax measures L up to {}, not {}; set lattice.L to that or less",
                                     limits::largest_column_square_L, parameters.L));
    if (parameters.model.boundary != Boundary::periodic && !parameters.model.has_vectors())
        throw InputError(
            "relax measures correlations along lines around the lattice; set model.boundary to periodic");
}

Schedule relax_schedule(const Parameters& parameters, const SimulationState& state) {
    Schedule schedule;
    schedule.times = relax_times(parameters.relax, parameters.has_even_times());
    schedule.waiting = parameters.relax.waiting;
    schedule.start = state.sweep;
    schedule.run_start = state.run_start;
    schedule.end = state.run_start + schedule.times.back();
    if (schedule.end > max_sweeps)
        throw InputError(
            fmt::format("this relaxation would end at sweep {}; random numbers are there for {} sweeps",
                        schedule.end, max_sweeps));
    const std::int64_t past = state.sweep - state.run_start;
    if (schedule.end <= schedule.start)
        throw InputError(fmt::format(
            "the state stands {} sweeps after the start, where the last time up to relax.last = {} is {}; "
            "nothing is left to do. The next time is {}: set relax.last to it or to a later one",
            past, parameters.relax.last, schedule.times.back(),
            next_relax_time(parameters.relax, parameters.has_even_times(), past)));
    return schedule;
}

/// A bin for each time that is left.
RunBins bins_of(const Schedule& schedule) {
    RunBins bins{{schedule.start - schedule.run_start}};
    for (const std::int64_t time : schedule.times)
        if (time > bins.edges.front()) bins.edges.push_back(time);
    return bins;
}

void check_plan_memory(const Plan& plan, const BackendChoice& choice, int ranks_here) {
    const auto waiting = static_cast<int>(plan.parameters.relax.waiting.size());
    const auto loaded = static_cast<double>(plan.batch.couplings.size() + plan.begin.state.spins.bytes());
    MemoryNeeds needs = memory_needs(plan.parameters, plan.batch.shape, choice);
    needs.bins = plan.bins.count();
    needs.histogram_bins = 1;
    needs.snapshots = needs.remembered = waiting;
    needs.backend_on_host = needs.backend_on_host || plan.batch.shape.is_slab();
    needs.measured = plan.measured;
    needs.ranks_here = ranks_here;
    check_memory(needs, available_bytes() + ranks_here * loaded);
}

/// Collective.
Plan make_plan(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
               const RunOptions& options) {
    Ranks& ranks = *options.ranks;
    Plan plan;
    plan.parameters = parameters;
    plan.parameters.dynamics.sweeps_per_swap = 0;
    const auto times = static_cast<int>(relax_times(parameters.relax, parameters.has_even_times()).size());
    plan.batch = load_batch(parameters, disorder_path, options.backend, times,
                            std::ssize(parameters.relax.waiting), ranks, options.order);
    const int here = ranks.alone() ? 1 : ranks_here(ranks).count;
    all_do(ranks, [&] {
        plan.begin = state_path.empty() ? new_relax_start(parameters, plan.batch)
                                        : read_relax_start(parameters, state_path, plan.batch);
        remember_relax_start(parameters, plan.begin);
        plan.schedule = relax_schedule(parameters, plan.begin.state);
        plan.bins = bins_of(plan.schedule);
        plan.measured =
            relaxation_measured(plan.batch.model, parameters.run.measures_magnetisation(), plan.batch.shape,
                                static_cast<int>(parameters.relax.waiting.size()));
    });
    first_does(ranks, [&] {
        for (const std::string& sentence :
             relax_warnings(parameters, plan.schedule.end - plan.schedule.run_start))
            spdlog::warn(sentence);
    });
    all_do(ranks, [&] { check_plan_memory(plan, options.backend, here); });
    return plan;
}

/// Refuses what the outputs would lose. Collective.
CheckpointFile checked_output(const Plan& plan, const std::string& out, const std::string& state_out,
                              const RunOptions& options) {
    const std::string lines = relax_lines(plan.parameters.relax);
    const Schedule& schedule = plan.schedule;
    first_does(*options.ranks, [&] {
        if (options.force) return;
        check_existing_relaxation(out, plan.batch.identity, lines, schedule.start - schedule.run_start,
                                  schedule.end - schedule.run_start);
        if (!state_out.empty()) check_existing_state(state_out, plan.batch.identity, schedule.end, lines);
    });
    return {out,
            plan.batch.identity,
            fmt::format("program: relax\nhash of the state: {}\nuntil: {}\n{}",
                        state_hash(plan.begin.state, plan.batch.shape, *options.ranks),
                        schedule.end - schedule.run_start, lines),
            plan.batch.shape,
            plan.bins,
            1,
            plan.measured,
            *options.ranks,
            plan.batch.threads};
}

TemperaturePath path_of(const RelaxSection& relax) {
    return {relax.temperature_factors(), relax.stage_sweeps, relax.fields};
}

/// Makes sampler and measurement of the plan. Cones of vector spins are tuned all the way.
Simulation make_relaxation(const Plan& plan, const BackendChoice& choice) {
    BatchSetup setup = setup_of(plan.parameters, plan.batch, choice);
    setup.program.tuned_until = plan.schedule.end;
    Simulation simulation = make_simulation(setup, plan.parameters, 0);
    simulation.measurement = make_relaxation_measurement(*simulation.sampler, plan.measured,
                                                         plan.bins.count(), plan.batch.threads);
    simulation.sampler = std::make_unique<Annealing>(std::move(simulation.sampler),
                                                     path_of(plan.parameters.relax), plan.schedule.run_start);
    return simulation;
}

RelaxationData relaxation_data(const Plan& plan, Accumulators sums) {
    const Schedule& schedule = plan.schedule;
    const RelaxSection& relax = plan.parameters.relax;
    const TemperaturePath path = path_of(relax);
    RelaxationData data{.identity = plan.batch.identity,
                        .lines = relax_lines(relax),
                        .temperatures = plan.parameters.temperatures,
                        .first = schedule.start - schedule.run_start,
                        .last = schedule.end - schedule.run_start,
                        .times = {plan.bins.edges.begin() + 1, plan.bins.edges.end()},
                        .factors = {},
                        .fields = {},
                        .waiting = relax.waiting,
                        .accumulators = std::move(sums)};
    for (const std::int64_t time : data.times) {
        data.factors.push_back(path.factor(time - 1));
        data.fields.push_back(path.field_factor(time - 1) * plan.parameters.model.field);
    }
    return data;
}

/// What a call ends with; of spins each rank has its own.
struct Ending {
    RelaxationData data;
    SimulationState state;
    Provenance provenance;
    Usage usage;
};

/// The file of the state at the end, complete on disk but without its name; nothing where none is wanted, and
/// on all ranks but the first. Collective.
std::optional<OutputFile> write_state_out(const std::string& state_out, const Plan& plan, const Ending& end,
                                          const std::vector<Snapshot>& waiting) {
    std::optional<OutputFile> file;
    if (state_out.empty()) return file;
    const Batch& batch = plan.batch;
    Ranks& ranks = *batch.ranks;
    first_does(ranks, [&] {
        file.emplace(state_out, schema::state, end.provenance,
                     run_datasets(batch.shape.dimension, plan.measured.field, batch.shape.has_vectors()),
                     batch.threads);
        write_identity(*file, batch.identity);
        write_usage(*file, end.usage);
        file->attribute(schema::relax_lines, end.data.lines);
    });
    OutputFile* const to = file ? &*file : nullptr;
    write_state(to, batch.shape, end.state, ranks);
    write_snapshots(to, batch.shape, waiting, ranks);
    first_does(ranks, [&] { file->finish(); });
    return file;
}

/// Both outputs are complete on disk before the first, the state, gets its name. Collective.
void write_outputs(const std::string& out, const std::string& state_out, const Plan& plan, const Ending& end,
                   const std::vector<Snapshot>& waiting) {
    const Batch& batch = plan.batch;
    std::optional<OutputFile> state_file = write_state_out(state_out, plan, end, waiting);
    first_does(*batch.ranks, [&] {
        OutputFile file(
            out, schema::relaxation, end.provenance,
            relaxation_datasets(batch.shape.dimension, plan.measured.field, batch.shape.has_vectors()),
            batch.threads);
        ThreadPool pool(batch.threads);
        write_relaxation(file, end.data, pool);
        write_usage(file, end.usage);
        file.finish();
        if (state_file) state_file->commit();
        file.commit();
    });
}

}  // namespace

void check_relax(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const RunOptions& options) {
    all_do(*options.ranks, [&] {
        check_model(parameters);
        if (disorder_path.empty() && !state_path.empty()) check_state_physics(state_path, parameters);
        if (!disorder_path.empty() && state_path.empty())
            check_relax_start(parameters, false, false, state_path);
    });
    if (disorder_path.empty()) return;
    const Plan plan = make_plan(parameters, disorder_path, state_path, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = checked_output(plan, out, state_out, options);
    if (checkpoint.exists()) checkpoint.load();
}

void relax(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
           const std::string& out, const std::string& state_out, const RunOptions& options) {
    Ranks& ranks = *options.ranks;
    all_do(ranks, [&] {
        check_model(parameters);
        if (state_path.empty()) check_relax_start(parameters, false, false, state_path);
    });
    std::vector<NamedFile> inputs = {{"the disorder file", disorder_path}}, outputs = {{"the output", out}};
    if (!state_path.empty()) inputs.push_back({"the state", state_path});
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs(inputs, outputs, ranks);
    UsageMeter usage;
    Plan plan = make_plan(parameters, disorder_path, state_path, options);
    CheckpointFile checkpoint = checked_output(plan, out, state_out, options);
    first_does(ranks, [&] { check_writable(checkpoint.path()); });
    std::optional<Checkpoint> resumed;
    if (checkpoint.exists()) resumed = checkpoint.load();

    Simulation simulation = make_relaxation(plan, options.backend);
    plan.batch.couplings = {};
    std::vector<std::string> read = {disorder_path};
    if (!state_path.empty()) read.push_back(state_path);
    const Provenance provenance = full_provenance(options, simulation.sampler->ensemble(), read);
    usage.start(simulation.sampler->ensemble(), options.backend.device,
                resumed ? resumed->state.sweep : plan.begin.state.sweep, resumed ? resumed->usage : Usage{});
    RunLoop loop(*simulation.sampler, simulation.measurement.get(), plan.schedule, plan.bins);
    simulation.set(resumed ? resumed->state : plan.begin.state);
    if (resumed) simulation.measurement->set_accumulators(resumed->accumulators);
    loop.resume(resumed ? resumed->state.sweep : plan.begin.state.sweep,
                std::move(resumed ? resumed->snapshots : plan.begin.waiting));
    plan.begin.state.spins = {};
    resumed.reset();
    simulate(loop, simulation, parameters, plan.schedule, checkpoint, usage, provenance, options);

    check_locks(options);
    ThreadPool pool(plan.batch.threads);
    const Ending end{relaxation_data(plan, simulation.measurement->take(pool)),
                     simulation.state(plan.schedule.end, plan.schedule.run_start), provenance,
                     usage.at(plan.schedule.end)};
    checkpoint.with_room([&] { write_outputs(out, state_out, plan, end, loop.snapshots()); });
    checkpoint.remove();
}

}  // namespace psflip
