#include "run/batch.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stop.hpp"
#include "config/limits.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "disorder/real_couplings.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "run/memory.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

/// Refuses a batch that cannot fit before its couplings are read. A shape that makes no sense is left to
/// read_disorder.
void check_batch_memory(const Parameters& parameters, const std::string& path, const BackendChoice& choice,
                        int bins, std::int64_t snapshots, const Ranks& ranks, int ranks_here) {
    const InputFile file(path, schema::disorder);
    const char* dataset = parameters.model.has_vectors() ? schema::occupation : schema::couplings;
    if (!file.has(dataset)) return;
    const auto extents = file.shape(dataset);
    if (extents.size() != parameters.model.dimension + (parameters.model.has_vectors() ? 1u : 2u) ||
        extents.back() != parameters.L || extents[0] > limits::realizations)
        return;
    Shape shape = batch_shape(parameters, 0, extents[0]);
    if (!parameters.model.has_vectors() && !parameters.model.gaussian())
        shape = slab_of(shape, ranks.rank(), ranks.size());
    MemoryNeeds needs = memory_needs(parameters, shape, choice);
    needs.bins = bins;
    needs.histogram_bins = parameters.run.histogram_bins;
    needs.snapshots = snapshots;
    needs.ranks_here = ranks_here;
    check_memory(needs, available_bytes());
}

/// A batch of VectorSetup without its disorder, which is an Occupation or RealCouplings.
template <class Disorder>
Batch batch_of(const Parameters& parameters, const Disorder& disorder) {
    Batch batch;
    batch.model = model_of(parameters);
    batch.shape = batch_shape(parameters, disorder.first, disorder.count);
    check_shape(batch.shape);
    batch.identity = {disorder.first, disorder.count, parameters.L, parameters.physics_yaml(),
                      disorder.hash,  disorder.origin};
    batch.vectors = vector_setup_of(parameters);
    batch.vectors->first_realization = disorder.first;
    batch.vectors->realizations = disorder.count;
    return batch;
}

/// A batch of Ising spins with real couplings.
Batch read_gaussian_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks,
                          int threads) {
    RealCouplings found = read_real_couplings(path, gaussian_law(parameters), threads);
    Batch batch = batch_of(parameters, found);
    batch.vectors->couplings = std::move(found.couplings);
    check_setup(*batch.vectors);
    check_vector_ranks(*batch.vectors, ranks);
    return batch;
}

/// A batch of vector spins.
Batch read_vector_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks,
                        int threads) {
    Occupation occupation = read_occupation(path, occupation_law(parameters), threads);
    Batch batch = batch_of(parameters, occupation);
    const bool mixed = std::ranges::find(occupation.species, 1) != occupation.species.end();
    if (mixed || parameters.model.concentration > 0.0) batch.vectors->species = std::move(occupation.species);
    check_setup(*batch.vectors);
    check_vector_ranks(*batch.vectors, ranks);
    return batch;
}

/// The planes of couplings that are kept in memory.
std::optional<HeldLattice> kept_planes(const Model& model, const Shape& shape) {
    if (shape.is_slab()) return HeldLattice::of(shape);
    if (holds_site_bits(shape) && model.kind == ModelKind::ferromagnet) return HeldLattice{shape.L, 0};
    return std::nullopt;
}

/// All planes of a batch, or those that a rank holds.
Batch read_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks, SiteOrder order,
                 int threads) {
    if (parameters.model.has_vectors()) return read_vector_batch(parameters, path, ranks, threads);
    if (parameters.model.gaussian()) return read_gaussian_batch(parameters, path, ranks, threads);
    Batch batch;
    batch.model = model_of(parameters);
    batch.shape = batch_shape(parameters, 0, 1);
    batch.shape.order = order;
    batch.shape = slab_of(batch.shape, ranks.rank(), ranks.size());
    check_shape(batch.shape);
    const auto kept = kept_planes(batch.model, batch.shape);
    Disorder disorder =
        read_disorder(path, parameters.L, parameters.multispin.share, batch.model, kept, threads);
    if (kept && kept->depth == 0) check_all_ferromagnetic(path, disorder);
    batch.shape.first_realization = disorder.first;
    batch.shape.realizations = disorder.count;
    check_shape(batch.shape);
    batch.identity = {disorder.first,
                      disorder.count,
                      parameters.L,
                      parameters.physics_yaml(),
                      disorder.hash,
                      couplings_origin(path, disorder, {parameters.seed, batch.model, parameters.L},
                                       parameters.multispin.share)};
    batch.couplings = std::move(disorder.couplings);
    return batch;
}

/// Warns if the workflow asked for a GPU (PSFLIP_GPU=asked) and --backend auto finds none.
void warn_without_gpu(const BackendChoice& choice, const Ranks& ranks) {
    if (choice.backend != "auto" || environment("PSFLIP_GPU") != "asked" || !ranks.is_first()) return;
    BackendChoice on_gpu = choice;
    on_gpu.backend = "cuda";
    try {
        choose_backend(on_gpu);
    } catch (const EnvironmentError& error) {
        spdlog::warn("asked for a GPU, but the CPU is used ({})", error.what());
    }
}

}  // namespace

Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots, Ranks& ranks, SiteOrder order) {
    const int here = ranks.alone() ? 1 : ranks_here(ranks).count;
    Batch batch;
    // One after the other: what a rank has read already would be missing where another one looks.
    all_do(ranks,
           [&] { check_batch_memory(parameters, disorder_path, choice, bins, snapshots, ranks, here); });
    all_do(ranks, [&] { batch = read_batch(parameters, disorder_path, ranks, order, choice.threads); });
    batch.ranks = &ranks;
    batch.threads = choice.threads;
    warn_without_gpu(choice, ranks);
    if (ranks.alone()) return batch;
    Backend backend{};
    all_do(ranks, [&] { backend = choose_backend(choice); });
    check_same_on_ranks(ranks, {{"hash of the couplings in " + disorder_path, batch.identity.couplings_hash},
                                {"backend", backend == Backend::cuda ? "cuda" : "cpu"}});
    return batch;
}

