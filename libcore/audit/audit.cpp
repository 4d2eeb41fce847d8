#include "audit/audit.hpp"

#include <fmt/format.h>

#include <utility>

#include "audit/audit_compare.hpp"
#include "audit/audit_file.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/version.hpp"
#include "config/physics_text.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/output/atomic_file.hpp"
#include "io/schema.hpp"
#include "random/splitmix64.hpp"
#include "run/chunk.hpp"

namespace psflip {
namespace {

/// Range, grid and number of snapshots of the run file, which the rerun follows whatever the configuration
/// says.
struct RunPlan {
    std::int64_t first, last;
    RunGrid grid;
    std::int64_t snapshots;
};

RunPlan plan_of(const InputFile& file, const StatePosition& position, const std::string& state_path) {
    const RunRange range = read_run_range(file);
    RunPlan plan{range.first, range.last, range.grid, 0};
    if (file.has(schema::snapshots_sweep))
        plan.snapshots = static_cast<std::int64_t>(
            read_ascending<std::int64_t>(file, schema::snapshots_sweep, {range.first + 1, range.last})
                .size());
    if (plan.first != position.measured())
        throw InputError(fmt::format(
            "the run {} begins {} sweeps after thermalization, but the state {} stands at {}; give the "
            "state that this run began with",
            file.path(), plan.first, state_path, position.measured()));
    return plan;
}

void check_end_state(const AuditFiles& files, const InputFile& run_file, const RunPlan& plan) {
    if (files.end_state.empty()) return;
    const InputFile file(files.end_state, schema::state);
    if (read_identity(file).lines() == read_identity(run_file).lines() &&
        read_position(files.end_state).measured() == plan.last)
        return;
    throw InputError(
        fmt::format("the run {} did not end in the state {}; give the one that was written with it",
                    files.run, files.end_state));
}

BatchSlice chosen_part(const AuditChoice& choice, const Shape& shape, std::int64_t last) {
    if (choice.first) return slice_at(shape, *choice.first, choice.count);
    const std::uint64_t place = splitmix64(static_cast<std::uint64_t>(shape.first_realization)) ^
                                splitmix64(static_cast<std::uint64_t>(last)) ^
                                splitmix64(static_cast<std::uint64_t>(shape.L));
    return drawn_slice(shape, splitmix64(choice.seed ^ place));
}

/// Loads everything, checks that it belongs together, and cuts out the part.
Chunk make_chunk(const Parameters& parameters, const AuditFiles& files, const InputFile& run_file,
                 const RunPlan& plan, const StatePosition& position, const AuditChoice& choice,
                 const BackendChoice& backend, AuditResult& result) {
    Batch whole = load_batch(parameters, files.disorder, backend, 0, 0);
    check_same_physics("run " + files.run, read_identity(run_file).lines(), "this call",
                       whole.identity.lines(),
                       "give the disorder file and the configuration that the run was made with");
    const BatchSlice part = chosen_part(choice, whole.shape, plan.last);
    result.L = whole.shape.L;
    result.batch_first = whole.shape.first_realization;
    result.batch_realizations = whole.shape.realizations;
    result.first_realization = result.batch_first + part.offset;
    result.realizations = part.count;
    Chunk chunk;
    chunk.start =
        cut(load_state(files.state, whole.identity, whole.shape, backend.threads), whole.shape, part);
    chunk.batch = cut(whole, part);
    chunk.schedule = run_schedule(parameters, position, plan.last);
    chunk.run.identity = chunk.batch.identity;
    chunk.run.temperatures = parameters.temperatures;
    chunk.run.first = plan.first;
    chunk.run.last = plan.last;
    chunk.run.grid = plan.grid;
    chunk.run.measured = measured_by(parameters);
    chunk.run.bins = {plan.grid.block_edges(plan.first, plan.last)};
    return chunk;
}

/// The plan of the run file, which the parameters are made to follow.
RunPlan follow(const AuditFiles& files, const InputFile& run_file, const StatePosition& position,
               Parameters& parameters) {
    const RunPlan plan = plan_of(run_file, position, files.state);
    check_end_state(files, run_file, plan);
    parameters.run.measure_every = plan.grid.measure_every;
    parameters.run.histogram_bins = plan.grid.histogram_bins;
    parameters.run.snapshots = plan.snapshots;
    parameters.run.magnetisation =
        measured_in(run_file, measured_of(model_of(parameters), true)).magnetisation
            ? MagnetisationChoice::always
            : MagnetisationChoice::automatic;
    return plan;
}

void note_provenance(const InputFile& run_file, const Provenance& provenance, AuditResult& result) {
    for (const char* name : {"backend", "device", "host", "git_commit", "version"})
        if (const std::string path = fmt::format("{}@{}", schema::provenance, name);
            run_file.has_attribute(path))
            result.provenance[name] = run_file.text_attribute(path);
    result.rerun = {{"backend", provenance.backend},
                    {"device", provenance.device},
                    {"host", host_name()},
                    {"git_commit", git_commit()},
                    {"version", version()}};
    result.hashes = provenance.input_hashes;
    result.hashes[run_file.path()] = run_file.content_hash();
    if (const std::string& end = result.files.end_state; !end.empty())
        result.hashes[end] = InputFile(end, schema::state).content_hash();
}

}  // namespace

void check_audit(Parameters parameters, const AuditFiles& files, const AuditChoice& choice,
                 const std::string& out, const RunOptions& options) {
    if (!files.disorder.empty() && !files.state.empty() && !files.run.empty()) {
        const StatePosition position = read_position(files.state);
        const InputFile run_file(files.run, schema::run);
        const RunPlan plan = follow(files, run_file, position, parameters);
        AuditResult result;
        result.first_sweep = plan.first;
        result.last_sweep = plan.last;
        const Chunk chunk =
            make_chunk(parameters, files, run_file, plan, position, choice, options.backend, result);
        if (out.empty()) return;
        if (!options.force) check_existing_text(out, "result of an audit", audit_first_line(result));
        CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "audit");
        if (checkpoint.exists()) checkpoint.load();
        return;
    }
    check_thermalize(parameters, files.disorder, "", options);
    for (const std::string& state : {files.state, files.end_state})
        if (!state.empty()) check_state_physics(state, parameters);
    if (!files.run.empty())
        check_same_physics("run " + files.run, read_identity(InputFile(files.run, schema::run)).physics,
                           "the configuration", parameters.physics_yaml(),
                           "give the configuration that the run was made with");
}

