#pragma once

// Provides the frame of all programs: shared options, configuration, locks and exit codes.

#include <functional>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "config/config.hpp"
#include "io/output/writer_lock.hpp"
#include "io/provenance.hpp"
#include "run/run.hpp"
#include "sweep/ensemble.hpp"

namespace psflip::tools {

/// Describes a program. All programs with a configuration accept all shared options, so that one workflow
/// rule fits them all. --help lists only options that have an effect.
struct ProgramInfo {
    std::string name;      ///< "pt-run"
    std::string purpose;   ///< one sentence for --help
    bool one_size = true;  ///< works on one lattice size and has --L; false in reduce-disorder and bench-flip
    bool takes_config = true;    ///< needs --config and has --set and --validate; false in bench-flip
    std::string writes{};        ///< kind of the file at --out, see check_existing_output; empty: no --out
    bool uses_backend = true;    ///< simulates, so that --backend, --threads, --device have an effect
    bool long_running = true;    ///< stops on signals and --time-limit, and shows progress
    bool several_ranks = false;  ///< shares its lattices among the ranks of mpirun or srun
};

/// Holds the values of all shared options, for the work of a program.
struct ProgramContext {
    std::string name;                      ///< name of the program
    Config config;                         ///< resolved; empty if the program takes none
    Parameters parameters{};               ///< for the size of --L, or the only size; one_size programs only
    int L = 0;                             ///< size of --L; 0 if the program works on all sizes
    std::string out;                       ///< --out
    std::vector<const WriterLock*> locks;  ///< locks of all outputs, held while the program works
    bool force = false;     ///< --force: replace files of another kind or physics, or of a longer run
    BackendChoice backend;  ///< --backend, --threads, --device, --halo
    std::string halo_order = "auto";  ///< --halo-order: auto, standard or sliced
    std::string progress = "auto";    ///< auto, on or off
    double time_limit_seconds = 0.0;  ///< 0: no limit; already watched (base/stop.hpp)
    /// Contains program, command line, configuration with its hash, and start time. The library adds backend,
    /// device and the hashes of the inputs.
    Provenance provenance;

    Ranks* ranks = &single_rank();  ///< the ranks that make this call together

    /// Returns the options of a simulation.
    RunOptions run_options() const;
};

/// Makes the checks of --validate beyond configuration and command line. It reads the given inputs and the
/// files at the names of outputs, and checks them as the work would.
using InputCheck = std::function<void(const ProgramContext&)>;

/// Runs a program. The `main` of every program is a call of this function, which reports every exception. It
/// does these steps:
/// - declare the shared options and the options of `declare`, parse them, and read and validate the
///   configuration;
/// - refuse outputs that must not be replaced, start the log and the watch for stop requests, and lock the
///   outputs;
/// - call `work`, or with --validate call `check` and print a line that begins with "valid". If neither a
/// size
///   nor inputs are given, --validate checks each size of the study. Programs that work on all sizes are
///   checked if inputs are given.
///
/// Returns the exit code:
/// - 0: done (also --help, --version, --validate)
/// - 1: usage, configuration or input error
/// - 2: environment error, out of memory or an unexpected exception
/// - 75: stopped early with a checkpoint saved
///
/// Errors appear on standard error as "name: error: message".
///
/// If mpirun or srun started several ranks, rank 0 checks, locks and writes the outputs, logs, and reports
/// errors of all ranks. An error of one rank is reported as "name: error: rank 2 of 4 (host): message" and
/// ends the other ranks. Ranks with different command lines are refused. Several ranks of a program that
/// works as one rank are refused, too.
///
///     int main(int argc, char** argv) {
///         std::string disorder;
///         return run_program(argc, argv, {.name = "thermalize", .purpose = "...", .writes = schema::state},
///                            [&](ProgramOptions& o) { o.input(o.required("--disorder", disorder,
///                            "couplings")); },
///                            [&](const ProgramContext& c) { thermalize(c.parameters, disorder, c.out, ...);
///                            });
///     }
int run_program(int argc, char** argv, const ProgramInfo& info,
                const std::function<void(ProgramOptions&)>& declare,
                const std::function<void(const ProgramContext&)>& work, const InputCheck& check = {});

}  // namespace psflip::tools
