#include "run/chunk.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "evolution/cone_tuning.hpp"
#include "random/purposes.hpp"
#include "run/fingerprint.hpp"
#include "run/hottest_slot.hpp"
#include "slab/agreement.hpp"

namespace psflip {

Schedule run_schedule(const Parameters& p, const StatePosition& state, std::int64_t until) {
    Schedule schedule;
    schedule.start = state.sweep;
    schedule.end = state.run_start + until;
    schedule.sweeps_per_step = p.dynamics.hits;
    schedule.sweeps_per_swap = p.n_temperatures() > 1 ? p.dynamics.sweeps_per_swap : 0;
    schedule.run_start = state.run_start;
    schedule.measure_every = p.run.measure_every;
    schedule.snapshots = p.run.snapshots;
    if (schedule.end > max_sweeps)
        throw InputError(fmt::format("this run would end at sweep {}; random numbers are there for {} sweeps",
                                     schedule.end, max_sweeps));
    if (schedule.measurements() < p.run.snapshots)
        throw InputError(fmt::format("run.snapshots = {}, but this run has only {} measurements",
                                     p.run.snapshots, schedule.measurements()));
    return schedule;
}

Measured measured_by(const Parameters& parameters) {
    return measured_of(model_of(parameters), parameters.run.measures_magnetisation());
}

namespace {

/// Sets the widths of cones and the acceptance of the proposals between two states with the same widths.
void set_cones(RunData& run, const SimulationState& start, const SimulationState& end, const Shape& shape) {
    if (!shape.has_vectors()) return;
    const ConeState before = cones_of(start.sampler), after = cones_of(end.sampler);
    run.widths = after.widths;
    const double proposals =
        static_cast<double>(shape.sites()) * static_cast<double>(end.sweep - start.sweep);
    for (std::size_t i = 0; i < after.renewed.size(); ++i)
        run.acceptance.push_back(static_cast<double>(after.renewed[i] - before.renewed[i]) / proposals);
}

}  // namespace

CheckpointFile chunk_checkpoint(const Chunk& chunk, const std::string& out, const std::string& program) {
    return {out,
            chunk.batch.identity,
            fmt::format("program: {}\nhash of the state: {}\n{}", program,
                        state_hash(chunk.start, chunk.batch.shape, *chunk.batch.ranks),
                        run_lines(chunk.run.grid, chunk.run.last, chunk.schedule.snapshots)),
            chunk.batch.shape,
            chunk.run.bins,
            chunk.run.grid.histogram_bins,
            chunk.run.measured,
            *chunk.batch.ranks,
            chunk.batch.threads};
}

void run_chunk(Chunk& chunk, const Parameters& parameters, CheckpointFile& checkpoint, UsageMeter& usage,
               const std::vector<std::string>& inputs, const RunOptions& options) {
    first_does(*options.ranks, [&] { check_writable(checkpoint.path()); });
    std::optional<Checkpoint> resumed;
    if (checkpoint.exists()) resumed = checkpoint.load();
    RunData& run = chunk.run;
    const Schedule& schedule = chunk.schedule;
    Simulation simulation =
        make_simulation(setup_of(parameters, chunk.batch, options.backend), parameters, run.bins.count());
    if (!tests_hottest_slot(chunk.batch.shape, run.measured)) chunk.batch.couplings = {};
    chunk.provenance = full_provenance(options, simulation.sampler->ensemble(), inputs);
    RunLoop loop(*simulation.sampler, simulation.measurement.get(), schedule, run.bins);
    usage.start(simulation.sampler->ensemble(), options.backend.device,
                resumed ? resumed->state.sweep : chunk.start.sweep, resumed ? resumed->usage : Usage{});
    simulation.set(resumed ? resumed->state : chunk.start);
    chunk.start.spins = {};
    if (resumed) {
        simulation.measurement->set_accumulators(resumed->accumulators);
        loop.resume(resumed->state.sweep, std::move(resumed->snapshots));
        resumed.reset();
    }
    simulate(loop, simulation, parameters, schedule, checkpoint, usage, chunk.provenance, options);

    chunk.end = simulation.state(schedule.end, schedule.run_start);
    ThreadPool pool(chunk.batch.threads);
    run.accumulators = simulation.measurement->take(pool);
    run.counts = counts_between(chunk.start.sampler, chunk.end.sampler);
    set_cones(run, chunk.start, chunk.end, chunk.batch.shape);
    run.snapshots = loop.take_snapshots();
}

}  // namespace psflip
