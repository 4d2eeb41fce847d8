#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/output/file_names.hpp"
#include "io/output/writer_lock.hpp"
#include "io/provenance.hpp"
#include "run/run.hpp"
#include "sweep/ensemble.hpp"

namespace psflip::tools {

/// What kind of program it is. All programs with a configuration accept all shared options, so that one
/// workflow rule fits them all; those that a program has no use for say so in --help.
struct ProgramInfo {
    std::string name;          ///< "pt-run"
    std::string purpose;       ///< one sentence for --help
    bool one_size = true;      ///< works on one lattice size: has --L; false: reduce-disorder, bench-flip
    bool takes_config = true;  ///< --config is needed, --set, --validate exist; false: bench-flip
    std::string writes{};      ///< kind of the file at --out, see check_older_output; empty: no --out
    bool uses_backend = true;  ///< simulates, so that --backend, --threads, --device matter
    bool long_running =
        true;  ///< asks stop_reason() and shows progress; signals and --time-limit are watched
    bool several_ranks = false;  ///< shares its lattices among the ranks of mpirun or srun
};

/// Everything the shared options give, handed to the work of a program.
struct ProgramContext {
    std::string name;         ///< of the program
    Config config;            ///< resolved; empty where the program takes none
    Parameters parameters{};  ///< of the size chosen by --L (or the only one); only for one_size programs
    int L = 0;                ///< the chosen size; 0 where the program works on all
    std::string out;          ///< --out
    std::vector<const WriterLock*> locks;  ///< of all outputs, held while the program works
    bool force = false;     ///< --force: a file of another kind, physics or longer run may be replaced
    BackendChoice backend;  ///< --backend, --threads, --device
    std::string progress = "auto";    ///< auto, on or off
    double time_limit_seconds = 0.0;  ///< 0: none; already watched (base/stop.hpp)
    /// program, command line, configuration and its hash, start time are filled in; the library adds backend,
    /// device and the hashes of the inputs
    Provenance provenance;

    Ranks* ranks = &single_rank();  ///< that make this call together

    /// For a simulation.
    RunOptions run_options() const;
};

/// The command line of one program while its options are declared.
class ProgramOptions {
  public:
    explicit ProgramOptions(CLI::App& app) : app_(app) {}
    /// An option that must be given (refused with exit code 1 otherwise), except with --validate.
    template <class T>
    CLI::Option* required(const std::string& name, T& variable, const std::string& help) {
        CLI::Option* option = app_.add_option(name, variable, help + " (required)");
        required_.push_back({option, nullptr});
        return option;
    }
    /// An option that must be given unless `instead` is, with which it cannot go together.
    template <class T>
    CLI::Option* required_unless(CLI::Option* instead, const std::string& name, T& variable,
                                 const std::string& help) {
        CLI::Option* option =
            app_.add_option(name, variable, help + " (required, without " + instead->get_name() + ")");
        required_.push_back({option->excludes(instead), instead});
        return option;
    }
    /// An option with the variable's present value as default.
    template <class T>
    CLI::Option* optional(const std::string& name, T& variable, const std::string& help) {
        return app_.add_option(name, variable, help);
    }
    /// A switch: true where it is given.
    CLI::Option* flag(const std::string& name, bool& variable, const std::string& help) {
        return app_.add_flag(name, variable, help);
    }
    /// Notes that the values of an option name inputs.
    CLI::Option* input(CLI::Option* option) {
        inputs_.push_back(option);
        return option->type_name(option->get_items_expected_max() > 1 ? "FILE ..." : "FILE");
    }
    /// Notes that an option names a text file with the paths of inputs, one per line.
    CLI::Option* input_list(CLI::Option* option) {
        input_lists_.push_back(option);
        return option->type_name("LIST");
    }
    /// Notes that an option names an output of that kind. A link is followed: the file that it leads to is
    /// locked and written.
    CLI::Option* output(CLI::Option* option, const std::string& kind) {
        outputs_.push_back({option, kind});
        return option->type_name("FILE")->transform(link_target);
    }
    /// Notes that --out is of that kind where `with` is given.
    void writes(const std::string& kind, CLI::Option* with) { out_kinds_.push_back({with, kind}); }
    /// Notes that the program works as one rank where the option is given.
    void one_rank(CLI::Option* option) { one_rank_.push_back(option); }
    CLI::App& app() { return app_; }
    struct Required {
        CLI::Option* option;
        CLI::Option* instead;  ///< nullptr: nothing takes its place
    };
    const std::vector<Required>& required() const { return required_; }
    const std::vector<CLI::Option*>& one_rank() const { return one_rank_; }

    struct Output {
        NamedFile file;
        std::string kind;
    };
    bool takes_inputs() const { return !inputs_.empty() || !input_lists_.empty(); }

    /// After parsing: what is given, the inputs in lists included. Errors as read_path_list.
    std::vector<NamedFile> inputs() const;
    std::vector<Output> outputs() const;

  private:
    struct OptionOfKind {
        CLI::Option* option;
        std::string kind;
    };

    CLI::App& app_;
    std::vector<Required> required_;
    std::vector<CLI::Option*> inputs_, input_lists_, one_rank_;
    std::vector<OptionOfKind> outputs_, out_kinds_;
};

/// What --validate does beyond configuration and command line: reads the inputs that are given, and what
/// stands where outputs will be, and checks them as the work would, without doing it.
using InputCheck = std::function<void(const ProgramContext&)>;

/// The main of every program: declares the shared options and those of `declare`, parses, reads and validates
/// the configuration, refuses outputs that would replace what they must not, starts log and stop watch, locks
/// the outputs, and calls `work`; with --validate it calls `check` instead where inputs are given, or none
/// are needed, or the size is known, and prints a line that begins with "valid". Nothing but this function
/// catches exceptions. Returns the exit code: 0 done (also --help, --version, --validate); 1 usage,
/// configuration or input error; 2 environment error, out of memory or an unexpected exception; 75 stopped
/// early with a checkpoint saved. Errors go to standard error as "name: error: message".
///
/// Where mpirun or srun started several ranks, rank 0 checks, locks and writes the outputs, logs and tells
/// what all of them end with; an error that one rank has by itself is told as "name: error: rank 2 of 4
/// (host): message" and ends the others. Ranks that differ are refused, and so are programs for one rank.
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
