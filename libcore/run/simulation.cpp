#include "run/simulation.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stop.hpp"
#include "config/checks.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "run/run_loop.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Returns nothing if a rank does not know its energy.
std::optional<double> sum_of_ranks(Ranks& ranks, std::optional<double> joules) {
    if (ranks.alone()) return joules;
    std::int64_t millijoules_and_known[] = {std::llround(1e3 * joules.value_or(0.0)), joules ? 1 : 0};
    ranks.sum(std::span<std::int64_t>(millijoules_and_known));
    if (millijoules_and_known[1] < ranks.size()) return std::nullopt;
    return static_cast<double>(millijoules_and_known[0]) / 1e3;
}

/// Saves a checkpoint. If the disk does not take it, this is an error only when the call stops.
void save_checkpoint(const SimulationCall& call, const Simulation& simulation, const RunLoop& loop,
                     CheckpointFile& checkpoint, const RunOptions& options, bool stopping) {
    check_locks(options);
    const Schedule& schedule = call.schedule;
    const std::int64_t completed = loop.completed(), total = schedule.end - schedule.start;
    const Accumulators sums =
        simulation.measurement ? simulation.measurement->accumulators() : Accumulators{};
    const SimulationState state =
        simulation.state(completed, schedule.measure_every > 0 ? schedule.run_start : -1);
    try {
        checkpoint.save(state, sums, loop.snapshots(), call.provenance, call.usage.at(completed));
    } catch (const EnvironmentError& error) {
        if (!options.ranks->alone() && !error.of_all_ranks()) throw;
        const std::string saved = checkpoint.sweep()
                                      ? fmt::format("the checkpoint at sweep {} of {} stays",
                                                    *checkpoint.sweep() - schedule.start, total)
                                      : std::string("there is no checkpoint yet");
        if (stopping)
            throw_of_all_ranks<EnvironmentError>(
                fmt::format("stopped at sweep {} of {}, but {}; {}; mend this and run the same command again",
                            completed - schedule.start, total, error.what(), saved));
        spdlog::warn("{}; {}; the run continues, and the next checkpoint is the next attempt", error.what(),
                     saved);
    }
}

/// Runs the loop to the end.
void advance(const SimulationCall& call, const Simulation& simulation, RunLoop& loop,
             CheckpointFile& checkpoint, const RunOptions& options) {
    const Ensemble& ensemble = simulation.sampler->ensemble();
    const Shape& shape = ensemble.shape();
    Ranks& ranks = *options.ranks;
    spdlog::info("{} realizations from {} on, L = {}, {} replicas, {} temperatures, share {}; {}{}",
                 shape.realizations, shape.first_realization, shape.L, shape.replicas, shape.temperatures,
                 shape.share, ensemble.description(),
                 ranks.alone() ? "" : fmt::format(", {} slabs", ranks.size()));
    const std::int64_t total = call.schedule.end - call.schedule.start;
    const auto done = [&] { return loop.completed() - call.schedule.start; };
    if (done() > 0)
        spdlog::info("continuing from {} at sweep {} of {}", checkpoint.loaded_path(), done(), total);
    Progress progress(options.progress, fmt::format("{} L={}", call.provenance.program, shape.L), total,
                      done(), flips_per_sweep(shape));
    LoopHooks hooks;
    hooks.stop_reason = [&ranks] { return stop_reason_of_ranks(ranks, stop_reason()); };
    hooks.checkpoint_every_seconds = call.parameters.checkpoint.every_seconds;
    hooks.progress = [&](std::int64_t) { progress.update(done()); };
    hooks.save_checkpoint = [&](bool stopping) {
        save_checkpoint(call, simulation, loop, checkpoint, options, stopping);
    };
    if (const char* reason = loop.advance(hooks)) throw_stopped(reason, done(), total);
    try {
        first_does(ranks, [&] {
            for (const WriterLock* lock : options.locks) lock->check_output();
        });
    } catch (const EnvironmentError& error) {
        if (!ranks.alone() && !error.of_all_ranks()) throw;
        hooks.save_checkpoint(false);  // so that the same command has only the outputs left to write
        throw;
    }
    progress.finish(total);
}

/// Returns the key whose value the sliced order does not have on GPUs, or nullptr.
const char* unsliced_key(const Parameters& p) {
    return p.model.field != 0.0                      ? "model.field"
           : p.model.p_absent > 0.0                  ? "model.p_absent"
           : p.model.boundary != Boundary::periodic  ? "model.boundary"
           : p.dynamics.update != Update::metropolis ? "dynamics.update"
           : p.multispin.share == 1                  ? "multispin.share"
                                                     : nullptr;
}

/// Refuses the sliced order if slabs do not have it.
void check_order(const Parameters& parameters, const RunOptions& options) {
    if (options.order != SiteOrder::sliced) return;
    const char* key = real_numbers_key(parameters.model);
    if (key == nullptr && parameters.multispin.lanes != Lanes::realizations) key = "multispin.lanes";
    if (key == nullptr && choose_backend(options.backend) == Backend::cuda) key = unsliced_key(parameters);
    if (key != nullptr)
        refuse_key(parameters, key, "does not go with --halo-order sliced; use --halo-order standard");
}

}  // namespace

