#include "run/checkpoint.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "evolution/sampler_state.hpp"
#include "lattice/packing.hpp"
#include "run/run_file.hpp"
#include "unit/messages.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

constexpr const char* lines = "thermalize.sweeps: 33\n";

SimulationState some_state(const Parameters& p, const Shape& shape) {
    TemperingState tempering = initial_tempering(shape);
    tempering.accepted.front() = 4;
    tempering.attempted.back() = 9;
    tempering.round_trips.back() = 1;
    tempering.last_end.back() = 2;
    std::swap(tempering.walker[0], tempering.walker[1]);
    return {17, -1, {random_spins(shape, p.seed)}, {{group_of(tempering, shape)}}};
}

}  // namespace

TEST_CASE("a checkpoint gives back all that was saved") {
    TemporaryFolder folder;
    for (const int replicas : {1, 2}) {
        const Parameters p = small_parameters(replicas);
        const Batch batch = small_batch(p);
        const RunGrid grid = run_grid(p);
        const RunBins bins{grid.block_edges(0, p.run_sweeps)};
        Checkpoint saved{some_state(p, batch.shape),
                         empty_accumulators(batch.shape, {}, bins.count(), p.run.histogram_bins),
                         {},
                         {}};
        saved.accumulators.integers[int(Sum::energy)].back() = -77;
        saved.accumulators.reals[int(Sum::energy2)].front() = 0.1;
        saved.accumulators.count.back() = 3;
        saved.accumulators.histogram.back() = 8;
        saved.snapshots = {{10, saved.state.spins}, {20, saved.state.spins}};
        saved.snapshots.back().spins.bits.front() ^= 1;
        CheckpointFile file(folder.file("run.h5"), batch, lines, bins, p.run.histogram_bins);
        CHECK_FALSE(file.exists());
        file.save(saved.state, saved.accumulators, saved.snapshots, {}, {});
        CHECK(file.path() == folder.file("run.h5.checkpoint.h5"));
        const Checkpoint loaded = file.load();
        CHECK(loaded.state == saved.state);
        CHECK(loaded.accumulators == saved.accumulators);
        CHECK(loaded.snapshots == saved.snapshots);
        file.remove();
        CHECK_FALSE(file.exists());
        file.remove();
    }
}

TEST_CASE("a checkpoint of another call is refused with key, both values and the remedy") {
    TemporaryFolder folder;
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    const std::string out = folder.file("state.h5");
    CheckpointFile(out, batch, lines).save(some_state(p, batch.shape), {}, {}, {}, {});

    Batch other = batch;
    const auto refused = [&](const std::string& call_lines) {
        return message_of<InputError>([&] { CheckpointFile(out, other, call_lines).load(); });
    };
    const std::string message = refused("thermalize.sweeps: 44\n");
    CHECK(contains(message, out + ".checkpoint.h5"));
    CHECK(contains(message, "thermalize.sweeps = 33"));
    CHECK(contains(message, "thermalize.sweeps = 44"));
    CHECK(contains(message, "delete the checkpoint"));

    other.identity.couplings_hash[0] ^= 1;
    CHECK(contains(refused(lines), "couplings"));
    other = batch;
    other.identity.first_realization = 0;
    CHECK(contains(refused(lines), "first_realization = 64"));
    Parameters warmer = p;
    warmer.temperatures[1] = 1.2;
    other = batch;
    other.identity.physics = warmer.physics_yaml();
    CHECK(contains(refused(lines), "temperatures"));
}

TEST_CASE("a broken checkpoint is refused with the remedy") {
    TemporaryFolder folder;
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    CheckpointFile file(folder.file("state.h5"), batch, lines);
    const auto load = [&] { file.load(); };
    std::ofstream(file.path()) << "not a checkpoint";
    CHECK(contains(message_of<InputError>(load), "delete this checkpoint"));
    CHECK(contains(message_of<InputError>([&] { file.exists(); }), "move it away"));
    CHECK(
        contains(message_of<EnvironmentError>([&] { file.save(some_state(p, batch.shape), {}, {}, {}, {}); }),
                 "not a checkpoint of psflip"));
    file.remove();
    CHECK(folder.files() == 1);
    std::filesystem::remove(file.path());
    file.save(some_state(p, batch.shape), {}, {}, {}, {});
    CHECK_NOTHROW(load());
    const auto size = std::filesystem::file_size(file.path());
    for (const double part : {0.9, 0.5, 0.1}) {
        std::filesystem::resize_file(file.path(),
                                     static_cast<std::uintmax_t>(part * static_cast<double>(size)));
        CHECK(contains(message_of<InputError>(load), "delete this checkpoint"));
    }
    std::filesystem::remove(file.path());  // too little is left of it to tell whose it is
    SimulationState impossible = some_state(p, batch.shape);
    TemperingState tempering = tempering_of(impossible.sampler);
    tempering.walker[0] = tempering.walker[1];
    impossible.sampler = {{group_of(tempering, batch.shape)}};
    file.save(impossible, {}, {}, {}, {});
    CHECK(contains(message_of<InputError>(load), "a walker at two temperatures"));
}

