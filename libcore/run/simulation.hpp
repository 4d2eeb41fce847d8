// Does the work that thermalize, pt-run, relax and audit share: makes a simulation, runs its loop from the
// start or from a checkpoint, and writes the outputs. The programs differ in the SimulationCall that they
// fill.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/gpu_energy.hpp"
#include "evolution/sampler.hpp"
#include "io/output/file_names.hpp"
#include "io/usage.hpp"
#include "measure/measurement.hpp"
#include "run/batch.hpp"
#include "run/checkpoint.hpp"
#include "run/run.hpp"
#include "run/run_file.hpp"
#include "run/schedule.hpp"

namespace psflip {

/// Holds a sampler and its measurement on one backend. The measurement refers to the sampler, so it is
/// destroyed first.
struct Simulation {
    std::unique_ptr<Sampler> sampler;
    std::unique_ptr<Measurement> measurement;  ///< nullptr if nothing is measured

    /// Restores spins and sampler state of a stopped simulation. Collective.
    void set(const SimulationState& state);
    /// Returns the present spins and sampler state in host memory. It waits for the device. A rank returns
    /// its own planes. sweep: number of completed sweeps. run_start: number of completed sweeps when
    /// thermalization ended, or -1 while thermalizing. Collective.
    SimulationState state(std::int64_t sweep, std::int64_t run_start) const;
};

/// Makes the sampler of the setup and, if bins > 0, a measurement of what the parameters ask for. If bins =
/// 0, the measurement is nullptr. The ranks must outlive the simulation. All else of the setup is copied.
/// Collective. Errors: as make_sampler and make_measurement.
Simulation make_simulation(const BatchSetup& setup, const Parameters& parameters, int bins);

/// Returns the number of proposed spin flips in one sweep of the whole batch: sites x replicas x temperatures
/// x realizations.
double flips_per_sweep(const Shape& shape);

/// Counts the resources of a call: wall time from the construction of the meter on, and proposed flips and
/// energy of the GPUs from start() on.
class UsageMeter {
  public:
    /// Records the batch of the ensemble and `device` (CUDA device number). completed: number of completed
    /// sweeps of the checkpoint or start state with which the call begins. earlier: resources of earlier
    /// calls if the call resumes from a checkpoint. The ranks of the ensemble must outlive the meter.
    void start(const Ensemble& ensemble, int device, std::int64_t completed, const Usage& earlier);

