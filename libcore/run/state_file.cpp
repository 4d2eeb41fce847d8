#include "run/state_file.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "config/physics_text.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

constexpr const char* state_remedy =
    "a state goes on only with the disorder file and the configuration that made it: give those, or run "
    "thermalize again";

Extents per_slot(const Shape& s) {
    return {s.realizations, s.replicas, s.temperatures};
}
Extents per_pair(const Shape& s) {
    return {s.realizations, s.replicas, s.temperatures - 1};
}

/// A walker array must be a permutation of the slots for every realization and replica.
void check_tempering(const InputFile& file, const Shape& shape, const TemperingState& tempering) {
    const auto slots = static_cast<std::size_t>(shape.temperatures);
    for (std::size_t begin = 0; begin < tempering.walker.size(); begin += slots) {
        std::uint64_t seen = 0;
        for (std::size_t t = 0; t < slots; ++t) {
            const unsigned walker = tempering.walker[begin + t];
            if (walker >= slots || (seen >> walker & 1u) || tempering.last_end[begin + t] > 2)
                throw InputError(file.path() +
                                 ": /tempering/walker or /tempering/last_end holds impossible values");
            seen |= std::uint64_t{1} << walker;
        }
    }
}

/// /sweep and /run_start.
std::pair<std::int64_t, std::int64_t> read_sweeps(const InputFile& file) {
    const auto read = [&](const char* dataset, std::int64_t low) {
        return read_in_range<std::int64_t>(file, dataset, {1}, {low, limits::sweeps}).front();
    };
    const std::int64_t sweep = read(schema::sweep, 0), run_start = read(schema::run_start, -1);
    if (run_start > sweep)
        throw InputError(fmt::format("{}: sweep {} and run_start {} contradict each other", file.path(),
                                     sweep, run_start));
    return {sweep, run_start};
}

}  // namespace

std::string BatchIdentity::lines() const {
    return physics + (physics.empty() || physics.back() == '\n' ? "" : "\n") +
           fmt::format("first_realization: {}\nrealizations: {}\nhash of the couplings: {}\n",
                       first_realization, realizations, couplings_hash);
}

Shape batch_shape(const Parameters& p, std::int64_t first_realization, std::int64_t realizations) {
    Shape shape{p.L, p.replicas, p.n_temperatures(), realizations, first_realization, p.share, p.dimension};
    if (p.lanes == "replicas") shape.coding = Lanes::replicas;
    if (p.lanes == "sites") shape.coding = Lanes::sites;
    shape.tile = p.tile;
    shape.hits = p.hits;
    if (p.has_vectors()) {
        shape.form = p.vectors.precision == "double" ? SpinForm::doubles : SpinForm::floats;
        shape.components = 3;
    }
    return shape;
}

void write_identity(OutputFile& file, const BatchIdentity& identity) {
    write_batch_attributes(file, identity.first_realization, identity.realizations, identity.L,
                           identity.physics, identity.couplings_origin);
    file.attribute(schema::couplings_hash, identity.couplings_hash);
}

BatchIdentity read_identity(const InputFile& file) {
    const BatchAttributes batch = read_batch_attributes(file);
    return {batch.first_realization, batch.realizations, batch.L, batch.physics, read_couplings_hash(file)};
}

void write_state(OutputFile* file, const Shape& shape, const SimulationState& state, Ranks& ranks) {
    write_spins(file, schema::spins, shape, state.spins, ranks);
    first_does(ranks, [&] {
        file->write(schema::sweep, {1}, &state.sweep, Storage::plain);
        file->write(schema::run_start, {1}, &state.run_start, Storage::plain);
        const TemperingState& t = state.tempering;
        file->write(schema::tempering_walker, per_slot(shape), t.walker.data());
        file->write(schema::tempering_last_end, per_slot(shape), t.last_end.data());
        file->write(schema::tempering_accepted, per_pair(shape), t.accepted.data());
        file->write(schema::tempering_attempted, {shape.temperatures - 1}, t.attempted.data());
        file->write(schema::tempering_round_trips, {shape.realizations, shape.replicas},
                    t.round_trips.data());
        if (!shape.has_vectors()) return;
        file->write(schema::moves_width, per_slot(shape), state.moves.widths);
        file->write(schema::moves_renewed, per_slot(shape), state.moves.renewed);
    });
}

