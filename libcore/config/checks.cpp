#include "config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

void check_section(const Node& node, const std::string& prefix) {
    for (const auto& [name, value] : node.entries) {
        const std::string path = prefix + name;
        if (const std::size_t dot = name.find('.'); dot != std::string::npos)
            throw InputError(
                fmt::format("{}: unknown key '{}': a key in a file has no dot; write '{}:' and below it, "
                            "indented, '{}: {}' (dotted paths are for --set)",
                            value.place, name, name.substr(0, dot), name.substr(dot + 1), value_text(value)));
        if (find_key(path)) continue;
        if (!is_section(path))
            throw InputError(fmt::format("{}: unknown key {}; {}", value.place, path, suggestion(path)));
        if (value.kind == Node::Kind::null)
            throw InputError(
                fmt::format("{}: section {} is empty; give its keys or leave it out", value.place, path));
        if (value.kind != Node::Kind::map)
            refuse(value, path, "is a single value, but a section is needed; " + known_keys(path));
        check_section(value, path + ".");
    }
}

/// The node with the value of a per-size key for one L, and its name in errors.
struct SizeValue {
    const Node& node;
    std::string path;
};

SizeValue value_for(const Node& root, const std::string& path, int L) {
    const Node& node = *find_path(root, path);
    const Node* own = node.find(std::to_string(L));
    return own ? SizeValue{*own, fmt::format("{}.{}", path, L)} : SizeValue{node, path};
}

std::string divisors_around(std::int64_t value, std::int64_t number) {
    std::int64_t below = std::min(value, number), above = value;
    while (number % below != 0) --below;
    while (above < number && number % above != 0) ++above;
    return above <= number && below != number ? fmt::format("{} or {}", below, above)
                                              : fmt::format("{}", below);
}

void check_batch(const Config& config, const Node& root) {
    const std::int64_t step = std::max(config.multispin.share, 32);
    if (config.disorder.batch % step == 0 || config.disorder.batch >= config.disorder.realizations) return;
    refuse_key(
        root, "disorder.batch",
        fmt::format(
            "is not a multiple of {} (the larger of 32 and multispin.share), so files would not start at "
            "a whole share group; use {}",
            step, multiples_around(config.disorder.batch, step)));
}

/// Refuses shared numbers if lanes are replicas or sites, because lanes with a common number are correlated.
void check_lanes(const Config& config, const Node& root) {
    if (config.multispin.lanes == Lanes::realizations || config.multispin.share == 1) return;
    const Node& lanes = *find_path(root, "multispin.lanes");
    refuse_key(root, "multispin.share",
               fmt::format("does not go with multispin.lanes = {} ({}), where every spin has its own random "
                           "number; use share: 1 or leave it out",
                           name(config.multispin.lanes), lanes.place));
}

/// Refuses what the dynamics with demons does not have.
void check_demons(const Config& config, const Node& root) {
    const Node& update = *find_path(root, "dynamics.update");
    if (config.dynamics.update != Update::demon) {
        const Key& key = *find_key("dynamics.demon_sites");
        if (!has_default(root, key))
            refuse_key(
                root, key.path,
                fmt::format("does not go with dynamics.update = {} ({}); use update: demon or leave it out",
                            name(config.dynamics.update), update.place));
        return;
    }
    const auto refuse_with = [&](bool wrong, const char* path, const char* remedy) {
        if (wrong)
            refuse_key(
                root, path,
                fmt::format("does not go with dynamics.update = demon ({}); {}", update.place, remedy));
    };
    refuse_with(config.model.has_vectors(), "model.kind", "vector spins have metropolis, heat-bath and cone");
    refuse_with(config.model.gaussian(), "model.couplings", "real couplings have metropolis and heat-bath");
    refuse_with(config.multispin.share != 1, "multispin.share", "use 1 or leave it out");
    if (config.multispin.lanes != Lanes::realizations) {
        const char* const remedy =
            "demons with this value need multispin.lanes = realizations; or use metropolis or heat-bath";
        refuse_with(config.model.field != 0.0, "model.field", remedy);
        refuse_with(config.model.p_absent != 0.0, "model.p_absent", remedy);
        refuse_with(config.model.boundary != Boundary::periodic, "model.boundary", remedy);
    }
    refuse_with(config.dynamics.tile != 0, "dynamics.tile", "use 0, the plain checkerboard, or leave it out");
}

