#include <doctest/doctest.h>

#include <optional>
#include <random>

#include "evolution/sampler_state.hpp"
#include "lattice/packing.hpp"
#include "run/run_loop.hpp"
#include "run/simulation.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;

namespace {

struct Result {
    SimulationState state;
    Accumulators accumulators;
    std::vector<Snapshot> snapshots;
    int stops = 0;
    bool operator==(const Result& other) const {
        return state == other.state && accumulators == other.accumulators && snapshots == other.snapshots;
    }
};

/// Thermalization and run from the random start, stopped after looks chosen by `stop` and resumed from a
/// checkpoint file by a new simulation every time.
Result run_all(const Parameters& p, const std::string& out, const std::function<bool()>& stop) {
    const Batch batch = small_batch(p);
    const std::int64_t run_start = p.thermalize_sweeps;
    Schedule thermalization{0, run_start, p.dynamics.sweeps_per_swap, 0, 0, 0};
    Schedule run{run_start, run_start + p.run_sweeps, p.dynamics.sweeps_per_swap,
                 run_start, p.run.measure_every,      p.run.snapshots};
    const RunBins bins{run_grid(p).block_edges(0, p.run_sweeps)};
    Result result;
    result.state = {0, -1, {random_spins(batch.shape, p.seed)}, initial_sampler_state(batch.shape)};
    for (const bool measuring : {false, true}) {
        const Schedule& schedule = measuring ? run : thermalization;
        CheckpointFile file(out, batch, measuring ? "until: 120\n" : "thermalize.sweeps: 33\n",
                            measuring ? bins : RunBins{}, p.run.histogram_bins);
        for (const char* reason = "start"; reason;) {
            Simulation simulation =
                make_simulation(setup_of(p, batch, one_thread()), p, measuring ? bins.count() : 0);
            RunLoop loop(*simulation.sampler, simulation.measurement.get(), schedule,
                         measuring ? bins : RunBins{});
            if (file.exists()) {
                Checkpoint saved = file.load();
                simulation.set(saved.state);
                if (measuring) simulation.measurement->set_accumulators(saved.accumulators);
                loop.resume(saved.state.sweep, saved.snapshots);
            } else {
                simulation.set(result.state);
            }
            LoopHooks hooks;
            hooks.stop_reason = [&] { return stop() ? "test" : nullptr; };
            hooks.save_checkpoint = [&](bool) {
                ++result.stops;
                const Accumulators sums = measuring ? simulation.measurement->accumulators() : Accumulators{};
                file.save(simulation.state(loop.completed(), measuring ? run_start : -1), sums,
                          loop.snapshots(), {}, {});
            };
            reason = loop.advance(hooks);
            if (reason) continue;
            result.state = simulation.state(schedule.end, run_start);
            if (measuring) result.accumulators = simulation.measurement->accumulators();
            result.snapshots = loop.take_snapshots();
        }
        file.remove();
    }
    return result;
}

}  // namespace

TEST_CASE("stopped at random points and resumed from files is the same as never stopped, bit for bit") {
    std::mt19937 random(3);
    for (const auto& [replicas, share] : {std::pair{2, 32}, {1, 64}, {3, 128}, {2, 1}}) {
        CAPTURE(replicas);
        CAPTURE(share);
        TemporaryFolder folder;
        const Parameters p = small_parameters(replicas, share);
        const Result whole = run_all(p, folder.file("run.h5"), [] { return false; });
        CHECK(whole.stops == 0);
        CHECK(whole.accumulators.count.back() == 3);
        CHECK(whole.snapshots.size() == 2);
        for (int repeat = 0; repeat < 3; ++repeat) {
            const Result pieces = run_all(p, folder.file("run.h5"), [&] { return random() % 2 == 0; });
            CHECK(pieces.stops > 1);
            CHECK(pieces == whole);
        }
        CHECK(folder.files() == 0);
    }
}

TEST_CASE("with one temperature there is nothing to exchange, and checkpoints work as well") {
    TemporaryFolder folder;
    Parameters p = small_parameters();
    p.temperatures = {1.3};
    const Result whole = run_all(p, folder.file("run.h5"), [] { return false; });
    int looks = 0;
    const Result pieces = run_all(p, folder.file("run.h5"), [&] { return ++looks % 2 == 0; });
    CHECK(pieces.stops > 0);
    CHECK(pieces == whole);
}

TEST_CASE("counts of Houdayer moves continue from checkpoints") {
    TemporaryFolder folder;
    Parameters p = small_parameters(3);
    p.dynamics.houdayer_every = 3, p.dynamics.houdayer_below = 1.2;
    const Result whole = run_all(p, folder.file("run.h5"), [] { return false; });
    int looks = 0;
    const Result pieces = run_all(p, folder.file("run.h5"), [&] { return ++looks % 2 == 0; });
    CHECK(pieces.stops > 0);
    CHECK(pieces == whole);
    const HoudayerCounts counts = houdayer_counts_of(whole.state.sampler, small_batch(p).shape);
    CHECK(counts.moves == std::vector<std::int64_t>{51, 51, 0, 0});
}

TEST_CASE("counts of a run are those since its start") {
    const Shape shape{4, 2, 2, 1, 0, 32};
    TemperingState start = initial_tempering(shape), end = start;
    start.accepted = {1, 2}, start.attempted = {3}, start.round_trips = {5, 0};
    end.accepted = {4, 2}, end.attempted = {13}, end.round_trips = {9, 1};
    CHECK(counts_between({{group_of(start, shape)}}, {{group_of(end, shape)}}) ==
          TemperingState{{}, {}, {3, 0}, {10}, {4, 1}});
    const SamplerState none{{group_of(start, shape)}};
    HoudayerCounts before(1, 2), after(1, 2);
    before.moves = {3, 0}, before.clusters = {2, 0}, before.sites = {9, 0};
    after.moves = {7, 0}, after.clusters = {5, 0}, after.sites = {30, 0};
    const SamplerState from{{group_of(before, shape)}}, to{{group_of(after, shape)}};
    HoudayerCounts expected(1, 2);
    expected.moves = {4, 0}, expected.clusters = {3, 0}, expected.sites = {21, 0};
    CHECK(houdayer_between(from, to, shape) == expected);
    CHECK(houdayer_between(none, to, shape) == after);
    CHECK(!houdayer_between(none, none, shape).known());
}