    /// Returns the resources of all calls up to `completed` sweeps. The energy, in joules, is the sum over
    /// the GPUs of all ranks. The energy is absent if a rank of this call, or an earlier call, does not know
    /// it. Collective.
    Usage at(std::int64_t completed) const;

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::unique_ptr<GpuEnergy> energy_;
    double flips_per_sweep_ = 0.0;
    std::int64_t start_ = 0;
    Usage earlier_;
    Ranks* ranks_ = &single_rank();
};

/// Holds the inputs and the results of one call of thermalize, pt-run, relax or audit.
struct SimulationCall {
    Parameters parameters;
    Batch batch;
    bool keeps_couplings = false;  ///< false: run_simulation frees the couplings when the sweeps begin
    SimulationState start;         ///< run_simulation frees its spins when the sweeps begin
    Schedule schedule;
    /// Before run_simulation, it has identity, temperatures, range, grid, bins, measured quantities, and
    /// earlier snapshots. run_simulation adds the accumulators and all snapshots.
    RunData run;
    SimulationState end;    ///< result of run_simulation
    Provenance provenance;  ///< input: program; run_simulation sets the rest before the first sweep
    UsageMeter usage;
};

/// Returns the checkpoints next to `out`. call_lines: as the constructor of CheckpointFile.
CheckpointFile checkpoint_of(const SimulationCall& call, const std::string& out,
                             const std::string& call_lines);

/// Does the sweeps of a call, from the checkpoint if one exists, with progress and checkpoints. Fills the
/// results of `call`. `make` makes the simulation; its argument is the number of sweeps that are left.
/// `inputs` are the files that the provenance names: the disorder file first, then the state if there is one.
///
/// Collective. Errors: Stopped after a stop request; a checkpoint is saved. InputError for a checkpoint of
/// another call, and for inputs that are damaged, of a wrong kind or unequal on the ranks. EnvironmentError
/// if the checkpoint of a stop request cannot be saved, or if the lock of an output is lost. EnvironmentError
/// at the end if another process wrote an output; a checkpoint is saved. Errors of `make` are thrown, too.
///
/// If a checkpoint without stop request cannot be saved, run_simulation warns, continues, and tries again
/// when the next checkpoint is due.
void run_simulation(SimulationCall& call, const std::function<Simulation(std::int64_t sweeps)>& make,
                    CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
                    const RunOptions& options);

/// Describes one output of a call. An output with an empty path is not written.
struct CallOutput {
    std::string path;
    /// `kind` attribute of the file, see io/schema.hpp.
    const char* kind;
    DatasetTable datasets;
    std::function<void(OutputFile*)> write;  ///< collective; rank 0 passes its file, other ranks pass nullptr
};

/// Returns the output that holds the final state `call.end`. `add`, if not empty, writes further data and is
/// collective. The object `call` must outlive the output.
CallOutput state_output(const SimulationCall& call, const std::string& path,
                        const std::function<void(OutputFile*)>& add = {});

/// Writes the outputs and then removes the checkpoints. All outputs are complete on disk before the first
/// output gets its name. If a call dies between two renames, its checkpoint still exists, and the same call
/// makes all outputs again. On a full disk, the older of the two checkpoints is deleted, and writing is tried
/// once more.
///
/// Collective. Errors: EnvironmentError on all ranks if a file still cannot be written, or if the lock of an
/// output is lost. The newest checkpoint, if there is one, then stays.
void write_outputs(const SimulationCall& call, const std::vector<CallOutput>& outputs,
                   CheckpointFile& checkpoint, const RunOptions& options);

/// Returns the provenance of the program with the chosen backend, the name of the device, and the hashes of
/// the inputs. inputs: the disorder file first, then the state if there is one. Collective. Errors:
/// InputError if an input cannot be read, is of another kind or differs between ranks.
Provenance full_provenance(const RunOptions& options, const Ensemble& ensemble,
                           const std::vector<std::string>& inputs);

/// Returns the model name of the processor ("Intel Xeon ..."), or the machine's architecture if the system
/// does not name it.
std::string processor_name();

/// Refuses keys that do not go with the backend or, because several ranks cut lattices into slabs, with the
/// ranks of a call. Refuses too many ranks. Collective. Errors: InputError, which names the place of a key.
void check_backend(const Parameters& parameters, const RunOptions& options);

/// Checks that the couplings of a call go with its keys. `path` names their file in errors. Collective.
/// Errors: InputError as check_batch.
void check_couplings(const SimulationCall& call, const std::string& path, const RunOptions& options);

/// Checks before any work that the outputs are not inputs and can be written. Collective. Errors: as
/// check_file_names and check_writable.
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   Ranks& ranks = single_rank());

/// Returns the reason for which one of the ranks should stop, or nullptr. The result is equal on all ranks.
/// own: the reason of this rank, one of the texts of base/stop.hpp, or nullptr. With several ranks, any other
/// text counts as nullptr. If reasons differ, the result is the reason that comes last in the list time
/// limit, SIGINT, SIGUSR1, SIGTERM. Collective.
const char* stop_reason_of_ranks(Ranks& ranks, const char* own);

/// Throws Stopped, whose message names the reason and the sweeps that are done. Call it after a checkpoint
/// was saved. done, total: sweeps of this call.
[[noreturn]] void throw_stopped(const char* reason, std::int64_t done, std::int64_t total);

/// Checks that the locks of all outputs still belong to rank 0, which holds them. Collective. Errors:
/// EnvironmentError on all ranks if rank 0 has lost a lock.
void check_locks(const RunOptions& options);

}  // namespace psflip
