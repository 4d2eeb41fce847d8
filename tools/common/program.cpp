#include "common/program.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <new>
#include <thread>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "base/version.hpp"
#include "common/existing_output.hpp"
#include "io/file.hpp"
#include "io/output/writer_lock.hpp"
#include "slab/agreement.hpp"
#include "slab/halo_way.hpp"
#include "slab/mpi_ranks.hpp"

namespace psflip::tools {
namespace {

constexpr int exit_done = static_cast<int>(ExitCode::done);
constexpr int exit_input = static_cast<int>(ExitCode::input);
constexpr int exit_environment = static_cast<int>(ExitCode::environment);

/// Holds the values of the shared options that ProgramContext does not carry.
struct SharedOptions {
    std::string config;
    std::vector<std::string> overrides;
    std::string log_level = "info";
    bool validate = false;
};

/// Returns the text of --version. The first line is for people; the workflow reads the other lines.
std::string version_text(const std::string& program) {
    return fmt::format("{} {} ({})\nphysics version: {}\nanalysis version: {}\nbackends: {}\nMPI: {}",
                       program, version(), git_commit(), physics_version, analysis_version,
                       PSFLIP_HAVE_CUDA ? "cpu cuda" : "cpu", built_with_mpi() ? "yes" : "no");
}

int report(const std::string& program, const std::string& message, int code) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: error: %s\n", program.c_str(), printable(message).c_str());
    return code;
}

void declare_config_options(ProgramOptions& options, const ProgramInfo& info, SharedOptions& shared,
                            ProgramContext& context) {
    options
        .optional("--config", shared.config,
                  "the study file (required); its keys are in configs/reference.yaml")
        .type_name("FILE.yaml");
    options.optional("--set", shared.overrides, "change a key of the study file; may be given several times")
        .type_name("key.path=value")
        .default_str("");
    Option size =
        options.optional("--L", context.L, "lattice size (required if the study file has several sizes)");
    if (!info.one_size) size = options.without_effect(size);
    size.type_name("N").default_str("");
    options.flag("--validate", shared.validate,
                 "check the study file, the command line and the given inputs, then stop");
}

void declare_run_options(ProgramOptions& options, const ProgramInfo& info, ProgramContext& context) {
    const auto effective = [&options](bool has_effect, Option option) {
        return has_effect ? option : options.without_effect(option);
    };
    effective(info.uses_backend, options.optional("--backend", context.backend.backend,
                                                  "auto, cpu or cuda; auto uses a GPU if one works"))
        .check(one_of({"auto", "cpu", "cuda"}));
    options.optional("--threads", context.backend.threads, "number of CPU threads; 0: all cores")
        .check(in_range(0, 4096))
        .type_name("N");
    effective(info.uses_backend,
              options.optional("--device", context.backend.device, "number of the CUDA device"))
        .check(in_range(0, 1023))
        .type_name("N");
    if (info.takes_config) {
        effective(info.several_ranks,
                  options.optional("--halo", context.backend.halo,
                                   "how slabs on GPUs exchange halos: auto, peer, mpi or host"))
            .check(one_of({"auto", "peer", "mpi", "host"}));
        effective(
            info.several_ranks,
            options.optional("--halo-order", context.halo_order,
                             "order of the sites of slabs: standard, with a message to both "
                             "neighbours for each colour; sliced, with a message to one; auto: standard"))
            .check(one_of({"auto", "standard", "sliced"}));
    }
    effective(info.long_running,
              options.optional("--progress", context.progress, "show progress: auto, on or off"))
        .check(one_of({"auto", "on", "off"}));
    effective(info.long_running, options.optional("--time-limit", context.time_limit_seconds,
                                                  "stop with a checkpoint and exit code 75 after this time"))
        .check(number_from(0, 1e9))
        .type_name("SECONDS");
}

void check_required(const ProgramOptions& options, const ProgramInfo& info, const SharedOptions& shared) {
    if (info.takes_config && shared.config.empty())
        throw InputError("--config is required; give a study file");
    if (!shared.validate) options.check_required();
}

void read_configuration(const ProgramInfo& info, const SharedOptions& shared, ProgramContext& context) {
    context.config = load_config(shared.config, shared.overrides);
    const bool chosen = context.L != 0 || context.config.sizes.size() == 1;
    if (info.one_size && (chosen || !shared.validate)) {
        context.parameters = parameters_for(context.config, context.L);
        context.L = context.parameters.L;
    } else if (context.L != 0) {
        parameters_for(context.config, context.L);
    }
    context.provenance.config_yaml = context.config.yaml;
    context.provenance.config_hash = fmt::format("{:016x}", context.config.hash);
}

void check_one_rank(const ProgramOptions& options, const Ranks& ranks) {
    for (const std::string& name : options.one_rank())
        if (options.is_given(name) && !ranks.alone())
            throw InputError(
                fmt::format("{} uses one rank, but {} were started; start the program without mpirun", name,
                            ranks.size()));
}

/// Refuses outputs that are inputs or that cannot be written.
void check_outputs(const ProgramOptions& options, const SharedOptions& shared) {
    std::vector<NamedFile> inputs = options.inputs(), outputs;
    if (!shared.config.empty()) inputs.push_back({"--config", shared.config});
    for (const auto& [file, kind] : options.outputs()) outputs.push_back(file);
    check_file_names(inputs, outputs);
    for (const NamedFile& file : outputs) check_writable(file.path);
}

/// Refuses outputs that would replace files that must stay. The caller holds the locks of the outputs, so
/// that no other process changes them later.
void check_existing_outputs(const ProgramOptions& options, const ProgramContext& context) {
    for (const auto& [file, kind] : options.outputs()) check_existing_output(file, kind, context.force);
}

void lock_outputs(const ProgramOptions& options, std::deque<WriterLock>& locks, ProgramContext& context) {
    for (const auto& [file, kind] : options.outputs())
        context.locks.push_back(&locks.emplace_back(file.path, context.name));
}

/// Returns why a program must not start as the launcher wants, or an empty text if it may start.
std::string refusal(const ProgramInfo& info, const Launch& launch) {
    if (launch.ranks == 1) return {};
    if (!info.several_ranks)
        return fmt::format(
            "{} uses one rank, but {} were started; start {} without mpirun (under srun with --mpi=none). "
            "Only thermalize, pt-run and relax use several ranks",
            info.name, launch.ranks, info.name);
    if (!built_with_mpi())
        return fmt::format(
            "{} ranks were started, but this psflip was built without MPI; start {} without mpirun (under "
            "srun with --mpi=none), or build psflip with MPI (envs/install)",
            launch.ranks, info.name);
    return {};
}

/// Checks that all ranks have equal program, configuration and command line. Collective. Errors: InputError
/// on all ranks.
void check_same_call(Ranks& ranks, const ProgramContext& context) {
    check_same_on_ranks(ranks, {{"program", context.name},
                                {"version", fmt::format("{} ({})", version(), git_commit())},
                                {"physics version", std::to_string(physics_version)},
                                {"command line", context.provenance.command_line},
                                {"hash of the configuration", context.provenance.config_hash}});
}

/// Shares a machine among its ranks. Unless a device was chosen, ranks get devices in turn. Unless a number
/// of threads was chosen, ranks share the cores. Collective.
void share_machine(Ranks& ranks, BackendChoice& backend, bool device_chosen) {
    if (ranks.alone()) return;
    const RanksHere here = ranks_here(ranks);
    if (const int devices = cuda_devices(); devices > 0 && !device_chosen)
        backend.device = here.below % devices;
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (backend.threads == 0 && here.count * available_threads() > cores)
        backend.threads = std::max(1, cores / here.count);
}

/// Checks the inputs, if there are any, and prints the line of --validate.
int validate(const ProgramOptions& options, const ProgramInfo& info, ProgramContext& context,
             const InputCheck& check) {
    std::string inputs;
    for (const NamedFile& file : options.inputs()) inputs += (inputs.empty() ? ", with " : ", ") + file.path;
    const bool for_all_sizes = inputs.empty() && context.L == 0;
    for (const int L : for_all_sizes ? context.config.sizes : std::vector<int>{context.L}) {
        if (info.one_size) context.parameters = parameters_for(context.config, L);
        if (info.one_size || !inputs.empty()) check(context);
    }
    const std::string sizes =
        context.L != 0 ? std::to_string(context.L) : fmt::format("{}", fmt::join(context.config.sizes, ", "));
    const std::string line =
        fmt::format("valid: {}, {}, L = {}{}", context.name, context.config.file, sizes, inputs);
    if (context.ranks->is_first()) std::fprintf(stdout, "%s\n", printable(line).c_str());
    return exit_done;
}

/// Declares the shared options and the options of the program.
void declare_all(ProgramOptions& options, const ProgramInfo& info, SharedOptions& shared,
                 ProgramContext& context, const std::function<void(ProgramOptions&)>& declare) {
    if (info.takes_config) declare_config_options(options, info, shared, context);
    declare(options);
    if (!info.writes.empty())
        options.output(options.required("--out", context.out, "output file"), info.writes);
    declare_run_options(options, info, context);
    options.flag(
        "--force", context.force,
        "replace an existing psflip file even if it is damaged, of another kind or physics version, or "
        "from a longer run");
    options.optional("--log-level", shared.log_level,
                     "lowest level of messages: trace, debug, info, warn, error or off");
}

/// Reads command line and configuration. Returns false if the call only asked for help or the version.
bool read_call(int argc, char** argv, ProgramOptions& options, const ProgramInfo& info, SharedOptions& shared,
               ProgramContext& context) {
    if (!options.parse(argc, argv, context.ranks->is_first())) return false;
    start_log(shared.log_level);
    if (!context.ranks->is_first()) start_log("off");
    for (const std::string& name : options.given_without_effect())
        spdlog::warn("{} has no effect in {}", name, info.name);
    check_required(options, info, shared);
    check_one_rank(options, *context.ranks);
    if (info.takes_config) read_configuration(info, shared, context);
    return true;
}

/// Starts CUDA in a thread, because this takes a good part of a second, in which the program reads its
/// inputs.
std::jthread start_device(const ProgramInfo& info, const BackendChoice& backend) {
    if (!info.long_running || backend.backend == "cpu") return {};
    return std::jthread([device = backend.device] { cuda_available(device); });
}

/// Makes the whole call without reporting errors.
int run_call(int argc, char** argv, const ProgramInfo& info,
             const std::function<void(ProgramOptions&)>& declare,
             const std::function<void(const ProgramContext&)>& work, const InputCheck& check, Ranks& ranks) {
    ProgramContext context;
    SharedOptions shared;
    context.ranks = &ranks;
    context.name = context.provenance.program = info.name;
    context.provenance.command_line = quoted_command_line(argc, argv);
    context.provenance.start_time = utc_now();
    context.provenance.ranks = ranks.size();
    ProgramOptions options(info.name, info.purpose, version_text(info.name));
    declare_all(options, info, shared, context, declare);
    bool goes_on = false;
    all_do(ranks, [&] { goes_on = read_call(argc, argv, options, info, shared, context); });
    const bool some_go_on = ranks.maximum(goes_on ? 1 : 0) == 1,
               some_end = ranks.maximum(goes_on ? 0 : 1) == 1;
    if (!some_go_on) return exit_done;
    all_do(ranks, [some_end] {
        if (some_end)
            throw InputError(
                "--help or --version was given to some ranks and not to others; give all ranks equal "
                "options");
    });
    check_same_call(ranks, context);
    share_machine(ranks, context.backend, options.is_given("--device"));
    limit_available_threads(context.backend.threads);
    first_does(ranks, [&] { check_outputs(options, shared); });
    if (info.long_running && !shared.validate) watch_for_stop(context.time_limit_seconds);
    std::deque<WriterLock> locks;
    first_does(ranks, [&] {
        if (!shared.validate) lock_outputs(options, locks, context);
        check_existing_outputs(options, context);
    });
    if (shared.validate) return validate(options, info, context, check);
    log_step("start");
    const std::jthread device = start_device(info, context.backend);
    work(context);
    log_step("finish");
    return exit_done;
}

/// Reports why a rank ends. If all ranks end for this reason, it is reported once. Otherwise the other ranks
/// are ended, too.
int end_with(const ProgramInfo& info, Ranks& ranks, const std::string& message, int code, bool of_all_ranks) {
    if (ranks.alone()) return report(info.name, message, code);
    if (of_all_ranks) return ranks.is_first() ? report(info.name, message, code) : code;
    report(info.name, fmt::format("{}: {}", rank_text(ranks), message), code);
    ranks.abort(code);
    return code;
}

int run_as_rank(int argc, char** argv, const ProgramInfo& info,
                const std::function<void(ProgramOptions&)>& declare,
                const std::function<void(const ProgramContext&)>& work, const InputCheck& check,
                Ranks& ranks) try {
    return run_call(argc, argv, info, declare, work, check, ranks);
} catch (const Stopped& stopped) {
    if (ranks.is_first()) std::fprintf(stderr, "%s: %s\n", info.name.c_str(), stopped.what());
    return static_cast<int>(stopped.code());
} catch (const Error& error) {
    return end_with(info, ranks, error.what(), static_cast<int>(error.code()), error.of_all_ranks());
} catch (const std::bad_alloc&) {
    const std::string remedy =
        info.takes_config ? "use a smaller disorder.batch or lattice.L, or fewer temperatures or replicas"
                          : "use smaller numbers in this call";
    return end_with(info, ranks, "there is not enough memory; " + remedy, exit_environment, false);
} catch (const std::exception& error) {
    return end_with(info, ranks, error.what(), exit_environment, false);
}

}  // namespace

RunOptions ProgramContext::run_options() const {
    const ProgressMode mode = progress_mode(progress);
    return {backend,
            ranks->is_first() ? mode : ProgressMode::off,
            provenance,
            locks,
            force,
            ranks,
            psflip::halo_order(halo_order)};
}

int run_program(int argc, char** argv, const ProgramInfo& info,
                const std::function<void(ProgramOptions&)>& declare,
                const std::function<void(const ProgramContext&)>& work, const InputCheck& check) try {
    // A closed pipe for messages, or a limit on the size of files, must not end the process without a
    // message.
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
    const Launch started = launch();
    if (const std::string why = refusal(info, started); !why.empty()) {
        if (started.rank == 0) return report(info.name, why, exit_input);
        std::this_thread::sleep_for(
            std::chrono::seconds(1));  // mpirun ends all ranks when the first has ended
        return exit_input;
    }
    MpiSession session(started);
    return run_as_rank(argc, argv, info, declare, work, check, session.ranks());
} catch (const Error& error) {
    return report(info.name, error.what(), static_cast<int>(error.code()));
}

}  // namespace psflip::tools
