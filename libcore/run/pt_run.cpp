#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "random/purposes.hpp"
#include "run/batch.hpp"
#include "run/fingerprint.hpp"
#include "run/run.hpp"
#include "run/run_file.hpp"

namespace psflip {
namespace {

/// The grid of the run that goes on from a state: that of the earlier runs, if there were any.
RunGrid grid_from(const Parameters& parameters, const std::string& state_path,
                  const StatePosition& position) {
    const RunGrid asked = run_grid(parameters);
    if (!position.grid) return asked;
    check_same_grid("the state " + state_path, *position.grid, "the configuration", asked, false,
                    "a run goes on only as it began");
    return *position.grid;
}

Schedule run_schedule(const Parameters& p, const StatePosition& state, std::int64_t until) {
    Schedule schedule;
    schedule.start = state.sweep;
    schedule.end = state.run_start + until;
    schedule.sweeps_per_swap = p.n_temperatures() > 1 ? p.sweeps_per_swap : 0;
    schedule.run_start = state.run_start;
    schedule.measure_every = p.measure_every;
    schedule.snapshots = p.snapshots;
    if (schedule.end > max_sweeps)
        throw InputError(fmt::format("this run would end at sweep {}; random numbers are there for {} sweeps",
                                     schedule.end, max_sweeps));
    if (schedule.measurements() < p.snapshots)
        throw InputError(fmt::format("run.snapshots = {}, but this run has only {} measurements", p.snapshots,
                                     schedule.measurements()));
    return schedule;
}

/// Both outputs are complete on disk before the first gets its name. The state goes first: a call that dies
/// between the two renames still has its checkpoint and makes both again.
void write_outputs(const std::string& out, const std::string& state_out, const Shape& shape,
                   const RunData& run, const SimulationState& end, const Provenance& provenance,
                   const Usage& usage) {
    std::optional<OutputFile> state_file;
    if (!state_out.empty()) {
        state_file.emplace(state_out, schema::state, provenance);
        write_identity(*state_file, run.identity);
        write_usage(*state_file, usage);
        write_state(*state_file, shape, end);
        write_grid(*state_file, run.grid);
        state_file->finish();
    }
    OutputFile run_file(out, schema::run, provenance);
    write_run(run_file, shape, run);
    write_usage(run_file, usage);
    run_file.finish();
    if (state_file) state_file->commit();
    run_file.commit();
}

}  // namespace

void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options) {
    UsageMeter usage;
    std::vector<std::string> outputs = {out};
    if (!state_out.empty()) outputs.push_back(state_out);
    check_outputs({disorder_path, state_path}, outputs);
    const StatePosition position = read_position(state_path);
    RunData run;
    run.grid = grid_from(parameters, state_path, position);
    run.first = position.measured();
    run.last = run_end(run.grid, run.first, parameters.run_sweeps, until);
    run.bins = {run.grid.block_edges(run.first, run.last)};
    const Schedule schedule = run_schedule(parameters, position, run.last);

    Batch batch =
        load_batch(parameters, disorder_path, options.backend, run.bins.count(), parameters.snapshots);
    SimulationState start = load_state(state_path, batch.identity, batch.shape);
    run.identity = batch.identity;
    run.temperatures = parameters.temperatures;
    CheckpointFile checkpoint(out, batch.identity,
                              fmt::format("program: pt-run\nhash of the state: {}\n{}", state_hash(start),
                                          run_lines(run.grid, run.last, parameters.snapshots)),
                              batch.shape, run.bins, run.grid.histogram_bins);

    check_writable(checkpoint.path());
    std::optional<Checkpoint> resumed;
    if (checkpoint.exists()) resumed = checkpoint.load();
    Parts parts = make_parts(parameters, batch, options.backend, run.bins.count());
    batch.couplings = {};
    const Provenance provenance = full_provenance(options, *parts.ensemble, {disorder_path, state_path});
    Simulation simulation(*parts.ensemble, *parts.exchange, parts.measurement.get(), schedule, run.bins);
    usage.start(*parts.ensemble, options.backend.device, resumed ? resumed->state.sweep : start.sweep,
                resumed ? resumed->usage : Usage{});
    parts.set(resumed ? resumed->state : start);
    start.spins = {};
    if (resumed) {
        parts.measurement->set_accumulators(resumed->accumulators);
        simulation.resume(resumed->state.sweep, std::move(resumed->snapshots));
        resumed.reset();
    }
    simulate(simulation, parts, parameters, schedule, checkpoint, usage, provenance, options);

    const SimulationState end = parts.state(schedule.end, start.run_start);
    run.accumulators = parts.measurement->accumulators();
    run.counts = counts_between(start.tempering, end.tempering);
    run.snapshots = simulation.take_snapshots();
    check_lock(options);
    checkpoint.with_room(
        [&] { write_outputs(out, state_out, batch.shape, run, end, provenance, usage.at(schedule.end)); });
    checkpoint.remove();
}

}  // namespace psflip