SimulationState read_state(const InputFile& file, const Shape& shape) {
    SimulationState state;
    file.require_shape(schema::spins, canonical_extents(shape));
    state.spins = read_spins(file, schema::spins, shape);
    std::tie(state.sweep, state.run_start) = read_sweeps(file);
    TemperingState& t = state.tempering;
    t.walker = read_with_extents<std::uint8_t>(file, schema::tempering_walker, per_slot(shape));
    t.last_end = read_with_extents<std::uint8_t>(file, schema::tempering_last_end, per_slot(shape));
    const Range<std::int64_t> exchanges{0, state.sweep};  // at most one of a pair, and one trip, per sweep
    t.accepted = read_in_range(file, schema::tempering_accepted, per_pair(shape), exchanges);
    t.attempted = read_in_range(file, schema::tempering_attempted, {shape.temperatures - 1}, exchanges);
    t.round_trips =
        read_in_range<std::int64_t>(file, schema::tempering_round_trips, {shape.realizations, shape.replicas},
                                    {0, shape.temperatures * state.sweep});
    check_tempering(file, shape, t);
    if (shape.has_vectors()) {
        state.moves.widths =
            read_in_range<double>(file, schema::moves_width, per_slot(shape), {least_width, 2.0});
        state.moves.renewed = read_in_range<std::int64_t>(file, schema::moves_renewed, per_slot(shape),
                                                          {0, state.sweep * shape.sites()});
    }
    return state;
}

std::string state_hash(const SimulationState& state, const Shape& shape, Ranks& ranks) {
    Hasher hash;
    const auto add = [&hash](const auto& values) {
        hash.add(values.data(), values.size() * sizeof values[0]);
    };
    const TemperingState& t = state.tempering;
    hash.add(&state.sweep, sizeof state.sweep);
    hash.add(&state.run_start, sizeof state.run_start);
    gather_spins(shape, state.spins, ranks,
                 [&](const Box&, std::span<const std::uint64_t> words) { add(words); });
    add(t.walker);
    add(t.last_end);
    add(t.accepted);
    add(t.attempted);
    add(t.round_trips);
    if (shape.has_vectors()) add(state.moves.widths), add(state.moves.renewed);
    return of_first(ranks, hash.hex());
}

void check_state_physics(const std::string& path, const Parameters& parameters) {
    check_same_physics("state " + path, without_lanes(read_identity(InputFile(path, schema::state)).physics),
                       "the configuration", without_lanes(parameters.physics_yaml()), state_remedy);
}

SimulationState load_state(const std::string& path, const BatchIdentity& identity, const Shape& shape,
                           int threads) {
    const InputFile file(path, schema::state, threads);
    check_same_physics("state " + path, without_lanes(read_identity(file).lines()), "this call",
                       without_lanes(identity.lines()), state_remedy);
    return read_state(file, shape);
}

StatePosition read_position(const std::string& path) {
    const InputFile file(path, schema::state);
    const auto [sweep, run_start] = read_sweeps(file);
    if (run_start < 0) throw InputError(path + ": the thermalization of this state is not complete");
    const StatePosition position{sweep, run_start, read_grid(file)};
    const bool on_grid = position.grid ? position.grid->is_end(position.measured()) : sweep == run_start;
    if (!on_grid)
        throw InputError(
            fmt::format("{}: no run ends {} sweeps after thermalization, where this state stands", path,
                        position.measured()));
    return position;
}

}  // namespace psflip
