#include "run/run_loop.hpp"

#include <doctest/doctest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "unit/run/fakes.hpp"

using namespace psflip;

namespace {

/// The event order written out naively, one sweep at a time.
EventLog expected_log(const Schedule& s, const RunBins& bins) {
    EventLog log;
    for (std::int64_t done = s.start + 1; done <= s.end; ++done) {
        log.push_back("sweep " + std::to_string(done - 1));
        const bool measure = s.measure_every > 0 && (done - s.run_start) % s.measure_every == 0;
        if (measure) log.push_back("measure " + std::to_string(bins.bin(done - s.run_start)));
    }
    return log;
}

struct Fakes {
    EventLog log;
    FakeSampler sampler{log};
    FakeMeasurement measurement{log};
};

RunBins bins_of(const Schedule& s) {
    if (s.measure_every == 0) return {};
    RunBins bins;  // four, of any lengths
    for (std::int64_t i = 0; i <= 4; ++i)
        bins.edges.push_back(s.start - s.run_start + (s.end - s.start) * i / 4);
    return bins;
}

const Schedule cases[] = {
    {0, 100, 10, 0, 0, 0},       // thermalization
    {0, 105, 10, 0, 0, 0},       // ends between exchanges
    {0, 37, 0, 0, 0, 0},         // one temperature
    {100, 300, 10, 100, 20, 5},  // a run
    {105, 305, 10, 105, 20, 2},  // measurements off the exchanges
    {305, 505, 10, 105, 20, 0},  // second chunk
    {105, 612, 10, 105, 50, 3},  // not a multiple of anything
    {7, 107, 0, 7, 10, 0},      {50, 51, 1, 0, 1, 1},
};

}  // namespace

TEST_CASE("measurements on the sweeps of the schedule") {
    for (const Schedule& schedule : cases) {
        Fakes fakes;
        RunLoop loop(fakes.sampler, &fakes.measurement, schedule, bins_of(schedule));
        CHECK(loop.advance({}) == nullptr);
        CHECK(loop.completed() == schedule.end);
        CHECK(fakes.log == expected_log(schedule, bins_of(schedule)));
        CHECK(static_cast<std::int64_t>(loop.snapshots().size()) == schedule.snapshots);
        for (const Snapshot& snapshot : loop.snapshots()) {
            CHECK(snapshot.sweep % schedule.measure_every == 0);
            CHECK(snapshot.spins.bits.front() ==
                  static_cast<std::uint64_t>(snapshot.sweep + schedule.run_start));
        }
    }
}

TEST_CASE("stopped at any look and resumed, the events are the same") {
    std::mt19937 random(1);
    for (const Schedule& schedule : cases) {
        EventLog log;
        std::int64_t completed = schedule.start;
        std::vector<Snapshot> snapshots;
        int saved = 0, stops = 0;
        for (const char* reason = "start"; reason; ++stops) {
            Fakes fakes;
            RunLoop loop(fakes.sampler, &fakes.measurement, schedule, bins_of(schedule));
            loop.resume(completed, snapshots);
            LoopHooks hooks;
            hooks.stop_reason = [&] { return random() % 3 == 0 ? "test" : nullptr; };
            hooks.save_checkpoint = [&](bool stopping) { saved += stopping; };
            reason = loop.advance(hooks);
            CHECK(loop.completed() > completed);
            completed = loop.completed();
            snapshots = loop.snapshots();
            log.insert(log.end(), fakes.log.begin(), fakes.log.end());
        }
        CHECK(saved == stops - 1);
        CHECK(completed == schedule.end);
        CHECK(log == expected_log(schedule, bins_of(schedule)));
        CHECK(static_cast<std::int64_t>(snapshots.size()) == schedule.snapshots);
    }
}

TEST_CASE("a stop request with the last sweep is ignored, and nothing is done at the end already reached") {
    Fakes fakes;
    const Schedule schedule{0, 1, 10, 0, 0, 0};
    RunLoop loop(fakes.sampler, nullptr, schedule, {});
    LoopHooks hooks;
    hooks.stop_reason = [] { return "test"; };
    CHECK(loop.advance(hooks) == nullptr);
    CHECK(loop.advance(hooks) == nullptr);
    CHECK(fakes.log == EventLog{"sweep 0"});
}

