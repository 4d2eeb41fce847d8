#pragma once

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
    std::string name;          ///< such as "pt-run"
    std::string purpose;       ///< one sentence for --help
    bool one_size = true;      ///< works on one lattice size: has --L; false: reduce-disorder, bench-flip
    bool takes_config = true;  ///< --config is needed, --set, --validate exist; false: bench-flip
    std::string writes{};      ///< kind of the file at --out, see check_existing_output; empty: no --out
    bool uses_backend = true;  ///< it simulates, so --backend, --threads and --device have an effect
    bool long_running =
        true;  ///< asks stop_reason() and shows progress; signals and --time-limit are watched
    bool several_ranks = false;  ///< shares its lattices among the ranks of mpirun or srun
};

/// Holds everything that the shared options give, for the work of a program.
struct ProgramContext {
    std::string name;         ///< of the program
    Config config;            ///< resolved; empty if the program takes none
    Parameters parameters{};  ///< of the size chosen by --L (or the only one); only for one_size programs
    int L = 0;                ///< the chosen size; 0 if the program works on all sizes
    std::string out;          ///< --out
    std::vector<const WriterLock*> locks;  ///< of all outputs, held while the program works
    bool force = false;     ///< --force: a file of another kind, physics or longer run may be replaced
    BackendChoice backend;  ///< --backend, --threads, --device
    std::string progress = "auto";    ///< auto, on or off
    double time_limit_seconds = 0.0;  ///< 0: none; already watched (base/stop.hpp)
    /// Has program, command line, configuration with its hash, and start time. The library adds backend,
    /// device and hashes of the inputs.
    Provenance provenance;

    Ranks* ranks = &single_rank();  ///< ranks that make this call together

    /// Returns the options of a simulation.
    RunOptions run_options() const;
};

/// Does the additional work of --validate: reads the given inputs and the files at the names of outputs, and
/// checks them as the program would before it works.
using InputCheck = std::function<void(const ProgramContext&)>;

/// Is the main of every program. Declares the shared options and the options of `declare`, parses them, and
/// reads and validates the configuration. Refuses outputs that would replace what they must not, starts log
/// and stop watch, locks the outputs, and calls `work`. With --validate it calls `check` instead if inputs
/// are given, if none are needed, or if the size is known, and prints a line that begins with "valid".
/// Only this function catches exceptions. Errors go to standard error as "name: error: message". Returns the
/// exit code: 0 done (also --help, --version, --validate); 1 usage, configuration or input error; 2
/// environment error, out of memory or an unexpected exception; 75 stopped early with a checkpoint saved.
///
/// If mpirun or srun started several ranks, rank 0 checks, locks and writes the outputs, logs, and reports
/// errors of all ranks. An error of one rank is reported as "name: error: rank 2 of 4 (host): message" and
/// ends the others. Ranks that differ are refused, and so are programs for one rank.
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