void refuse_gaussian(const Parameters& parameters, const char* program) {
    if (parameters.model.gaussian())
        throw InputError(
            fmt::format("{} does not know Gaussian couplings (model.couplings = gaussian); use thermalize, "
                        "pt-run and measure for them",
                        program));
}

void refuse_vectors(const Parameters& parameters, const char* program) {
    refuse_gaussian(parameters, program);
    if (parameters.model.has_vectors())
        throw InputError(fmt::format(
            "{} does not know vector spins (model.kind = {}); use thermalize, pt-run and measure for them",
            program, name(parameters.model.kind)));
}

SimulationState Batch::random_start(const Parameters& parameters) const {
    const double cone_width = first_cone_width(vector_program_of(parameters));
    return {
        0, -1,
        vectors ? random_held_spins(shape, *vectors) : Spins{random_held_spins(shape, key(parameters.seed))},
        initial_sampler_state(shape, cone_width)};
}

void Simulation::set(const SimulationState& state) {
    sampler->ensemble().set_held_spins(state.spins);
    sampler->set_state(state.sampler);
}

SimulationState Simulation::state(std::int64_t sweep, std::int64_t run_start) const {
    return {sweep, run_start, sampler->ensemble().held_spins(), sampler->state()};
}

BatchSetup setup_of(const Parameters& parameters, const Batch& batch, const BackendChoice& choice) {
    BatchSetup setup{.choice = choice,
                     .shape = batch.shape,
                     .seed = parameters.seed,
                     .couplings = batch.couplings,
                     .sweeps_per_swap = parameters.dynamics.sweeps_per_swap,
                     .model = batch.model,
                     .ranks = batch.ranks,
                     .vectors = batch.vectors ? &*batch.vectors : nullptr,
                     .program = vector_program_of(parameters)};
    for (const double temperature : parameters.temperatures) setup.betas.push_back(1.0 / temperature);
    return setup;
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
    const std::int64_t number = found == std::end(reasons) ? 0 : found - std::begin(reasons);
    return reasons[ranks.maximum(number)];
}

void check_locks(const RunOptions& options) {
    first_does(*options.ranks, [&] {
        for (const WriterLock* lock : options.locks) lock->check();
    });
}

void simulate(RunLoop& loop, const Simulation& simulation, const Parameters& parameters,
              const Schedule& schedule, CheckpointFile& checkpoint, const UsageMeter& usage,
              const Provenance& provenance, const RunOptions& options) {
    const Shape& shape = simulation.sampler->ensemble().shape();
    const int slabs = options.ranks->size();
    spdlog::info("{} realizations from {} on, L = {}, {} replicas, {} temperatures, share {}; {}{}",
                 shape.realizations, shape.first_realization, shape.L, shape.replicas, shape.temperatures,
                 shape.share, simulation.sampler->ensemble().description(),
                 slabs == 1 ? "" : fmt::format(", {} slabs", slabs));
    const std::int64_t total = schedule.end - schedule.start;
    const auto done = [&] { return loop.completed() - schedule.start; };
    if (done() > 0)
        spdlog::info("going on from {} at sweep {} of {}", checkpoint.loaded_path(), done(), total);
    Progress progress(options.progress, fmt::format("{} L={}", provenance.program, shape.L), total, done(),
                      flips_per_sweep(shape));
    LoopHooks hooks;
    Ranks& ranks = *options.ranks;
    hooks.stop_reason = [&ranks] { return stop_reason_of_ranks(ranks, stop_reason()); };
    hooks.checkpoint_every_seconds = parameters.checkpoint.every_seconds;
    hooks.progress = [&](std::int64_t) { progress.update(done()); };
    hooks.save_checkpoint = [&](bool stopping) {
        check_locks(options);
        const std::int64_t completed = loop.completed();
        const Accumulators sums =
            simulation.measurement ? simulation.measurement->accumulators() : Accumulators{};
        const SimulationState state =
            simulation.state(completed, schedule.measure_every > 0 ? schedule.run_start : -1);
        try {
            checkpoint.save(state, sums, loop.snapshots(), provenance, usage.at(completed));
        } catch (const EnvironmentError& error) {
            if (!ranks.alone() && !error.of_all_ranks()) throw;
            const std::string saved = checkpoint.sweep()
                                          ? fmt::format("the checkpoint at sweep {} of {} stays",
                                                        *checkpoint.sweep() - schedule.start, total)
                                          : std::string("there is no checkpoint yet");
            if (stopping)
                throw_of_all_ranks<EnvironmentError>(fmt::format(
                    "stopped at sweep {} of {}, but {}; {}; run the same command again when that is mended",
                    done(), total, error.what(), saved));
            spdlog::warn("{}; {}; going on, the next attempt comes with the next checkpoint", error.what(),
                         saved);
        }
    };
    if (const char* reason = loop.advance(hooks))
        throw Stopped(fmt::format(
            "stopped by {} at sweep {} of {}; checkpoint saved; run the same command again to go on", reason,
            done(), total));
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

}  // namespace psflip