/// Refuses what cluster updates do not have.
void check_clusters(const Config& config, const Node& root) {
    const Node& update = *find_path(root, "dynamics.update");
    const Update value = config.dynamics.update;
    if (value != Update::wolff && !has_default(root, *find_key("dynamics.wolff_clusters")))
        refuse_key(
            root, "dynamics.wolff_clusters",
            fmt::format("does not go with dynamics.update = {} ({}); use update: wolff or leave it out",
                        name(value), update.place));
    if (value != Update::swendsen_wang && value != Update::wolff) return;
    const auto refuse_with = [&](bool wrong, const char* path, const char* remedy) {
        if (wrong)
            refuse_key(root, path,
                       fmt::format("does not go with dynamics.update = {} ({}); {}", name(value),
                                   update.place, remedy));
    };
    refuse_with(config.model.kind != ModelKind::ferromagnet, "model.kind",
                "clusters need kind: ferromagnet; or use metropolis or heat-bath");
    refuse_with(config.model.field != 0.0, "model.field", "use 0, or use metropolis or heat-bath");
    refuse_with(config.multispin.share != 1, "multispin.share", "use 1 or leave it out");
    refuse_with(config.multispin.lanes == Lanes::replicas, "multispin.lanes", "use realizations or sites");
    refuse_with(config.dynamics.tile != 0, "dynamics.tile", "use 0, no tiles, or leave it out");
}

/// Refuses Houdayer moves where they cannot work.
void check_houdayer(const Config& config, const Node& root) {
    const Node& every = *find_path(root, "dynamics.houdayer_every");
    if (config.dynamics.houdayer_every == 0) {
        const Key& key = *find_key("dynamics.houdayer_below");
        if (!has_default(root, key))
            refuse_key(root, key.path,
                       "has no use without Houdayer moves; set dynamics.houdayer_every or leave it out");
        return;
    }
    for (const auto& [L, temperatures] : config.temperatures)
        if (config.dynamics.houdayer_below < temperatures.front())
            refuse_key(
                root, "dynamics.houdayer_below",
                fmt::format("is below the lowest temperature, {}, of L = {}, so no move would be made; use "
                            "a higher temperature, or leave out dynamics.houdayer_every ({})",
                            temperatures.front(), L, every.place));
    const auto refuse_with = [&](bool wrong, const char* path, const char* remedy) {
        if (wrong)
            refuse_key(root, path,
                       fmt::format("does not go with dynamics.houdayer_every ({}); {}", every.place, remedy));
    };
    refuse_with(config.model.has_vectors(), "model.kind", "Houdayer moves are for Ising spins");
    refuse_with(config.replicas < 2, "replicas", "use two replicas or more");
    refuse_with(config.multispin.lanes == Lanes::sites, "multispin.lanes", "use realizations or replicas");
    if (config.multispin.lanes != Lanes::replicas) return;
    const char* const remedy = "Houdayer moves with this value need multispin.lanes = realizations";
    refuse_with(config.model.p_absent != 0.0, "model.p_absent", remedy);
    refuse_with(config.model.boundary != Boundary::periodic, "model.boundary", remedy);
}

/// Returns whether 32-bit random numbers can draw both outcomes of this probability.
bool is_random(double probability) {
    const double numbers = std::round(std::ldexp(probability, 32));
    return numbers > 0.0 && numbers < std::ldexp(1.0, 32);
}

/// Above this field, spins follow the field rather than their bonds.
constexpr double strong_field = 2.0;

/// Refuses shared numbers if realizations would become copies of each other. Only random signs keep apart
/// realizations with the same random numbers: without signs, in a strong field and in small clusters of bonds
/// they become equal.
void check_share(const Config& config, const Node& root) {
    if (config.multispin.share == 1) return;
    const auto refuse_share = [&root](const char* key, const char* why) {
        const Node& other = *find_path(root, key);
        refuse_key(
            root, "multispin.share",
            fmt::format("does not go with {} = {} ({}): {} the realizations that share random numbers become "
                        "copies of each other; use share: 1",
                        key, value_text(other), other.place, why));
    };
    if (config.model.kind == ModelKind::ferromagnet) refuse_share("model.kind", "without random signs");
    if (!is_random(config.model.p_ferro)) refuse_share("model.p_ferro", "without disorder");
    if (config.model.p_absent > limits::max_absent_with_share(config.model.dimension))
        refuse_share("model.p_absent", "without percolating bonds");
    if (std::abs(config.model.field) > strong_field) refuse_share("model.field", "in a strong field");
}

/// Refuses p_ferro in a ferromagnet, where it changes nothing but would enter the random numbers.
void check_ferromagnet(const Config& config, const Node& root) {
    const Key& key = *find_key("model.p_ferro");
    if (config.model.kind != ModelKind::ferromagnet || has_default(root, key)) return;
    refuse_key(root, key.path,
               "does not go with model.kind = ferromagnet, whose bonds are all +1; leave it out");
}