TEST_CASE("the checkpoint before stands in for a damaged newest one, and is never lost to it") {
    TemporaryFolder folder;
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    const std::string out = folder.file("state.h5");
    const auto make = [&] { return CheckpointFile(out, batch, lines); };
    const auto save = [&](CheckpointFile& file, std::int64_t sweep) {
        SimulationState state = some_state(p, batch.shape);
        state.sweep = sweep;
        file.save(state, {}, {}, {}, {1e6, 2.0, 1, {}, ""});
    };
    const auto cut = [](const std::string& path) {
        std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    };
    CheckpointFile file = make();
    save(file, 10);
    CHECK(folder.files() == 1);
    save(file, 20);
    CHECK(folder.files() == 2);
    CHECK(make().load().state.sweep == 20);
    CHECK(make().load().usage.flips == 1e6);
    cut(file.path());
    CheckpointFile second = make();
    CHECK(second.load().state.sweep == 10);
    CHECK(second.loaded_path() == file.previous_path());
    save(second, 15);
    CHECK(second.load().state.sweep == 15);
    std::filesystem::remove(file.path());
    CHECK(make().load().state.sweep == 10);  // not the damaged one
    save(second, 16);
    CHECK(make().load().state.sweep == 16);
    cut(file.path());
    cut(file.previous_path());
    const std::string message = message_of<InputError>([&] { make().load(); });
    CHECK(contains(message, file.path()));
    CHECK(contains(message, file.previous_path()));
    CHECK(contains(message, "delete both"));
    file.remove();
    CHECK(folder.files() == 0);
}

TEST_CASE("a state is taken only by the configuration, disorder and batch that made it") {
    TemporaryFolder folder;
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    const std::string path = folder.file("state.h5");
    SimulationState state = some_state(p, batch.shape);
    const RunGrid grid = run_grid(p);
    const auto save = [&](bool with_grid = false) {
        OutputFile file(path, "state", {}, run_datasets(3, false));
        write_identity(file, batch.identity);
        write_state(&file, batch.shape, state);
        if (with_grid) write_grid(file, grid);
        file.commit();
    };
    save();
    CHECK(contains(message_of<InputError>([&] { read_position(path); }), "not complete"));
    state.run_start = 17;
    save();
    CHECK(load_state(path, batch.identity, batch.shape) == state);
    CHECK(read_position(path).measured() == 0);
    CHECK_FALSE(read_position(path).grid);
    state.sweep = 17 + 2 * p.run_sweeps;
    save(true);
    CHECK(read_position(path).measured() == 2 * p.run_sweeps);
    CHECK(read_position(path).grid == grid);
    save();  // sweeps after thermalization, but no grid
    CHECK(contains(message_of<InputError>([&] { read_position(path); }), "240 sweeps after thermalization"));
    ++state.sweep;
    save(true);
    CHECK(contains(message_of<InputError>([&] { read_position(path); }), "241 sweeps after thermalization"));
    state.sweep = 17;
    save();
    for (const auto& change : std::vector<std::function<void(BatchIdentity&)>>{
             [](BatchIdentity& i) { i.first_realization += 128; },
             [](BatchIdentity& i) { i.realizations = 69; },
             [](BatchIdentity& i) { i.couplings_hash[0] ^= 1; },
             [](BatchIdentity& i) { i.physics += "more: 1\n"; }}) {
        BatchIdentity identity = batch.identity;
        change(identity);
        CHECK(contains(message_of<InputError>([&] { load_state(path, identity, batch.shape); }),
                       "but this call has"));
    }
    state.sweep = 5;
    save();
    CHECK(contains(message_of<InputError>([&] { load_state(path, batch.identity, batch.shape); }),
                   "contradict"));
}

TEST_CASE("the hash of a state sees every part of it") {
    const Parameters p = small_parameters();
    const SimulationState state = some_state(p, small_batch(p).shape);
    const std::string hash = state_hash(state);
    CHECK(state_hash(SimulationState(state)) == hash);
    for (const auto& change : std::vector<std::function<void(SimulationState&)>>{
             [](SimulationState& s) { ++s.sweep; }, [](SimulationState& s) { ++s.run_start; },
             [](SimulationState& s) { s.spins.bits.back() ^= 1; }}) {
        SimulationState other = state;
        change(other);
        CHECK(state_hash(other) != hash);
    }
    for (std::size_t i = 0; i < state.sampler.groups[0].arrays.size(); ++i) {
        SimulationState other = state;
        std::visit([](auto& values) { ++values.back(); }, other.sampler.groups[0].arrays[i].values);
        CHECK(state_hash(other) != hash);
    }
}