AuditResult audit(Parameters parameters, const AuditFiles& files, const AuditChoice& choice,
                  const std::string& out, const RunOptions& options) {
    UsageMeter usage;
    std::vector<NamedFile> inputs = {
        {"the disorder file", files.disorder}, {"the state", files.state}, {"the run", files.run}};
    if (!files.end_state.empty()) inputs.push_back({"the state at the end", files.end_state});
    check_outputs(inputs, {{"the output", out}});
    const StatePosition position = read_position(files.state);
    const InputFile run_file(files.run, schema::run, options.backend.threads);
    const RunPlan plan = follow(files, run_file, position, parameters);

    AuditResult result;
    result.files = files;
    result.first_sweep = plan.first;
    result.last_sweep = plan.last;
    Chunk chunk = make_chunk(parameters, files, run_file, plan, position, choice, options.backend, result);
    if (!options.force) check_existing_text(out, "result of an audit", audit_first_line(result));
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "audit");
    run_chunk(chunk, parameters, checkpoint, usage, {files.disorder, files.state}, options);
    compare_with_files(run_file, files.end_state, chunk, result);
    note_provenance(run_file, chunk.provenance, result);
    const Usage used = usage.at(chunk.schedule.end);
    result.flips = used.flips;
    result.seconds = used.wall_seconds;
    check_locks(options);
    write_text_file(out, audit_json(result));
    checkpoint.remove();
    return result;
}

}  // namespace psflip