void Simulation::set(const SimulationState& state) {
    sampler->ensemble().set_held_spins(state.spins);
    sampler->set_state(state.sampler);
}

SimulationState Simulation::state(std::int64_t sweep, std::int64_t run_start) const {
    return {sweep, run_start, sampler->ensemble().held_spins(), sampler->state()};
}

Simulation make_simulation(const BatchSetup& setup, const Parameters& parameters, int bins) {
    Simulation simulation{make_sampler(setup), nullptr};
    if (bins > 0)
        simulation.measurement = make_measurement(*simulation.sampler, bins, parameters.run.histogram_bins,
                                                  parameters.run.measures_magnetisation());
    return simulation;
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
    Ranks& ranks = ensemble.ranks();
    all_do(ranks, [&] {
        for (const std::string& path : inputs) {
            const InputFile file(path, path == inputs.front() ? schema::disorder : schema::state);
            provenance.input_hashes[path] = file.content_hash();
        }
    });
    std::vector<NamedValue> hashes;
    for (const auto& [path, hash] : provenance.input_hashes) hashes.emplace_back("hash of " + path, hash);
    check_same_on_ranks(ranks, hashes);
    return provenance;
}

void check_backend(const Parameters& parameters, const RunOptions& options) {
    Ranks& ranks = *options.ranks;
    const auto refuse = [&](const char* key, const char* why) {
        refuse_key(parameters, key, fmt::format("does not go with {} ranks, because {}", ranks.size(), why));
    };
    all_do(ranks, [&] {
        if (parameters.dynamics.precision == Precision::fast &&
            choose_backend(options.backend) == Backend::cpu)
            refuse_key(parameters, "dynamics.precision", "needs a GPU; use one, or float or double");
        if (ranks.alone()) return;
        if (parameters.model.dimension != 3 && parameters.multispin.lanes != Lanes::sites)
            refuse("model.dimension",
                   parameters.model.has_vectors() || parameters.model.gaussian()
                       ? "vector spins and Gaussian couplings need three dimensions for it; use one rank"
                       : "lattices of two dimensions need multispin.lanes = sites for it; use one rank, or "
                         "these lanes");
        if (parameters.dynamics.needs_whole_lattices())
            refuse("dynamics.update",
                   "it needs whole lattices, not slabs; use one rank, or metropolis or heat-bath");
        if (parameters.dynamics.tile > 0 && parameters.multispin.lanes != Lanes::sites)
            refuse("dynamics.tile",
                   "tiles of vector spins need whole lattices, not slabs; use one rank, or 0");
        if (parameters.dynamics.houdayer_every > 0)
            refuse("dynamics.houdayer_every",
                   "Houdayer moves need whole lattices, not slabs; use one rank, or leave the key out");
        check_order(parameters, options);
        slab_of(batch_shape(parameters, 0, 1), ranks.rank(), ranks.size());
    });
}

void check_couplings(const SimulationCall& call, const std::string& path, const RunOptions& options) {
    if (call.batch.vectors) return;
    all_do(*options.ranks, [&] {
        try {
            check_batch(setup_of(call.parameters, call.batch, options.backend));
        } catch (const InputError& error) {
            throw InputError(path + ": " + error.what());
        }
    });
}

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   Ranks& ranks) {
    first_does(ranks, [&] {
        check_file_names(inputs, outputs);
        for (const NamedFile& output : outputs) check_writable(output.path);
    });
}

const char* stop_reason_of_ranks(Ranks& ranks, const char* own) {
    if (ranks.alone()) return own;
    constexpr const char* reasons[] = {nullptr, "time limit", "SIGINT", "SIGUSR1", "SIGTERM"};
    const auto* const found = std::ranges::find_if(
        reasons, [own](const char* r) { return own && r && std::string_view(own) == r; });
    std::array<std::int64_t, std::size(reasons)> votes{};
    if (found != std::end(reasons)) votes[static_cast<std::size_t>(found - std::begin(reasons))] = 1;
    ranks.sum(votes);  // one message, for this runs at every look of the loop over sweeps
    for (std::size_t i = votes.size(); i-- > 1;)
        if (votes[i] > 0) return reasons[i];
    return nullptr;
}

void check_locks(const RunOptions& options) {
    first_does(*options.ranks, [&] {
        for (const WriterLock* lock : options.locks) lock->check();
    });
}

double flips_per_sweep(const Shape& shape) {
    return static_cast<double>(shape.sites()) * shape.replicas * shape.temperatures *
           static_cast<double>(shape.realizations);
}

void UsageMeter::start(const Ensemble& ensemble, int device, std::int64_t completed, const Usage& earlier) {
    if (ensemble.backend() == Backend::cuda) energy_ = std::make_unique<GpuEnergy>(cuda_pci_bus_id(device));
    flips_per_sweep_ = flips_per_sweep(ensemble.shape());
    start_ = completed;
    earlier_ = earlier;
    ranks_ = &ensemble.ranks();
}