TEST_CASE("looks at clock and device are rare where sweeps are fast") {
    Fakes fakes;
    const Schedule schedule{0, 1000000, 10, 0, 0, 0};
    RunLoop loop(fakes.sampler, nullptr, schedule, {});
    int looks = 0, saved = 0;
    LoopHooks hooks;
    hooks.progress = [&](std::int64_t) { ++looks; };
    hooks.save_checkpoint = [&](bool stopping) { saved += stopping ? 100000 : 1; };
    CHECK(loop.advance(hooks) == nullptr);
    CHECK(looks == fakes.sampler.ensemble().synchronized());
    CHECK(looks < 200);
    CHECK(fakes.sampler.ensemble().calls() < 100000 + 10);  // looks at 1, 5 and then at exchanges only
    CHECK(saved == 0);
}

TEST_CASE("a look does not wait for an exchange that is far away") {
    Fakes fakes;
    RunLoop loop(fakes.sampler, nullptr, {0, 2000000, 1000000, 0, 0, 0}, {});
    LoopHooks hooks;
    hooks.stop_reason = [] { return "test"; };
    CHECK(loop.advance(hooks) == std::string("test"));
    CHECK(loop.completed() == 1);
}

TEST_CASE("looks do not cut steps of several sweeps") {
    for (const std::int64_t swap : {0, 21, 700}) {
        Fakes fakes;
        Schedule schedule{0, 7000, swap, 0, 0, 0};
        schedule.sweeps_per_step = 7;
        RunLoop loop(fakes.sampler, nullptr, schedule, {});
        std::vector<std::int64_t> looks;
        LoopHooks hooks;
        hooks.progress = [&](std::int64_t completed) { looks.push_back(completed); };
        CHECK(loop.advance(hooks) == nullptr);
        CHECK(looks.front() == 7);
        for (const std::int64_t look : looks) CHECK(look % 7 == 0);
    }
}

TEST_CASE("in pieces the events are the same, with few looks, and a stop request is seen after any piece") {
    for (const Schedule& schedule : cases) {
        Fakes fakes;
        RunLoop loop(fakes.sampler, &fakes.measurement, schedule, bins_of(schedule));
        for (std::int64_t target = schedule.start; target <= schedule.end + 30; target += 30)
            CHECK(loop.advance_to(target, {}) == nullptr);
        CHECK(loop.completed() == schedule.end);
        CHECK(fakes.log == expected_log(schedule, bins_of(schedule)));
    }
    Fakes fakes;
    RunLoop loop(fakes.sampler, nullptr, {0, 9000, 10, 0, 0, 0}, {});
    for (std::int64_t target = 90; target < 9000; target += 90) loop.advance_to(target, {});
    CHECK(fakes.sampler.ensemble().synchronized() < 99 + 10);  // looks at 1, 5 and 30, then one in each piece
    LoopHooks hooks;
    hooks.stop_reason = [] { return "test"; };
    CHECK(loop.advance_to(8950, hooks) == std::string("test"));
    CHECK(loop.completed() == 8950);
    CHECK(loop.advance(hooks) == nullptr);
}

TEST_CASE("checkpoints come at every look where asked for") {
    Fakes fakes;
    RunLoop loop(fakes.sampler, nullptr, {0, 1000, 10, 0, 0, 0}, {});
    int looks = 0, saved = 0;
    LoopHooks hooks;
    hooks.checkpoint_every_seconds = 0.0;
    hooks.progress = [&](std::int64_t) { ++looks; };
    hooks.save_checkpoint = [&](bool stopping) { saved += stopping ? 100000 : 1; };
    CHECK(loop.advance(hooks) == nullptr);
    CHECK(saved == looks - 1);
}

TEST_CASE("measurements need a Measurement") {
    Fakes fakes;
    CHECK_THROWS_AS(RunLoop(fakes.sampler, nullptr, {0, 10, 10, 0, 5, 0}, {}), std::invalid_argument);
}
