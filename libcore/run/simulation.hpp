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

/// A simulation on one backend.
struct Simulation {
    std::unique_ptr<Sampler> sampler;
    std::unique_ptr<Measurement> measurement;  ///< nullptr if nothing is measured

    /// Restores spins and sampler state of a stopped simulation. Collective.
    void set(const SimulationState& state);
    SimulationState state(std::int64_t sweep, std::int64_t run_start) const;
};

/// Makes the sampler of the setup and, if bins > 0, its measurement as the parameters say. Ranks and vectors
/// of the setup must outlive it. Collective. Errors: as make_sampler and make_measurement.
Simulation make_simulation(const BatchSetup& setup, const Parameters& parameters, int bins);

/// Returns the number of proposed spin flips in one sweep of a batch.
double flips_per_sweep(const Shape& shape);

/// Counts the resources of a call from its construction on.
class UsageMeter {
  public:
    /// Records the batch and its device. If a checkpoint is resumed, `completed` is its sweep and
    /// `earlier` has the resources of earlier calls.
    void start(const Ensemble& ensemble, int device, std::int64_t completed, const Usage& earlier);

    /// Returns the resources of all calls after `completed` sweeps, with the energy of the GPUs of all
    /// ranks. Collective.
    Usage at(std::int64_t completed) const;

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::unique_ptr<GpuEnergy> energy_;
    double flips_per_sweep_ = 0.0;
    std::int64_t start_ = 0;
    Usage earlier_;
    Ranks* ranks_ = &single_rank();
};

/// One call of thermalize, pt-run, relax or audit: its inputs and its results.
struct SimulationCall {
    Parameters parameters;
    Batch batch;
    bool keeps_couplings = false;  ///< false: run_simulation frees the couplings when the sweeps begin
    SimulationState start;         ///< run_simulation frees its spins when the sweeps begin
    Schedule schedule;
    /// Input: identity, temperatures, range, grid, bins, measured sums, and earlier snapshots. Result:
    /// accumulators and all snapshots.
    RunData run;
    SimulationState end;    ///< made
    Provenance provenance;  ///< made
    UsageMeter usage;
};

/// Returns the checkpoints next to `out`. call_lines: see CheckpointFile.
CheckpointFile checkpoint_of(const SimulationCall& call, const std::string& out,
                             const std::string& call_lines);

/// Does the sweeps of a call, from the checkpoint if there is one, with progress and checkpoints. `make`
/// makes the simulation for the sweeps that are left, and `inputs` are the files that the provenance names.
/// Collective. Errors: Stopped, with a checkpoint saved, on a stop request. EnvironmentError if this last
/// checkpoint cannot be saved, if the lock of the output is lost, or, at the end and with a checkpoint saved,
/// if another process wrote an output. Other checkpoints that cannot be saved cause a warning and are tried
/// again when the next is due.
void run_simulation(SimulationCall& call, const std::function<Simulation(std::int64_t sweeps)>& make,
                    CheckpointFile& checkpoint, const std::vector<std::string>& inputs,
                    const RunOptions& options);

/// One output of a call; without a path it is not written.
struct CallOutput {
    std::string path;
    const char* kind;
    DatasetTable datasets;
    std::function<void(OutputFile*)> write;  ///< collective; the file is nullptr on all ranks but the first
};

/// Returns the output with the final state. `add` writes further data. The call must outlive the output.
CallOutput state_output(const SimulationCall& call, const std::string& path,
                        const std::function<void(OutputFile*)>& add = {});

/// Writes the outputs and then removes the checkpoints. All outputs are complete on disk before the first
/// gets its name. A call that dies between two renames still has its checkpoint and makes all of them again.
/// Collective.
void write_outputs(const SimulationCall& call, const std::vector<CallOutput>& outputs,
                   CheckpointFile& checkpoint, const RunOptions& options);

/// Returns the provenance of the call, after the backend is chosen. Collective. Errors: InputError if the
/// inputs of ranks differ.
Provenance full_provenance(const RunOptions& options, const Ensemble& ensemble,
                           const std::vector<std::string>& inputs);

/// Returns "Intel Xeon ..." from the processor's description, or the machine's architecture.
std::string processor_name();

/// Checks the files of a call. Collective. Errors: as check_file_names; EnvironmentError if an output cannot
/// be written.
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   Ranks& ranks = single_rank());

/// Returns why one of the ranks should stop (base/stop.hpp), equal on all ranks, or nullptr. Collective.
const char* stop_reason_of_ranks(Ranks& ranks, const char* own);

/// Throws Stopped after a checkpoint of sweep `done` of `total` was saved.
[[noreturn]] void throw_stopped(const char* reason, std::int64_t done, std::int64_t total);

/// EnvironmentError if an output is no longer this process's. Collective.
void check_locks(const RunOptions& options);

}  // namespace psflip