Usage UsageMeter::at(std::int64_t completed) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    Usage here;
    here.flips = flips_per_sweep_ * static_cast<double>(completed - start_);
    here.wall_seconds = elapsed.count();
    here.calls = 1;
    if (energy_) here.gpu_energy_joules = sum_of_ranks(*ranks_, energy_->joules());
    here.slurm_jobs = environment("SLURM_JOB_ID");
    return sum(earlier_, here);
}

void throw_stopped(const char* reason, std::int64_t done, std::int64_t total) {
    throw Stopped(fmt::format(
        "stopped by {} at sweep {} of {}; checkpoint saved; run the same command again to continue", reason,
        done, total));
}

namespace {

/// Refuses a checkpoint without counts of Houdayer moves, because the counts of a call begin at its start.
void check_houdayer_counts(const Checkpoint& checkpoint, const CheckpointFile& file) {
    if (checkpoint.state.sampler.find(houdayer_kind)) return;
    throw InputError(fmt::format(
        "{}: the checkpoint lacks {}, the counts of Houdayer moves, because a development version of psflip "
        "wrote it; the counts of this call would begin at sweep {}; delete {} and {} to start the call again",
        file.loaded_path(), schema::houdayer_moves, checkpoint.state.sweep, file.path(),
        file.previous_path()));
}

}  // namespace

CheckpointFile checkpoint_of(const SimulationCall& call, const std::string& out,
                             const std::string& call_lines) {
    return {out, call.batch, call_lines, call.run.bins, call.run.grid.histogram_bins, call.run.measured};
}

void run_simulation(SimulationCall& call, const std::function<Simulation(std::int64_t sweeps)>& make,
                    CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
                    const RunOptions& options) {
    first_does(*options.ranks, [&] { check_writable(checkpoint.path()); });
    std::optional<Checkpoint> resumed;
    if (checkpoint.exists()) resumed = checkpoint.load();
    if (resumed && call.parameters.dynamics.houdayer_every > 0) check_houdayer_counts(*resumed, checkpoint);
    const SimulationState& begin = resumed ? resumed->state : call.start;
    Simulation simulation = make(call.schedule.end - begin.sweep);
    log_step("make the simulation");
    const Ensemble& ensemble = simulation.sampler->ensemble();
    if (!call.keeps_couplings) call.batch.couplings = {};
    call.provenance = full_provenance(options, ensemble, inputs);
    log_step("hash inputs");
    RunLoop loop(*simulation.sampler, simulation.measurement.get(), call.schedule, call.run.bins);
    call.usage.start(ensemble, options.backend.device, begin.sweep, resumed ? resumed->usage : Usage{});
    simulation.set(begin);
    if (resumed && simulation.measurement) simulation.measurement->set_accumulators(resumed->accumulators);
    loop.resume(begin.sweep, std::move(resumed ? resumed->snapshots : call.run.snapshots));
    call.start.spins = {};
    resumed.reset();
    log_step("set the state");
    advance(call, simulation, loop, checkpoint, options);
    log_step("sweep");

    if (simulation.measurement) {
        ThreadPool pool(call.batch.threads);
        call.run.accumulators = simulation.measurement->take(pool);
        log_step("take sums");
    }
    call.end = simulation.state(call.schedule.end, call.schedule.run_start);
    call.run.snapshots = loop.take_snapshots();
    log_step("take the state");
}

CallOutput state_output(const SimulationCall& call, const std::string& path,
                        const std::function<void(OutputFile*)>& add) {
    const Shape& shape = call.batch.shape;
    return {path, schema::state, run_datasets(shape.dimension, call.run.measured.field, shape.has_vectors()),
            [&call, add](OutputFile* file) {
                Ranks& ranks = *call.batch.ranks;
                first_does(ranks, [&] { write_identity(*file, call.batch.identity); });
                write_state(file, call.batch.shape, call.end, ranks);
                if (add) add(file);
            }};
}

void write_outputs(const SimulationCall& call, const std::vector<CallOutput>& outputs,
                   CheckpointFile& checkpoint, const RunOptions& options) {
    check_locks(options);
    Ranks& ranks = *options.ranks;
    const Usage usage = call.usage.at(call.schedule.end);
    checkpoint.with_room([&] {
        std::deque<OutputFile> files;
        for (const CallOutput& output : outputs) {
            if (output.path.empty()) continue;
            first_does(ranks, [&] {
                files.emplace_back(output.path, output.kind, call.provenance, output.datasets,
                                   call.batch.threads);
            });
            output.write(ranks.is_first() ? &files.back() : nullptr);
            log_step("pack and write");
            first_does(ranks, [&] {
                write_usage(files.back(), usage);
                files.back().finish();
            });
            log_step("hash and flush");
        }
        first_does(ranks, [&] {
            for (OutputFile& file : files) file.commit();
        });
    });
    checkpoint.remove();
    log_step("name outputs");
}

}  // namespace psflip
