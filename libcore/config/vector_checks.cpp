#include "config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "config/keys.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

/// Refuses other values than the default for keys that have no meaning in this model.
void refuse_others(const Node& root, std::initializer_list<const char*> paths, const char* why) {
    for (const char* path : paths)
        if (!has_default(root, *find_key(path))) refuse_key(root, path, why);
}

void check_length(const Node& root, const char* path, const std::vector<double>& values, std::size_t wanted) {
    if (values.size() != wanted)
        refuse_key(root, path,
                   fmt::format("has {} values; {} are needed, as in {}", values.size(), wanted,
                               find_key(path)->default_value));
}

bool all_zero(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return x == 0.0; });
}

void check_dm(const Config& config, const Node& root) {
    const Node &pattern = *find_path(root, "model.dm_pattern"), &dm = *find_path(root, "model.dm");
    if (config.model.dm_pattern == DmPattern::none && !all_zero(config.model.dm))
        refuse(dm, "model.dm",
               "has no use with model.dm_pattern = none; set the pattern to constant or alternating, or "
               "leave model.dm out");
    if (config.model.dm_pattern != DmPattern::none && all_zero(config.model.dm))
        refuse(pattern, "model.dm_pattern",
               "needs vectors, but all of model.dm is 0; give model.dm, or use none");
    if (all_zero(config.model.dm_axis))
        refuse_key(root, "model.dm_axis",
                   "has length 0 and points nowhere; give a direction, as in [0, 1, 0]");
}

void check_updates(const Config& config, const Node& root) {
    if (all_zero(config.model.anisotropy)) return;
    const char* why = "needs an energy that is linear in each spin, which model.anisotropy is not; ";
    if (config.dynamics.update == Update::heat_bath)
        refuse_key(root, "dynamics.update", std::string(why) + "use metropolis or cone");
    if (config.dynamics.over_relaxation > 0)
        refuse_key(root, "dynamics.over_relaxation", std::string(why) + "use 0");
}

/// Checks Gaussian couplings.
void check_gaussian(const Config& config, const Node& root) {
    const char* why = "does not go with model.couplings = gaussian; leave it out";
    if (config.model.kind != ModelKind::edwards_anderson)
        refuse_key(root, "model.couplings", "goes with model.kind = edwards-anderson only; leave it out");
    refuse_others(root, {"model.p_ferro", "model.p_absent", "model.boundary", "multispin.lanes"}, why);
    if (config.dynamics.precision == Precision::fast)
        refuse_key(root, "dynamics.precision", "is for vector spins; use float or double");
    if (config.multispin.share != 1)
        refuse_key(
            root, "multispin.share",
            "does not go with model.couplings = gaussian, where every spin has its own random numbers; "
            "use share: 1 or leave it out");
}

}  // namespace

void check_vectors(const Config& config, const Node& root) {
    if (config.model.gaussian()) check_gaussian(config, root);
    if (!config.model.has_vectors()) {
        refuse_others(root,
                      {"model.exchange", "model.dm_pattern", "model.dm", "model.dm_axis", "model.anisotropy",
                       "model.moments", "model.concentration", "dynamics.over_relaxation", "relax.fields"},
                      "is a key of vector spins; leave it out, or set model.kind to heisenberg");
        if (!config.model.gaussian())
            refuse_others(
                root, {"dynamics.precision"},
                "is a key of vector spins and of real couplings; leave it out, or set model.kind to "
                "heisenberg or model.couplings to gaussian");
        if (config.dynamics.update == Update::cone)
            refuse_key(
                root, "dynamics.update",
                "is an update of vector spins; use metropolis or heat-bath, or model.kind = heisenberg");
        return;
    }
    refuse_others(root, {"model.p_ferro", "model.p_absent", "multispin.lanes", "run.magnetisation"},
                  "is a key of Ising spins and does not go with model.kind = heisenberg; leave it out");
    if (config.multispin.share != 1)
        refuse_key(
            root, "multispin.share",
            "does not go with model.kind = heisenberg, where every spin has its own random numbers; use "
            "share: 1 or leave it out");
    check_length(root, "model.exchange", config.model.exchange, 3);
    check_length(root, "model.dm", config.model.dm, 3);
    check_length(root, "model.dm_axis", config.model.dm_axis, 3);
    check_length(root, "model.anisotropy", config.model.anisotropy, 2);
    check_length(root, "model.moments", config.model.moments, 2);
    check_dm(config, root);
    check_updates(config, root);
}

}  // namespace psflip