/// Checks limits::max_diluted_L.
void check_diluted_sizes(const Config& config, const Node& root) {
    if (config.model.has_vectors()) return;
    if (config.model.dimension != 3 || !config.model.has_absent_bonds()) return;
    for (const int L : config.sizes)
        if (L > limits::max_diluted_L)
            refuse_key(
                root, "lattice.L",
                fmt::format("has {}; the largest size with absent bonds (model.p_absent, or model.boundary = "
                            "open) is {}",
                            L, limits::max_diluted_L));
}

/// Checks limits::max_whole_L in studies for which slabs do not lift this limit.
void check_whole_sizes(const Config& config, const Node& root) {
    if (config.model.dimension != 3 || config.multispin.share != 1) return;
    if (config.multispin.lanes == Lanes::sites) return;
    const char* const real = real_numbers_key(config.model);
    const char* const key = real != nullptr                             ? real
                            : config.multispin.lanes == Lanes::replicas ? "multispin.lanes"
                            : config.dynamics.needs_whole_lattices()    ? "dynamics.update"
                            : config.dynamics.houdayer_every > 0        ? "dynamics.houdayer_every"
                                                                        : nullptr;
    if (key == nullptr) return;
    const Node& other = *find_path(root, key);
    const bool sites_possible = real == nullptr && !config.model.has_absent_bonds() &&
                                config.model.field == 0.0 && config.dynamics.houdayer_every == 0;
    for (const int L : config.sizes)
        if (L > limits::max_whole_L)
            refuse_key(
                root, "lattice.L",
                fmt::format(
                    "has {}; the largest size in three dimensions with multispin.share = 1 and {} = {} ({}) "
                    "is {}; use a smaller L{}",
                    L, key, value_text(other), other.place, limits::max_whole_L,
                    sites_possible ? ", or multispin.lanes = sites" : ""));
}

/// Refuses two and three replicas of a glass in a field: chi_R has an unbiased estimate with four replicas.
void check_replicas(const Config& config, const Node& root) {
    if (config.model.kind != ModelKind::edwards_anderson || config.model.field == 0.0) return;
    if (config.replicas == 1 || config.replicas >= 4) return;
    const Node& field = *find_path(root, "model.field");
    refuse_key(
        root, "replicas",
        fmt::format("does not go with model.field = {} ({}): the replicon susceptibility of a glass in a "
                    "field needs four replicas; use 4, or 1 for energies and magnetisations alone",
                    value_text(field), field.place));
}

void check_measure_every(const Config& config, const Node& root) {
    if (config.run.measure_every % config.dynamics.sweeps_per_swap == 0) return;
    refuse_key(root, "run.measure_every",
               fmt::format("is not a multiple of dynamics.sweeps_per_swap = {}; use {}",
                           config.dynamics.sweeps_per_swap,
                           multiples_around(config.run.measure_every, config.dynamics.sweeps_per_swap)));
}

/// Refuses an odd number of blocks, because half of them must lie in the second half of a run.
void check_blocks(const Config& config, const Node& root) {
    if (config.run.blocks == 1 || config.run.blocks % 2 == 0) return;
    refuse_key(root, "run.blocks",
               fmt::format("is odd: half of the blocks must lie in the second half of a run; use {} or {}",
                           config.run.blocks - 1, config.run.blocks + 1));
}

void check_run(const Config& config, const Node& root, int L) {
    const std::int64_t sweeps = config.run_sweeps.at(L);
    const auto [node, path] = value_for(root, "run.sweeps", L);
    if (sweeps / config.run.measure_every < config.run.blocks)
        refuse(
            node, path,
            fmt::format(
                "is too short for run.blocks = {} blocks with a measurement every {} sweeps in each; use {} "
                "or more, or fewer blocks",
                config.run.blocks, config.run.measure_every, config.run.blocks * config.run.measure_every));
    const std::int64_t total =
        config.thermalize_sweeps.at(L) +
        static_cast<std::int64_t>(
            std::min(std::ldexp(static_cast<double>(sweeps), config.equilibration.max_doublings), 1e18));
    if (total >= limits::sweeps)
        refuse(
            node, path,
            fmt::format(
                "is too large: thermalize.sweeps + run.sweeps * 2^{} (equilibration.max_doublings) must stay "
                "below 2^48, the range of the random counter",
                config.equilibration.max_doublings));
    const std::int64_t measurements = sweeps / config.run.measure_every;
    if (config.run.snapshots > 0 && measurements % config.run.snapshots != 0)
        refuse_key(
            root, "run.snapshots",
            fmt::format(
                "does not divide the {} measurements of L = {} (run.sweeps = {}, one every {}); use {}",
                measurements, L, sweeps, config.run.measure_every,
                divisors_around(config.run.snapshots, measurements)));
}

