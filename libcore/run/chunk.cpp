#include "run/chunk.hpp"

#include <fmt/format.h>

#include "config/checks.hpp"
#include "random/purposes.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

void plan_run(SimulationCall& chunk, const StatePosition& state, const RunRange& range) {
    const Parameters& p = chunk.parameters;
    Schedule& schedule = chunk.schedule;
    schedule.start = state.sweep;
    schedule.end = state.run_start + range.last;
    schedule.sweeps_per_step = p.dynamics.hits;
    schedule.sweeps_per_swap = p.n_temperatures() > 1 ? p.dynamics.sweeps_per_swap : 0;
    schedule.run_start = state.run_start;
    schedule.measure_every = p.run.measure_every;
    schedule.snapshots = p.run.snapshots;
    if (schedule.end > max_sweeps)
        refuse_key(p, "run.sweeps",
                   fmt::format("lets this run end at sweep {}, but random numbers exist for {} sweeps only; "
                               "use a smaller value",
                               schedule.end, max_sweeps));
    if (schedule.measurements() < p.run.snapshots)
        refuse_key(p, "run.snapshots",
                   fmt::format("exceeds the {} measurements of this run; use a smaller value",
                               schedule.measurements()));
    RunData& run = chunk.run;
    run.temperatures = p.temperatures;
    run.first = range.first;
    run.last = range.last;
    run.grid = range.grid;
    run.bins = {range.grid.block_edges(range.first, range.last)};
    run.measured = measured_of(model_of(p), p.run.measures_magnetisation());
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

CheckpointFile chunk_checkpoint(const SimulationCall& chunk, const std::string& out,
                                const std::string& program) {
    const RunGrid& grid = chunk.run.grid;
    return checkpoint_of(
        chunk, out,
        // Keys come before the base of the grid, which follows from them, so that refusals name a key.
        fmt::format("program: {}\nhash of the state: {}\nuntil: {}\nrun.measure_every: {}\nrun.blocks: {}\n"
                    "run.snapshots: {}\nrun.histogram_bins: {}\ngrid_base: {}\n",
                    program, state_hash(chunk.start, chunk.batch.shape, *chunk.batch.ranks), chunk.run.last,
                    grid.measure_every, grid.blocks, chunk.schedule.snapshots, grid.histogram_bins,
                    grid.base));
}

void run_chunk(SimulationCall& chunk, CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
               const RunOptions& options) {
    const auto make = [&](std::int64_t sweeps) {
        BatchSetup setup = setup_of(chunk.parameters, chunk.batch, options.backend);
        setup.sweeps = sweeps;
        return make_simulation(setup, chunk.parameters, chunk.run.bins.count());
    };
    run_simulation(chunk, make, checkpoint, inputs, options);
    chunk.run.counts = counts_between(chunk.start.sampler, chunk.end.sampler);
    chunk.run.houdayer = houdayer_between(chunk.start.sampler, chunk.end.sampler, chunk.batch.shape);
    set_cones(chunk.run, chunk.start, chunk.end, chunk.batch.shape);
}

}  // namespace psflip
