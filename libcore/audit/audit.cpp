#include "audit/audit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "audit/audit_compare.hpp"
#include "base/error.hpp"
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

/// Returns the text as a JSON string.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string object(const std::map<std::string, std::string>& texts) {
    std::vector<std::string> members;
    for (const auto& [name, text] : texts) members.push_back(quoted(name) + ": " + quoted(text));
    return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string file_objects(const AuditResult& r) {
    std::vector<std::string> members;
    for (const auto& [name, path] : {std::pair{"run", r.files.run},
                                     {"state", r.files.state},
                                     {"disorder", r.files.disorder},
                                     {"end_state", r.files.end_state}})
        if (!path.empty())
            members.push_back(
                fmt::format("\"{}\": {}", name, object({{"path", path}, {"hash", r.hashes.at(path)}})));
    return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string difference_object(const AuditResult& r) {
    if (!r.first_difference) return "null";
    const AuditDifference& d = *r.first_difference;
    return fmt::format(
        "{{\"file\": {}, \"dataset\": {}, \"index\": [{}], \"realization\": {}, \"in_file\": {}, "
        "\"in_rerun\": {}}}",
        quoted(d.file), quoted(d.dataset), fmt::join(d.index, ", "),
        d.realization ? std::to_string(*d.realization) : "null", quoted(d.in_file), quoted(d.in_rerun));
}

/// Returns the first line of audit_json, which identifies the part of the batch that is audited.
std::string audit_first_line(const AuditResult& r) {
    return fmt::format(
        R"({{"format": "psflip audit", "L": {}, "first_realization": {}, "realizations": {}, "sweeps": [{}, {}],)",
        r.L, r.first_realization, r.realizations, r.first_sweep, r.last_sweep);
}

/// Returns the result as JSON, with the fields of AuditResult:
///
///     {"format": "psflip audit", "L": 8, "first_realization": 128, "realizations": 128, "sweeps": [0, 8192],
///      "equal": true, "batch": {"first_realization": 0, "realizations": 512},
///      "files": {"run": {"path": "run.h5", "hash": "..."}, "state": {...}, "disorder": {...}, "end_state":
///      {...}}, "original": {"backend": "...", "device": "...", "host": "...", "git_commit": "...",
///      "version": "..."}, "rerun": {...}, "hash_in_files": "...", "hash_in_rerun": "...", "values":
///      123, "differences": 0, "flips": 1e12, "seconds": 10.5, "first_difference": null, "time":
///      "2026-11-21T08:15:00Z"}
///
/// `rerun` has the fields of `original`. end_state is missing if none was compared. If there is a difference,
/// first_difference is {"file": "...", "dataset": "...", "index": [0, 1, 2, 3], "realization": 131,
/// "in_file": "4", "in_rerun": "8"}. Its realization is null if the dataset has no such axis.
std::string audit_json(const AuditResult& r) {
    return fmt::format(
        "{}\n \"equal\": {},\n \"batch\": {{\"first_realization\": {}, \"realizations\": {}}},\n"
        " \"files\": {},\n \"original\": {},\n \"rerun\": {},\n"
        " \"hash_in_files\": \"{}\",\n \"hash_in_rerun\": \"{}\",\n \"values\": {},\n \"differences\": {},\n"
        " \"flips\": {:.17g},\n \"seconds\": {:.3f},\n \"first_difference\": {},\n \"time\": \"{}\"}}\n",
        audit_first_line(r), r.differences == 0, r.batch_first, r.batch_realizations, file_objects(r),
        object(r.provenance), object(r.rerun), r.hash_in_files, r.hash_in_rerun, r.values, r.differences,
        r.flips, r.seconds, difference_object(r), utc_now());
}

void check_end_state(const AuditFiles& files, const InputFile& run_file, std::int64_t last) {
    if (files.end_state.empty()) return;
    const InputFile file(files.end_state, schema::state);
    if (read_identity(file).lines() == read_identity(run_file).lines() &&
        read_position(files.end_state).measured() == last)
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

/// Sets range, grid and number of snapshots of the parameters to the values of the run file.
RunRange follow(const AuditFiles& files, const InputFile& run_file, const StatePosition& position,
                Parameters& parameters) {
    const RunRange range = read_run_range(run_file);
    parameters.run.snapshots = 0;
    if (run_file.has(schema::snapshots_sweep))
        parameters.run.snapshots = std::ssize(
            read_ascending<std::int64_t>(run_file, schema::snapshots_sweep, {range.first + 1, range.last}));
    if (range.first != position.measured())
        throw InputError(fmt::format(
            "the run {} begins {} sweeps after thermalization, but the state {} stands at {}; give the "
            "state that this run began with",
            files.run, range.first, files.state, position.measured()));
    check_end_state(files, run_file, range.last);
    parameters.run.measure_every = range.grid.measure_every;
    parameters.run.histogram_bins = range.grid.histogram_bins;
    parameters.run.magnetisation =
        measured_in(run_file, measured_of(model_of(parameters), true)).magnetisation
            ? MagnetisationChoice::always
            : MagnetisationChoice::automatic;
    return range;
}

/// Loads all inputs, checks that they belong together, and cuts out the part.
SimulationCall load_part(Parameters parameters, const AuditFiles& files, const InputFile& run_file,
                         const AuditChoice& choice, const BackendChoice& backend, AuditResult& result) {
    const StatePosition position = read_position(files.state);
    const RunRange range = follow(files, run_file, position, parameters);
    const Batch whole = load_batch(parameters, files.disorder, backend, 0, 0);
    check_same_physics("run " + files.run, read_identity(run_file).lines(), "this call",
                       whole.identity.lines(),
                       "give the disorder file and the configuration that the run was made with");
    const BatchSlice part = chosen_part(choice, whole.shape, range.last);
    result.files = files;
    result.first_sweep = range.first;
    result.last_sweep = range.last;
    result.L = whole.shape.L;
    result.batch_first = whole.shape.first_realization;
    result.batch_realizations = whole.shape.realizations;
    result.first_realization = result.batch_first + part.offset;
    result.realizations = part.count;
    SimulationCall chunk;
    chunk.parameters = parameters;
    chunk.start =
        cut(load_state(files.state, whole.identity, whole.shape, backend.threads), whole.shape, part);
    chunk.batch = cut(whole, part);
    chunk.run.identity = chunk.batch.identity;
    plan_run(chunk, position, range);
    return chunk;
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

void check_audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                 const std::string& out, const RunOptions& options) {
    if (!files.disorder.empty() && !files.state.empty() && !files.run.empty()) {
        AuditResult result;
        const SimulationCall chunk =
            load_part(parameters, files, InputFile(files.run, schema::run), choice, options.backend, result);
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

AuditResult audit(const Parameters& parameters, const AuditFiles& files, const AuditChoice& choice,
                  const std::string& out, const RunOptions& options) {
    std::vector<NamedFile> inputs = {
        {"the disorder file", files.disorder}, {"the state", files.state}, {"the run", files.run}};
    if (!files.end_state.empty()) inputs.push_back({"the state at the end", files.end_state});
    check_outputs(inputs, {{"the output", out}});
    const InputFile run_file(files.run, schema::run, options.backend.threads);
    AuditResult result;
    SimulationCall chunk = load_part(parameters, files, run_file, choice, options.backend, result);
    if (!options.force) check_existing_text(out, "result of an audit", audit_first_line(result));
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "audit");
    run_chunk(chunk, checkpoint, {files.disorder, files.state}, options);
    compare_with_files(run_file, files.end_state, chunk, result);
    note_provenance(run_file, chunk.provenance, result);
    const Usage used = chunk.usage.at(chunk.schedule.end);
    result.flips = used.flips;
    result.seconds = used.wall_seconds;
    check_locks(options);
    write_text_file(out, audit_json(result));
    checkpoint.remove();
    return result;
}

std::string difference_text(const AuditResult& r) {
    if (!r.first_difference) return r.files.run + " and its rerun are equal";
    const AuditDifference& d = *r.first_difference;
    return fmt::format(
        "{} and its rerun on {} differ: {} [{}]{} is {} in the file, {} rerun; {} of {} values differ",
        d.file, r.rerun.at("backend"), d.dataset, fmt::join(d.index, ", "),
        d.realization ? fmt::format(" (realization {})", *d.realization) : "", d.in_file, d.in_rerun,
        r.differences, r.values);
}

}  // namespace psflip