[[noreturn]] void refuse_odd(const Config& config, const Node& root, const std::string& path,
                             std::int64_t value) {
    refuse_key(
        root, path,
        fmt::format("has {}, which is odd: with dynamics.update = {} spins whose local field is 0 "
                    "flip in every sweep, and correlations in time zigzag with the parity of t; use {}",
                    value, name(config.dynamics.update), value + 1));
}

/// Checks the times of a relaxation.
void check_relax_times(const Config& config, const Node& root) {
    const auto& waiting = config.relax.waiting;
    if (config.relax.first > config.relax.last)
        refuse_key(root, "relax.first",
                   fmt::format("is larger than relax.last = {}; set relax.last to {} or more",
                               config.relax.last, config.relax.first));
    for (std::size_t i = 1; i < waiting.size(); ++i)
        if (waiting[i] <= waiting[i - 1])
            refuse_key(root, "relax.waiting",
                       "is not ascending; write each waiting time once, the smallest first");
    if (config.relax.measure_every > config.relax.last)
        refuse_key(root, "relax.measure_every",
                   fmt::format("is larger than relax.last = {}; set relax.last to {} or more",
                               config.relax.last, config.relax.measure_every));
    if (config.relax.measure_every > 0 &&
        config.relax.last / config.relax.measure_every > limits::relaxation_times)
        refuse_key(root, "relax.measure_every",
                   fmt::format("gives {} times of measurement up to relax.last = {}, but only {} are "
                               "possible; use {} or more",
                               config.relax.last / config.relax.measure_every, config.relax.last,
                               limits::relaxation_times,
                               (config.relax.last / limits::relaxation_times + 2) / 2 * 2));
    if (!config.has_even_times()) return;
    if (config.relax.measure_every % 2 != 0)
        refuse_odd(config, root, "relax.measure_every", config.relax.measure_every);
    if (config.relax.first % 2 != 0) refuse_odd(config, root, "relax.first", config.relax.first);
    for (const std::int64_t t : waiting)
        if (t % 2 != 0) refuse_odd(config, root, "relax.waiting", t);
}

/// Checks the temperatures and fields of a relaxation.
void check_relax_schedule(const Config& config, const Node& root) {
    const RelaxSchedule schedule = config.relax.schedule;
    const std::size_t factors = config.relax.factors.size();
    const Node& node = *find_path(root, "relax.factors");
    if (!config.relax.fields.empty() && config.model.field == 0.0)
        refuse_key(root, "relax.fields",
                   "has no use without a field; give model.field its largest value on the way");
    if (schedule == RelaxSchedule::constant && factors > 0)
        refuse(node, "relax.factors", "has no use with relax.schedule = constant; leave it out");
    if (schedule == RelaxSchedule::steps && factors == 0)
        refuse(node, "relax.factors", "is empty; relax.schedule = steps needs one factor or more");
    if (schedule != RelaxSchedule::linear && schedule != RelaxSchedule::geometric) return;
    if (factors != 1 || config.relax.factors.front() == 1.0)
        refuse(node, "relax.factors",
               fmt::format("needs one factor other than 1, from which relax.schedule = {} goes to 1",
                           name(schedule)));
}

}  // namespace

void refuse_key(const Node& root, const std::string& path, const std::string& what) {
    refuse(*find_path(root, path), path, what);
}

void refuse_key(const StudySections& study, const std::string& path, const std::string& what) {
    if (study.document == nullptr) throw InputError(path + " " + what);
    refuse_key(*study.document, path, what);
}

const char* real_numbers_key(const ModelSection& model) {
    return model.has_vectors() ? "model.kind" : model.gaussian() ? "model.couplings" : nullptr;
}

std::string multiples_around(std::int64_t value, std::int64_t step) {
    const std::int64_t below = value / step * step;
    return below > 0 ? fmt::format("{} or {}", below, below + step) : fmt::format("{}", step);
}

void check_known(const Node& root) {
    check_section(root, "");
}

void check_together(const Config& config, const Node& root) {
    check_ferromagnet(config, root);
    check_vectors(config, root);
    check_demons(config, root);
    check_clusters(config, root);
    check_houdayer(config, root);
    check_lanes(config, root);
    check_site_lanes(config, root);
    check_share(config, root);
    check_replicas(config, root);
    check_diluted_sizes(config, root);
    check_whole_sizes(config, root);
    check_batch(config, root);
    check_measure_every(config, root);
    check_blocks(config, root);
    check_relax_times(config, root);
    check_relax_schedule(config, root);
    for (int L : config.sizes) check_run(config, root, L);
}

}  // namespace psflip
