#include <optional>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "run/chunk.hpp"
#include "run/older_output.hpp"
#include "run/run.hpp"
#include "run/run_file.hpp"

namespace psflip {
namespace {

/// The grid of the run that goes on from a state: that of the earlier runs, if there were any.
RunGrid grid_from(const Parameters& parameters, const std::string& state_path,
                  const StatePosition& position) {
    const RunGrid asked = run_grid(parameters);
    if (!position.grid) return asked;
    check_same_grid("the state " + state_path, *position.grid, "the configuration", asked, false,
                    "a run goes on only as it began");
    return *position.grid;
}

/// Both outputs are complete on disk before the first gets its name. The state goes first: a call that dies
/// between the two renames still has its checkpoint and makes both again.
void write_outputs(const std::string& out, const std::string& state_out, const Shape& shape,
                   const Chunk& chunk, const Usage& usage) {
    std::optional<OutputFile> state_file;
    if (!state_out.empty()) {
        state_file.emplace(state_out, schema::state, chunk.provenance);
        write_identity(*state_file, chunk.run.identity);
        write_usage(*state_file, usage);
        write_state(*state_file, shape, chunk.end);
        write_grid(*state_file, chunk.run.grid);
        state_file->finish();
    }
    OutputFile run_file(out, schema::run, chunk.provenance);
    write_run(run_file, shape, chunk.run);
    write_usage(run_file, usage);
    run_file.finish();
    if (state_file) state_file->commit();
    run_file.commit();
}

/// Where the run goes from a state.
struct Span {
    StatePosition position;
    RunGrid grid;
    std::int64_t first, last;  ///< sweeps since the end of thermalization
};

Span span_from(const Parameters& parameters, const std::string& state_path, std::int64_t until) {
    Span span{read_position(state_path), {}, 0, 0};
    span.grid = grid_from(parameters, state_path, span.position);
    span.first = span.position.measured();
    span.last = run_end(span.grid, span.first, parameters.run_sweeps, until);
    return span;
}

}  // namespace

void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, std::int64_t until, const BackendChoice& choice) {
    if (state_path.empty()) return check_thermalize(parameters, disorder_path, choice);
    const Span span = span_from(parameters, state_path, until);
    run_schedule(parameters, span.position, span.last);
    if (disorder_path.empty()) return check_state_physics(state_path, parameters);
    const RunBins bins{span.grid.block_edges(span.first, span.last)};
    const Batch batch = load_batch(parameters, disorder_path, choice, bins.count(), parameters.snapshots);
    load_state(state_path, batch.identity, batch.shape);
}

void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options) {
    UsageMeter usage;
    std::vector<NamedFile> outputs = {{"the output", out}};
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs({{"the disorder file", disorder_path}, {"the state", state_path}}, outputs);
    const Span span = span_from(parameters, state_path, until);
    Chunk chunk;
    RunData& run = chunk.run;
    run.grid = span.grid;
    run.first = span.first;
    run.last = span.last;
    run.bins = {run.grid.block_edges(run.first, run.last)};
    chunk.schedule = run_schedule(parameters, span.position, run.last);
    chunk.batch =
        load_batch(parameters, disorder_path, options.backend, run.bins.count(), parameters.snapshots);
    chunk.start = load_state(state_path, chunk.batch.identity, chunk.batch.shape);
    run.identity = chunk.batch.identity;
    run.temperatures = parameters.temperatures;
    if (!options.force) {
        check_older_run(out, run.identity, run.first, run.last);
        if (!state_out.empty()) check_older_state(state_out, run.identity, chunk.schedule.end);
    }

    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "pt-run");
    run_chunk(chunk, parameters, checkpoint, usage, {disorder_path, state_path}, options);
    check_locks(options);
    checkpoint.with_room(
        [&] { write_outputs(out, state_out, chunk.batch.shape, chunk, usage.at(chunk.schedule.end)); });
    checkpoint.remove();
}

}  // namespace psflip
