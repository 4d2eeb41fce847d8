#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "run/chunk.hpp"
#include "run/hottest_slot.hpp"
#include "run/older_output.hpp"
#include "run/run.hpp"
#include "run/run_datasets.hpp"
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
    const DatasetTable datasets = run_datasets(shape.dimension, chunk.run.measured.field);
    std::optional<OutputFile> state_file;
    if (!state_out.empty()) {
        state_file.emplace(state_out, schema::state, chunk.provenance, datasets);
        write_identity(*state_file, chunk.run.identity);
        write_usage(*state_file, usage);
        write_state(*state_file, shape, chunk.end);
        write_grid(*state_file, chunk.run.grid);
        state_file->finish();
    }
    OutputFile run_file(out, schema::run, chunk.provenance, datasets);
    write_run(run_file, shape, chunk.run);
    write_usage(run_file, usage);
    run_file.finish();
    if (state_file) state_file->commit();
    run_file.commit();
}

/// Adds the memory of the hottest slot to the run. A stop request is obeyed from a second after the beginning
/// on: it saves a checkpoint of the end of the run and throws Stopped. In the call that goes on from there
/// the time limit counts no more, so that calls with a short one get to the end, too.
void add_hottest_slot(Chunk& chunk, const Parameters& parameters, CheckpointFile& checkpoint,
                      const UsageMeter& usage, const RunOptions& options) {
    if (chunk.batch.shape.temperatures < 2) return;
    const bool again = checkpoint.sweep() == chunk.schedule.end;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const char* reason = nullptr;
    const auto stop = [&] {
        reason = std::chrono::steady_clock::now() < patience ? nullptr : stop_reason();
        return reason && !(again && reason == std::string_view("time limit"));
    };
    auto hottest = simulate_hottest_slot(parameters, chunk.batch, chunk.end.spins, chunk.run.last,
                                         options.backend, stop);
    if (!hottest) {
        check_locks(options);
        checkpoint.save(chunk.end, chunk.run.accumulators, chunk.run.snapshots, chunk.provenance,
                        usage.at(chunk.schedule.end));
        const std::int64_t all = chunk.schedule.end - chunk.schedule.start;
        throw Stopped(fmt::format(
            "stopped by {} at sweep {} of {}; checkpoint saved; run the same command again to go on", reason,
            all, all));
    }
    chunk.run.hottest = std::move(*hottest);
    chunk.batch.couplings = {};
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

/// All that the work needs, loaded, with outputs that may be written; an empty name stands for none.
Chunk load_chunk(const Parameters& parameters, const std::string& disorder_path,
                 const std::string& state_path, const std::string& out, const std::string& state_out,
                 const Span& span, const RunOptions& options) {
    Chunk chunk;
    RunData& run = chunk.run;
    run.grid = span.grid;
    run.measured = measured_by(parameters);
    run.first = span.first;
    run.last = span.last;
    run.bins = {run.grid.block_edges(run.first, run.last)};
    chunk.schedule = run_schedule(parameters, span.position, run.last);
    chunk.batch =
        load_batch(parameters, disorder_path, options.backend, run.bins.count(), parameters.snapshots);
    chunk.start = load_state(state_path, chunk.batch.identity, chunk.batch.shape);
    run.identity = chunk.batch.identity;
    run.temperatures = parameters.temperatures;
    if (!options.force && !out.empty())
        check_older_run(out, run.identity, {run.first, run.last, run.grid, parameters.snapshots});
    if (!options.force && !state_out.empty()) check_older_state(state_out, run.identity, chunk.schedule.end);
    return chunk;
}

}  // namespace

void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, const std::string& out, const std::string& state_out,
                  std::int64_t until, const RunOptions& options) {
    if (state_path.empty()) return check_thermalize(parameters, disorder_path, "", options);
    const Span span = span_from(parameters, state_path, until);
    run_schedule(parameters, span.position, span.last);
    if (disorder_path.empty()) return check_state_physics(state_path, parameters);
    const Chunk chunk = load_chunk(parameters, disorder_path, state_path, out, state_out, span, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "pt-run");
    if (checkpoint.exists()) checkpoint.load();
}

void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options) {
    UsageMeter usage;
    std::vector<NamedFile> outputs = {{"the output", out}};
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs({{"the disorder file", disorder_path}, {"the state", state_path}}, outputs);
    const Span span = span_from(parameters, state_path, until);
    Chunk chunk = load_chunk(parameters, disorder_path, state_path, out, state_out, span, options);
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "pt-run");
    run_chunk(chunk, parameters, checkpoint, usage, {disorder_path, state_path}, options);
    add_hottest_slot(chunk, parameters, checkpoint, usage, options);
    check_locks(options);
    checkpoint.with_room(
        [&] { write_outputs(out, state_out, chunk.batch.shape, chunk, usage.at(chunk.schedule.end)); });
    checkpoint.remove();
}

}  // namespace psflip
