#include "run/state_file.hpp"

#include <fmt/format.h>

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "config/physics_text.hpp"
#include "io/batch_attributes.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

constexpr const char* state_remedy =
    "a state continues only with the disorder file and the configuration that made it: give these two, or "
    "run thermalize again";

std::string path_of(const StateGroup& group) {
    return "/" + group.kind;
}
std::string version_of(const StateGroup& group) {
    return path_of(group) + "@version";
}

/// Reads the arrays of a group, after `sweep` sweeps, from the file.
void read_group(const InputFile& file, StateGroup& group, std::int64_t sweep) {
    const std::int64_t version = file.integer_attribute(version_of(group), 0, limits::sweeps);
    if (version != group.version)
        throw InputError(fmt::format("{}: group {} has version {}; this psflip reads version {}", file.path(),
                                     path_of(group), version, group.version));
    for (StateArray& array : group.arrays)
        std::visit(
            [&](auto& values) {
                using T = typename std::decay_t<decltype(values)>::value_type;
                const double high = array.high + array.high_per_sweep * static_cast<double>(sweep);
                values = read_in_range<T>(file, state_dataset(group, array), array.extents,
                                          {static_cast<T>(array.low), static_cast<T>(high)});
            },
            array.values);
}

/// Reads /sweep and /run_start.
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

std::string state_dataset(const StateGroup& group, const StateArray& array) {
    return path_of(group) + "/" + array.name;
}

std::string BatchIdentity::lines() const {
    return physics + (physics.empty() || physics.back() == '\n' ? "" : "\n") +
           fmt::format("first_realization: {}\nrealizations: {}\nhash of the couplings: {}\n",
                       first_realization, realizations, couplings_hash);
}

Shape batch_shape(const Parameters& p, std::int64_t first_realization, std::int64_t realizations) {
    Shape shape{p.L,
                p.replicas,
                p.n_temperatures(),
                realizations,
                first_realization,
                p.multispin.share,
                p.model.dimension};
    shape.coding = p.multispin.lanes;
    shape.tile = p.dynamics.tile;
    shape.hits = p.dynamics.hits;
    shape.tile_order = p.dynamics.tile_order;
    if (p.model.has_vectors()) {
        shape.form = p.dynamics.precision == Precision::twofold ? SpinForm::doubles : SpinForm::floats;
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
    first_does(ranks, [&] { create_spins(*file, schema::spins, shape); });
    write_spins(file, schema::spins, shape, state.spins, ranks);
    first_does(ranks, [&] {
        file->write(schema::sweep, {1}, &state.sweep, Storage::plain);
        file->write(schema::run_start, {1}, &state.run_start, Storage::plain);
        for (const StateGroup& group : state.sampler.groups) {
            for (const StateArray& array : group.arrays)
                std::visit(
                    [&](const auto& values) {
                        file->write(state_dataset(group, array), array.extents, values);
                    },
                    array.values);
            file->attribute(version_of(group), group.version);
        }
    });
}

SimulationState read_state(const InputFile& file, const Shape& shape) {
    SimulationState state;
    state.spins = read_spins(file, schema::spins, shape);
    std::tie(state.sweep, state.run_start) = read_sweeps(file);
    state.sampler = initial_sampler_state(shape);
    if (StateGroup houdayer = group_of(HoudayerCounts(shape.realizations, shape.temperatures), shape);
        file.has(path_of(houdayer)))
        state.sampler.groups.push_back(std::move(houdayer));
    for (StateGroup& group : state.sampler.groups) read_group(file, group, state.sweep);
    if (const std::string problem = problem_of(state.sampler, shape); !problem.empty())
        throw InputError(file.path() + ": " + problem);
    return state;
}

std::string state_hash(const SimulationState& state, const Shape& shape, Ranks& ranks) {
    Hasher hash;
    const auto add = [&hash](const auto& values) {
        hash.add(values.data(), values.size() * sizeof values[0]);
    };
    hash.add(&state.sweep, sizeof state.sweep);
    hash.add(&state.run_start, sizeof state.run_start);
    const auto add_box = [&](const Box&, const auto& words) { add(words); };
    if (shape.has_vectors())
        gather_spins(shape, state.spins.vectors, ranks, add_box);
    else
        gather_spins(shape, state.spins.bits, ranks, add_box);
    for (const StateGroup& group : state.sampler.groups)
        for (const StateArray& array : group.arrays) std::visit(add, array.values);
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

void check_existing_state(const std::string& path, const BatchIdentity& identity, std::int64_t sweep,
                          const std::string& relaxation) {
    check_existing_file(path, schema::state, [&](const InputFile& file) -> std::string {
        const bool relaxed = file.has_attribute(schema::relax_lines);
        const std::string past = relaxed ? file.text_attribute(schema::relax_lines) : std::string();
        if (relaxed && relaxation.empty())
            return "it is a state of a relaxation, which this call does not write";
        if (!relaxed && !relaxation.empty())
            return "it is not a state of a relaxation, which this call writes";
        std::string lines = other_lines(read_identity(file).lines() + past, identity.lines() + relaxation);
        const std::int64_t there = file.read<std::int64_t>(schema::sweep).data.at(0);
        if (!lines.empty() || there <= sweep) return lines;
        return fmt::format("it stands at sweep {}, but this call ends at sweep {}", there, sweep);
    });
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
