#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "evolution/sampler.hpp"
#include "io/output/file_names.hpp"
#include "measure/measurement.hpp"
#include "run/checkpoint.hpp"
#include "run/run.hpp"
#include "run/run_loop.hpp"
#include "run/state_file.hpp"
#include "run/usage_meter.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// A batch of realizations as a disorder file gives it.
struct Batch {
    Model model;
    Shape shape;
    BatchIdentity identity;
    std::vector<std::int8_t> couplings;    ///< as BatchSetup::couplings
    std::optional<VectorSetup> vectors{};  ///< set instead of couplings for vector spins and real couplings
    Ranks* ranks = &single_rank();         ///< the ranks that have the slabs
    int threads = 1;                       ///< threads that pack and unpack files, 0: all cores

    /// Of the random numbers.
    std::uint64_t key(std::uint64_t seed) const { return model.random_key(seed, shape.L); }
    /// Where thermalize begins.
    SimulationState random_start(const Parameters& parameters) const;
};

/// Reads and checks the disorder file against the parameters. InputError for another L, p_ferro or seed, or a
/// first realization that does not fit the share; EnvironmentError, before reading, where `bins`, `snapshots`
/// and the batch do not fit into memory. Each of several ranks gets a slab in this site order; collective.
Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots, Ranks& ranks = single_rank(),
                 SiteOrder order = SiteOrder::standard);

/// InputError where couplings are real numbers, or also where spins are vectors, for programs that do not
/// know them.
void refuse_gaussian(const Parameters& parameters, const char* program);
void refuse_vectors(const Parameters& parameters, const char* program);

/// A simulation on one backend.
struct Simulation {
    std::unique_ptr<Sampler> sampler;
    std::unique_ptr<Measurement> measurement;  ///< nullptr if nothing is measured

    /// Takes over the spins and the sampler's state of a simulation that stopped.
    void set(const SimulationState& state);
    SimulationState state(std::int64_t sweep, std::int64_t run_start) const;
};

/// Returns what the spins of the batch are made from at the temperatures of the parameters. It refers to the
/// batch.
BatchSetup setup_of(const Parameters& parameters, const Batch& batch, const BackendChoice& choice);

/// Makes the sampler of the setup and, if bins > 0, its measurement as the parameters ask. Nothing refers to
/// the setup afterwards. Collective. Errors: as make_sampler and make_measurement.
Simulation make_simulation(const BatchSetup& setup, const Parameters& parameters, int bins);

/// The provenance of the call with what is known once the backend is chosen. Collective; InputError where the
/// inputs of ranks differ.
Provenance full_provenance(const RunOptions& options, const Ensemble& ensemble,
                           const std::vector<std::string>& inputs);

/// "Intel Xeon ..." from the processor's description, or the machine's architecture.
std::string processor_name();

/// Errors as check_file_names; EnvironmentError where an output cannot be written. Collective.
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   Ranks& ranks = single_rank());

/// Runs the loop to the end with progress and checkpoints; Stopped, with a checkpoint saved, on a stop
/// request. EnvironmentError where that last one cannot be saved, where the lock of the output is lost, or,
/// at the end and with a checkpoint saved, where somebody else wrote an output; other checkpoints that cannot
/// be saved are warned of and tried again when the next is due. Collective.
void simulate(RunLoop& loop, const Simulation& simulation, const Parameters& parameters,
              const Schedule& schedule, CheckpointFile& checkpoint, const UsageMeter& usage,
              const Provenance& provenance, const RunOptions& options);

/// Why one of the ranks should stop, the same on all of them (base/stop.hpp), or nullptr. Collective.
const char* stop_reason_of_ranks(Ranks& ranks, const char* own);

/// EnvironmentError where an output is no longer this process's. Collective.
void check_locks(const RunOptions& options);

}  // namespace psflip
