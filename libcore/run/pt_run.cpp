#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/stop.hpp"
#include "io/schema.hpp"
#include "run/chunk.hpp"
#include "run/hottest_slot.hpp"
#include "run/run.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

/// Returns the grid of the earlier runs of a state, or, if there were none, the grid of the parameters.
RunGrid grid_from(const Parameters& parameters, const std::string& state_path,
                  const StatePosition& position) {
    const RunGrid asked = run_grid(parameters);
    if (!position.grid) return asked;
    check_same_grid("the state " + state_path, *position.grid, "the configuration", asked, false,
                    "a run continues only with the keys it began with");
    return *position.grid;
}

/// Adds the memory of the hottest slot to the run if it is tested. A stop request is obeyed from a second
/// after the beginning on: it saves a checkpoint of the end of the run and throws Stopped. The call that
/// resumes from there ignores the time limit, so that calls with a short limit get to the end, too.
void add_hottest_slot(SimulationCall& chunk, CheckpointFile& checkpoint, const RunOptions& options) {
    if (!chunk.keeps_couplings) return;
    const bool again = checkpoint.sweep() == chunk.schedule.end;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const char* reason = nullptr;
    const auto stop = [&] {
        reason = stop_reason_of_ranks(*options.ranks,
                                      std::chrono::steady_clock::now() < patience ? nullptr : stop_reason());
        return reason && !(again && reason == std::string_view("time limit"));
    };
    auto hottest = simulate_hottest_slot(chunk.parameters, chunk.batch, chunk.end.spins.bits, chunk.run.last,
                                         options.backend, stop);
    if (!hottest) {
        check_locks(options);
        checkpoint.save(chunk.end, chunk.run.accumulators, chunk.run.snapshots, chunk.provenance,
                        chunk.usage.at(chunk.schedule.end));
        const std::int64_t all = chunk.schedule.end - chunk.schedule.start;
        throw_stopped(reason, all, all);
    }
    chunk.run.hottest = std::move(*hottest);
    chunk.batch.couplings = {};
    log_step("test the hottest slot");
}

/// Returns a call that goes from the state to `until`, without its batch. Collective.
SimulationCall planned_chunk(const Parameters& parameters, const std::string& state_path, std::int64_t until,
                             const RunOptions& options) {
    check_backend(parameters, options);
    SimulationCall chunk;
    chunk.parameters = parameters;
    all_do(*options.ranks, [&] {
        const StatePosition position = read_position(state_path);
        RunRange range{position.measured(), 0, grid_from(parameters, state_path, position)};
        range.last = run_end(range.grid, range.first, parameters.run_sweeps, until);
        plan_run(chunk, position, range);
    });
    return chunk;
}

/// Loads batch and state, and checks the outputs; an empty name stands for none. Collective.
void load_chunk(SimulationCall& chunk, const std::string& disorder_path, const std::string& state_path,
                const std::string& out, const std::string& state_out, const RunOptions& options) {
    RunData& run = chunk.run;
    const std::int64_t snapshots = chunk.schedule.snapshots;
    Ranks& ranks = *options.ranks;
    chunk.batch = load_batch(chunk.parameters, disorder_path, options.backend, run.bins.count(), snapshots,
                             ranks, options.order);
    check_couplings(chunk, disorder_path, options);
    log_step("check couplings");
    all_do(ranks, [&] {
        chunk.start = load_state(state_path, chunk.batch.identity, chunk.batch.shape, chunk.batch.threads);
    });
    log_step("read the state");
    chunk.keeps_couplings = tests_hottest_slot(chunk.batch.shape, run.measured);
    run.identity = chunk.batch.identity;
    first_does(ranks, [&] {
        if (options.force) return;
        if (!out.empty()) check_existing_run(out, run.identity, {run.first, run.last, run.grid}, snapshots);
        if (!state_out.empty()) check_existing_state(state_out, run.identity, chunk.schedule.end);
    });
}

}  // namespace

void check_pt_run(const Parameters& parameters, const std::string& disorder_path,
                  const std::string& state_path, const std::string& out, const std::string& state_out,
                  std::int64_t until, const RunOptions& options) {
    if (state_path.empty()) return check_thermalize(parameters, disorder_path, "", options);
    SimulationCall chunk = planned_chunk(parameters, state_path, until, options);
    if (disorder_path.empty())
        return all_do(*options.ranks, [&] { check_state_physics(state_path, parameters); });
    load_chunk(chunk, disorder_path, state_path, out, state_out, options);
    if (out.empty()) return;
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "pt-run");
    if (checkpoint.exists()) checkpoint.load();
}

void pt_run(const Parameters& parameters, const std::string& disorder_path, const std::string& state_path,
            const std::string& out, const std::string& state_out, std::int64_t until,
            const RunOptions& options) {
    std::vector<NamedFile> outputs = {{"the output", out}};
    if (!state_out.empty()) outputs.push_back({"the state at the end", state_out});
    check_outputs({{"the disorder file", disorder_path}, {"the state", state_path}}, outputs, *options.ranks);
    SimulationCall chunk = planned_chunk(parameters, state_path, until, options);
    log_step("plan the run");
    load_chunk(chunk, disorder_path, state_path, out, state_out, options);
    CheckpointFile checkpoint = chunk_checkpoint(chunk, out, "pt-run");
    log_step("hash the state");
    run_chunk(chunk, checkpoint, {disorder_path, state_path}, options);
    add_hottest_slot(chunk, checkpoint, options);
    Ranks& ranks = *options.ranks;
    const CallOutput state = state_output(chunk, state_out, [&](OutputFile* file) {
        first_does(ranks, [&] { write_grid(*file, chunk.run.grid); });
    });
    const CallOutput run = {out, schema::run, state.datasets, [&](OutputFile* file) {
                                ThreadPool pool(ranks.is_first() ? chunk.batch.threads : 1);
                                write_run(file, chunk.batch.shape, chunk.run, ranks, pool);
                            }};
    write_outputs(chunk, {state, run}, checkpoint, options);
}

}  // namespace psflip
