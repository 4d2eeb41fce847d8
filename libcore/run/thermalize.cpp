#include <fmt/format.h>

#include "base/log.hpp"
#include "io/file.hpp"
#include "run/run.hpp"
#include "run/simulation.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

SimulationCall load_call(const Parameters& parameters, const std::string& disorder_path,
                         const RunOptions& options) {
    SimulationCall call;
    call.parameters = parameters;
    call.batch = load_batch(parameters, disorder_path, options.backend, 0, 0, *options.ranks, options.order);
    check_couplings(call, disorder_path, options);
    call.schedule.end = call.schedule.run_start = parameters.thermalize_sweeps;
    call.schedule.sweeps_per_swap =
        call.batch.shape.temperatures > 1 ? parameters.dynamics.sweeps_per_swap : 0;
    call.schedule.sweeps_per_step = call.batch.shape.hits;
    return call;
}

/// Returns the checkpoints next to `out`, which may be replaced or continued.
CheckpointFile checked_output(const SimulationCall& call, const std::string& out, const RunOptions& options) {
    first_does(*options.ranks, [&] {
        if (!options.force) check_existing_state(out, call.batch.identity, call.schedule.end);
    });
    return checkpoint_of(call, out,
                         fmt::format("program: thermalize\nthermalize.sweeps: {}\n", call.schedule.end));
}

}  // namespace

void thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                const RunOptions& options) {
    check_backend(parameters, options);
    check_outputs({{"the disorder file", disorder_path}}, {{"the output", out}}, *options.ranks);
    SimulationCall call = load_call(parameters, disorder_path, options);
    CheckpointFile checkpoint = checked_output(call, out, options);
    if (!checkpoint.exists()) call.start = call.batch.random_start(parameters);
    log_step("draw spins");
    const auto make = [&](std::int64_t sweeps) {
        BatchSetup setup = setup_of(parameters, call.batch, options.backend);
        setup.program.tuned_until = parameters.thermalize_sweeps;
        setup.sweeps = sweeps;
        return make_simulation(setup, parameters, 0);
    };
    run_simulation(call, make, checkpoint, {disorder_path}, options);
    write_outputs(call, {state_output(call, out)}, checkpoint, options);
}

void check_thermalize(const Parameters& parameters, const std::string& disorder_path, const std::string& out,
                      const RunOptions& options) {
    check_backend(parameters, options);
    if (disorder_path.empty()) return;
    const SimulationCall call = load_call(parameters, disorder_path, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = checked_output(call, out, options);
    if (checkpoint.exists()) checkpoint.load();
}

}  // namespace psflip
