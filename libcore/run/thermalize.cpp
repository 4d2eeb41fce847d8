#include <optional>

#include "io/file.hpp"
#include "io/schema.hpp"
#include "io/usage.hpp"
#include "run/batch.hpp"
#include "run/fingerprint.hpp"
#include "run/run.hpp"
#include "run/run_datasets.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// The checkpoints beside `out`, which may be replaced or continued.
CheckpointFile checked_output(const Parameters& parameters, const Batch& batch, const std::string& out,
                              const RunOptions& options) {
    first_does(*options.ranks, [&] {
        if (!options.force) check_existing_state(out, batch.identity, parameters.thermalize_sweeps);
    });
    return {out,
            batch.identity,
            "program: thermalize\n" + thermalize_lines(parameters),
            batch.shape,
            {},
            0,
            {},
            *options.ranks,
            batch.threads};
}

void write_end(const std::string& out, const Batch& batch, const SimulationState& end,
               const Provenance& provenance, const Usage& usage) {
    std::optional<OutputFile> file;
    first_does(*batch.ranks, [&] {
        file.emplace(out, schema::state, provenance,
                     run_datasets(batch.shape.dimension, false, batch.shape.has_vectors()), batch.threads);
        write_identity(*file, batch.identity);
        write_usage(*file, usage);
    });
    write_state(file ? &*file : nullptr, batch.shape, end, *batch.ranks);
    first_does(*batch.ranks, [&] { file->commit(); });
}

}  // namespace

void thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                const RunOptions& options) {
    check_outputs({{"the disorder file", disorder_path}}, {{"the output", out}}, *options.ranks);
    Batch batch = load_batch(parameters, disorder_path, options.backend, 0, 0, *options.ranks, options.order);
    UsageMeter usage;
    CheckpointFile checkpoint = checked_output(parameters, batch, out, options);
    first_does(*options.ranks, [&] { check_writable(checkpoint.path()); });
    const bool resuming = checkpoint.exists();
    SimulationState state;
    Usage used;
    if (resuming) {
        Checkpoint resumed = checkpoint.load();
        state = std::move(resumed.state);
        used = resumed.usage;
    } else {
        state = batch.random_start(parameters);
    }

    BatchSetup setup = setup_of(parameters, batch, options.backend);
    setup.program.tuned_until = parameters.thermalize_sweeps;
    Simulation simulation = make_simulation(setup, parameters, 0);
    batch.couplings = {};
    const Provenance provenance = full_provenance(options, simulation.sampler->ensemble(), {disorder_path});
    usage.start(simulation.sampler->ensemble(), options.backend.device, state.sweep, used);
    simulation.set(state);
    Schedule schedule;
    schedule.end = parameters.thermalize_sweeps;
    schedule.sweeps_per_swap = batch.shape.temperatures > 1 ? parameters.dynamics.sweeps_per_swap : 0;
    schedule.sweeps_per_step = batch.shape.hits;
    RunLoop loop(*simulation.sampler, nullptr, schedule, {});
    if (resuming) loop.resume(state.sweep, {});
    state = {};
    simulate(loop, simulation, parameters, schedule, checkpoint, usage, provenance, options);

    check_locks(options);
    const SimulationState end = simulation.state(schedule.end, schedule.end);
    const Usage used_in_all = usage.at(schedule.end);
    checkpoint.with_room([&] { write_end(out, batch, end, provenance, used_in_all); });
    checkpoint.remove();
}

void check_thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                      const RunOptions& options) {
    if (disorder_path.empty()) return;
    const Batch batch =
        load_batch(parameters, disorder_path, options.backend, 0, 0, *options.ranks, options.order);
    if (out.empty()) return;
    CheckpointFile checkpoint = checked_output(parameters, batch, out, options);
    if (checkpoint.exists()) checkpoint.load();
}

}  // namespace psflip
