#include "run/batch.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/stop.hpp"
#include "config/limits.hpp"
#include "disorder/couplings.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "run/memory.hpp"

namespace psflip {
namespace {

/// Refuses a batch that cannot fit before its couplings are read. A shape that makes no sense is left to
/// read_disorder.
void check_batch_memory(const Parameters& parameters, const std::string& path, const BackendChoice& choice,
                        int bins, std::int64_t snapshots) {
    const InputFile file(path, schema::disorder);
    if (!file.has(schema::couplings)) return;
    const auto extents = file.shape(schema::couplings);
    if (extents.size() != parameters.dimension + 2u || extents.back() != parameters.L ||
        extents[0] > limits::realizations)
        return;
    check_memory({batch_shape(parameters, 0, extents[0]), bins, parameters.histogram_bins, snapshots,
                  choice.backend != "cuda", parameters.p_absent > 0.0 || parameters.boundary == "open",
                  measured_of(model_of(parameters), parameters.magnetisation)},
                 available_bytes());
}

}  // namespace

Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots) {
    check_batch_memory(parameters, disorder_path, choice, bins, snapshots);
    Batch batch;
    batch.model = model_of(parameters);
    Disorder disorder = read_disorder(disorder_path, parameters.L, parameters.share, batch.model);
    batch.shape = batch_shape(parameters, disorder.first, disorder.count);
    check_shape(batch.shape);
    batch.identity = {
        disorder.first,
        disorder.count,
        parameters.L,
        parameters.physics_yaml(),
        couplings_hash(disorder.couplings),
        couplings_origin(disorder_path, disorder, {parameters.seed, batch.model, parameters.L})};
    batch.couplings = std::move(disorder.couplings);
    return batch;
}

void Parts::set(const SimulationState& state) {
    evolution->ensemble().set_spins(state.spins);
    evolution->set_state(state.tempering);
}

SimulationState Parts::state(std::int64_t sweep, std::int64_t run_start) const {
    return {sweep, run_start, evolution->ensemble().spins(), evolution->state()};
}

Parts make_parts(const Parameters& parameters, const Batch& batch, const BackendChoice& choice, int bins) {
    std::vector<double> betas;
    for (const double temperature : parameters.temperatures) betas.push_back(1.0 / temperature);
    Parts parts;
    parts.evolution = make_evolution(choice, batch.shape, betas, parameters.seed, batch.couplings,
                                     parameters.sweeps_per_swap, batch.model);
    if (bins > 0)
        parts.measurement =
            make_measurement(*parts.evolution, bins, parameters.histogram_bins, parameters.magnetisation);
    return parts;
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (const auto colon = line.find(": ");
            line.rfind("model name", 0) == 0 && colon != std::string::npos)
            return line.substr(colon + 2);
    utsname machine{};
    return uname(&machine) == 0 ? machine.machine : "unknown";
}

Provenance full_provenance(const RunOptions& options, const Ensemble& ensemble,
                           const std::vector<std::string>& inputs) {
    Provenance provenance = options.provenance;
    provenance.backend = ensemble.description();
    // "cuda NVIDIA H200, resident kernel" names the device itself
    provenance.device = processor_name();
    if (ensemble.backend() == Backend::cuda) {
        const auto comma = provenance.backend.find(',');
        provenance.device = provenance.backend.substr(5, comma == std::string::npos ? comma : comma - 5);
    }
    for (const std::string& path : inputs) {
        const InputFile file(path, path == inputs.front() ? schema::disorder : schema::state);
        provenance.input_hashes[path] = file.content_hash();
    }
    return provenance;
}

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
    check_file_names(inputs, outputs);
    for (const NamedFile& output : outputs) check_writable(output.path);
}

void check_locks(const RunOptions& options) {
    for (const WriterLock* lock : options.locks) lock->check();
}

void simulate(Simulation& simulation, const Parts& parts, const Parameters& parameters,
              const Schedule& schedule, CheckpointFile& checkpoint, const UsageMeter& usage,
              const Provenance& provenance, const RunOptions& options) {
    const Shape& shape = parts.evolution->ensemble().shape();
    spdlog::info("{} realizations from {} on, L = {}, {} replicas, {} temperatures, share {}; {}",
                 shape.realizations, shape.first_realization, shape.L, shape.replicas, shape.temperatures,
                 shape.share, parts.evolution->ensemble().description());
    const std::int64_t total = schedule.end - schedule.start;
    const auto done = [&] { return simulation.completed() - schedule.start; };
    if (done() > 0)
        spdlog::info("going on from {} at sweep {} of {}", checkpoint.loaded_path(), done(), total);
    Progress progress(options.progress, fmt::format("{} L={}", provenance.program, shape.L), total, done(),
                      flips_per_sweep(shape));
    SimulationHooks hooks;
    hooks.stop_reason = stop_reason;
    hooks.checkpoint_every_seconds = parameters.checkpoint_every_seconds;
    hooks.progress = [&](std::int64_t) { progress.update(done()); };
    hooks.save_checkpoint = [&](bool stopping) {
        check_locks(options);
        const std::int64_t completed = simulation.completed();
        const Accumulators sums = parts.measurement ? parts.measurement->accumulators() : Accumulators{};
        const SimulationState state =
            parts.state(completed, schedule.measure_every > 0 ? schedule.run_start : -1);
        try {
            checkpoint.save(state, sums, simulation.snapshots(), provenance, usage.at(completed));
        } catch (const EnvironmentError& error) {
            const std::string older = checkpoint.sweep()
                                          ? fmt::format("the checkpoint at sweep {} of {} stays",
                                                        *checkpoint.sweep() - schedule.start, total)
                                          : std::string("there is no checkpoint yet");
            if (stopping)
                throw EnvironmentError(fmt::format(
                    "stopped at sweep {} of {}, but {}; {}; run the same command again when that is mended",
                    done(), total, error.what(), older));
            spdlog::warn("{}; {}; going on, the next attempt comes with the next checkpoint", error.what(),
                         older);
        }
    };
    if (const char* reason = simulation.advance(hooks))
        throw Stopped(fmt::format(
            "stopped by {} at sweep {} of {}; checkpoint saved; run the same command again to go on", reason,
            done(), total));
    try {
        for (const WriterLock* lock : options.locks) lock->check_output();
    } catch (const EnvironmentError&) {
        hooks.save_checkpoint(false);  // so that the same command has only the outputs left to write
        throw;
    }
    progress.finish(total);
}

}  // namespace psflip
