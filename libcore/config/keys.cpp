#include "config/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "config/limits.hpp"

namespace psflip {
namespace {

constexpr double max_run = 140737488355328.0;  // 2^47 sweeps: thermalize and run together stay below 2^48
constexpr double max_realizations = static_cast<double>(limits::realizations);

std::vector<Key> make_keys() {
    const std::string per_size = "one value, or one per size as {4: ..., 8: ..., default: ...}";
    // clang-format off
    return {
        // path, field, default, unit, low, high, allowed, rule, doc
        {"seed", &Config::seed, "20261121", "", 0, 18446744073709551615.0, {}, "",
         "Key of all random numbers; two studies with the same seed are not independent"},
        {"model.kind", &Config::model_kind, "edwards-anderson", "", 0, 0, {"edwards-anderson", "ferromagnet", "heisenberg"}, "",
         "H = -sum_<ij> J_ij s_i s_j - h sum_i s_i, with J_ij = +1 or -1 (edwards-anderson) or +1 (ferromagnet). heisenberg: "
         "vectors |S| = 1 of species a and b, H = -sum_<ij> [J S_i.S_j + D_ij.(S_i x S_j)] - sum_i K (S_i^x)^2 - h sum_i m S_i^z, "
         "a bond counts once, j is one step up from i; J, D, K, h and temperatures are in one unit of energy, called J here"},
        {"model.dimension", &Config::dimension, "3", "", 2, 3, {"2", "3"}, "", "Dimension of the lattice: square or cubic"},
        {"model.field", &Config::field, "0", "J", -100, 100, {}, "", "External field h, the same everywhere"},
        {"model.p_ferro", &Config::p_ferro, "0.5", "", 0, 1, {}, "edwards-anderson only",
         "Probability of a bond J = +1 among those that are there"},
        {"model.p_absent", &Config::p_absent, "0", "", 0, 1, {}, "", "Probability that a bond is absent (J = 0)", {}, "", true},
        {"model.boundary", &Config::boundary, "periodic", "", 0, 0, {"periodic", "open"}, "",
         "periodic: opposite sides are neighbours; open: the bonds between them are absent", {}, "", true},
        {"model.couplings", &Config::couplings, "discrete", "", 0, 0, {"discrete", "gaussian"}, "gaussian: edwards-anderson only",
         "discrete: J_ij = +1 or -1; gaussian: J_ij from the normal distribution of mean 0 and variance 1, in units of J. Every spin "
         "has random numbers of its own then, multispin.share is 1, also where it is not given", {}, "", true},
        {"model.exchange", &Config::exchange, "[1, 1, 1]", "J", -1000, 1000, {}, "3 values; heisenberg only",
         "J of bonds a-a, a-b, b-b; above 0 is ferromagnetic", {}, "", true},
        {"model.dm_pattern", &Config::dm_pattern, "none", "", 0, 0, {"none", "constant", "alternating"}, "heisenberg only",
         "Dzyaloshinskii-Moriya vectors: D_ij = D n on every bond (constant), or D n times (-1)^(x+y+z) of site i (alternating)",
         {}, "", true},
        {"model.dm", &Config::dm, "[0, 0, 0]", "J", -1000, 1000, {}, "3 values, not all 0 with a pattern; heisenberg only",
         "D of bonds a-a, a-b, b-b", {}, "", true},
        {"model.dm_axis", &Config::dm_axis, "[0, 1, 0]", "", -1000, 1000, {}, "3 values, not all 0; heisenberg only",
         "Direction n of these vectors, of any length", {}, "", true},
        {"model.anisotropy", &Config::anisotropy, "[0, 0]", "J", -1000, 1000, {}, "2 values; heisenberg only",
         "K of a, b; above 0 x is the easy axis", {}, "", true},
        {"model.moments", &Config::moments, "[1, 1]", "", -1000, 1000, {}, "2 values; heisenberg only",
         "Magnetic moments m of a, b in the field", {}, "", true},
        {"model.concentration", &Config::concentration, "0", "", 0, 1, {}, "heisenberg only",
         "Probability that a site is b, independently of the others", {}, "", true},
        {"lattice.L", &Config::sizes, "[4, 6, 8]", "sites", 4, limits::largest_square_L, {}, "even, no size twice; above 1024 in two dimensions with multispin.lanes = sites only, above 46336 with one temperature, in relax up to 16384; in three dimensions at most 894 where bonds are absent",
         "Linear sizes of the lattices. The checkerboard update with periodic boundaries needs even sizes", {},
         "multipleOf: 2"},
        {"disorder.realizations", &Config::realizations, "512", "", 1, max_realizations, {}, "",
         "Disorder realizations of each size. Raising the number later adds realizations and keeps the earlier ones"},
        {"disorder.batch", &Config::batch, "128", "", 1, max_realizations, {},
         "a multiple of 32 and of multispin.share, or at least disorder.realizations",
         "Realizations in one file and one job; 128, 256, ... use the machine best"},
        {"disorder.source", &Config::disorder_source, "drawn", "", 0, 0, {"drawn", "files"}, "",
         "Where couplings come from: drawn by the law of the model, or taken from disorder files that the workflow is given (--couplings)", {}, "", true},
        {"temperatures", &Config::temperatures, "", "J/k_B", 0.01, 1000, {},
         "{list: [...]} or {min, max, count, spacing}; " + per_size, "Temperatures of the exchange, kept in ascending order, up to 64. Two forms, and either of them per lattice size:\n"
         "  temperatures: {min: 0.8, max: 1.8, count: 20, spacing: geometric}\n"
         "  temperatures: {list: [0.8, 0.9, 1.0]}\n"
         "  temperatures: {4: {list: [0.8, 1.0]}, 6: {list: [0.8, 1.0]}, 8: {min: 0.9, max: 1.8, count: 24}}\n"
         "The parts of the first form"},
        {"temperatures.min", {}, "0.8", "J/k_B", 0.01, 1000, {}, "below max", "Lowest temperature"},
        {"temperatures.max", {}, "1.8", "J/k_B", 0.01, 1000, {}, "above min", "Highest temperature"},
        {"temperatures.count", {}, "20", "", 2, limits::temperatures, {}, "", "Number of temperatures"},
        {"temperatures.spacing", {}, "geometric", "", 0, 0, {"linear", "geometric", "inverse"}, "",
         "Equal steps of T (linear), of log T (geometric) or of 1/T (inverse); values are rounded to 10 digits"},
        {"temperatures.list", {}, "", "J/k_B", 0.01, 1000, {},
         "1 to 64 values, none twice; in place of the other four", "The temperatures one by one, as in [0.8, 0.9, 1.0, 1.1]. No default"},
        {"replicas", &Config::replicas, "2", "", 1, limits::replicas, {}, "",
         "Copies of each realization with the same couplings; overlaps need 2, those of a glass in a field 4"},
        {"multispin.share", &Config::share, "128", "", 1, 128, {"1", "32", "64", "128"},
         "1 where copies would merge, of vector spins and with model.couplings = gaussian",
         "Realizations that share one random number; part of the physics, not a tuning knob: another value gives other "
         "(equally good) numbers. 1 draws a number for every spin: slower, needed where realizations that share become copies of "
         "each other: in ferromagnets, where model.p_ferro is 0 or 1 to 32 bits, in fields beyond 2 J, and with model.p_absent "
         "above 0.75, in two dimensions 0.5"},
        {"multispin.lanes", &Config::lanes, "realizations", "", 0, 0, {"realizations", "replicas", "sites"},
         "replicas and sites: multispin.share is 1, also where it is not given; sites: every bond is there, L is a multiple of 64, in three dimensions of 32",
         "What a word of spins holds: the same replica and temperature of many realizations, all replicas and temperatures of one, or "
         "the same place in 128 boxes of one lattice. replicas pays off for few realizations, sites for one large lattice; as at "
         "share 1 every spin has a random number of its own, another one than "
         "there, and nothing else is different: a state written with the one goes on with the other", {}, "", true},
        {"dynamics.sweeps_per_swap", &Config::sweeps_per_swap, "10", "sweeps", 1, 1000000, {}, "",
         "Sweeps between two exchanges of neighbouring temperatures"},
        {"dynamics.update", &Config::update, "metropolis", "", 0, 0, {"metropolis", "heat-bath", "cone"}, "cone: heisenberg only",
         "How a spin is updated in its local field: flipped with probability min(1, exp(-dE/T)), or drawn anew "
         "(flipped with probability 1 / (1 + exp(dE/T))). Of vectors metropolis proposes any direction, cone one in a cap about "
         "the old one, whose width is tuned in thermalize for half of the proposals to be accepted, and then stays", {}, "", true},
        {"dynamics.tile", &Config::tile, "0", "", 0, 64, {"0", "2", "4", "8", "16", "32", "64"},
         "with multispin.lanes = sites; whole tiles fit into lattice.L / 8 and lattice.L / 16, in three dimensions up to 8 into lattice.L / 4 and lattice.L / 8; in fields and with heat-bath on CPUs only",
         "Edge of the tiles of a double checkerboard: the tiles of one colour are updated dynamics.hits times, then those of the "
         "other; 0: the plain checkerboard. Every choice has the same equilibrium, but another way through it", {}, "", true},
        {"dynamics.hits", &Config::hits, "1", "sweeps", 1, 1000000, {}, "1 without tiles and in relax; divides dynamics.sweeps_per_swap and all numbers of sweeps",
         "Updates of a tile before those of the other colour have their turn. Sweeps count updates of a spin, so that a step of a "
         "double checkerboard is so many of them", {}, "", true},
        {"dynamics.over_relaxation", &Config::over_relaxation, "0", "sweeps", 0, 1000, {}, "heisenberg without anisotropy only",
         "After each sweep so many in which every spin is turned by pi about its local field, which keeps the energy. They are not "
         "counted as sweeps", {}, "", true},
        {"dynamics.precision", &Config::precision, "float", "", 0, 0, {"float", "double", "fast"},
         "heisenberg, or model.couplings = gaussian, only; fast: heisenberg on GPUs",
         "Of vector spins and real couplings, and all arithmetic of their updates. fast: as float with a GPU's approximations of "
         "elementary functions, for comparisons; its spins are those of one kind of GPU and one build, and files say so", {}, "", true},
        {"thermalize.sweeps", &Config::thermalize_sweeps, "2048", "sweeps", 0, max_run, {}, per_size,
         "Sweeps from the random start that are not measured"},
        {"run.sweeps", &Config::run_sweeps, "8192", "sweeps", 1, max_run, {},
         "at least run.blocks * run.measure_every; " + per_size, "Measured sweeps of the first run; runs can go on to twice, four times, ... as many"},
        {"run.measure_every", &Config::measure_every, "100", "sweeps", 1, 1e12, {},
         "a multiple of dynamics.sweeps_per_swap", "Sweeps between two measurements"},
        {"run.blocks", &Config::blocks, "16", "", 1, 1024, {}, "1 or an even number",
         "Equal blocks of a run, for errors; errors need 2 or more in what run.discard leaves", {},
         "anyOf: [{const: 1}, {multipleOf: 2}]"},
        {"run.discard", &Config::discard, "0.5", "", 0, 0.9, {}, "",
         "Part of the measured sweeps that averages leave out, from the first one on; tests of equilibration see it"},
        {"run.snapshots", &Config::snapshots, "0", "", 0, 1000000, {},
         "must divide the number of measurements, run.sweeps / run.measure_every",
         "Configurations of all spins kept in the run file, equally spaced; 0: none"},
        {"run.histogram_bins", &Config::histogram_bins, "50", "", 1, 10000, {}, "",
         "Bins of P(q) and of P(q_link) over -1 to 1"},
        {"run.magnetisation", &Config::magnetisation, "auto", "", 0, 0, {"auto", "always"}, "",
         "When the magnetisation is measured: in ferromagnets and fields, or in every model", {}, "", true},
        {"equilibration.test", &Config::equilibration_test, "log2", "", 0, 0, {"log2", "none"}, "",
         "log2: averages over the last half, quarter, eighth, ... of the sweeps agree; none: every realization is trusted"},
        {"equilibration.threshold_sigma", &Config::equilibration_threshold_sigma, "4", "sigma", 0.1, 1000, {},
         "", "Largest deviation between the last bins of an equilibrated realization"},
        {"equilibration.min_walk_times", &Config::min_walk_times, "20", "", 0, 1e6, {}, "",
         "Least length of the run of an equilibrated realization in autocorrelation times of its temperature random walk, "
         "and in times that its hottest temperature remembers its spins without exchange; 0: not asked for"},
        {"equilibration.unequilibrated", &Config::unequilibrated, "keep", "", 0, 0, {"keep", "refuse"}, "",
         "Realizations that stay unequilibrated: keep them in the averages, or refuse to average. Averages over the others "
         "alone lie beside the averages in reduced.h5 as a diagnostic, see docs/definitions.md",
         {{"drop", "is no choice any more: realizations that pass are no random sample, and averages over them alone were "
                   "further off than those over all; reduced.h5 has them beside the averages, as O_passing; use keep or "
                   "refuse"}}},
        {"equilibration.max_doublings", &Config::max_doublings, "4", "", 0, 20, {}, "",
         "How often the workflow may double a run that is not equilibrated"},
        {"relax.start", &Config::relax_start, "random", "", 0, 0, {"random", "up", "state"}, "",
         "Where relax begins: spins at random, all up, or those of the file given with --state", {}, "", true},
        {"relax.first", &Config::relax_first, "2", "sweeps", 1, 1e12, {}, "even with metropolis; at most relax.last",
         "First of the times, from there on a logarithmic grid. With metropolis every time is even: a spin with bonds whose local "
         "field is 0 is flipped in every sweep (one without any bond and field with probability 1/2), so that correlations in time zigzag with the parity of t. Groups of such spins go round in 3 or "
         "4 sweeps: below T = 1 C(t_w, t_w + t) has wiggles at even times, too, which repeat after 12; heat-bath has none", {}, "", true},
        {"relax.last", &Config::relax_last, "65536", "sweeps", 1, max_run, {}, "",
         "No time is later. A larger value later goes on from the state at the end", {}, "", true},
        {"relax.per_decade", &Config::relax_per_decade, "10", "", 1, 1000, {}, "", "Times per factor of ten", {}, "", true},
        {"relax.waiting", &Config::relax_waiting, "[]", "sweeps", 0, max_run, {}, "ascending, up to 64; even with metropolis",
         "Waiting times t_w: at t_w + t, t on the same grid, spins are compared with those at t_w. 0 is the start", {}, "", true},
        {"relax.schedule", &Config::relax_schedule, "constant", "", 0, 0, {"constant", "steps", "linear", "geometric"}, "",
         "Temperatures on the way, those of the study times a factor: steps takes relax.factors one after the other; linear and "
         "geometric go from the one factor to 1 in relax.stages equal steps. Each factor holds for relax.stage_sweeps; then it is 1",
         {}, "", true},
        {"relax.factors", &Config::relax_factors, "[]", "", 0.001, 1000, {}, "up to 1024; one with linear and geometric",
         "Factors of the temperatures; above 1 for cooling, below for heating", {}, "", true},
        {"relax.stages", &Config::relax_stages, "10", "", 1, 1024, {}, "", "Steps of a linear or geometric schedule", {}, "", true},
        {"relax.stage_sweeps", &Config::relax_stage_sweeps, "100", "sweeps", 1, 1e12, {}, "",
         "Sweeps with each factor of a schedule", {}, "", true},
        {"relax.fields", &Config::relax_fields, "[]", "", -1, 1, {}, "up to 1024; heisenberg in a field only",
         "Factors of model.field, one after the other, each for relax.stage_sweeps as those of the temperatures; then it is 1. "
         "0 cools without a field, 1 and then -1 turns it round, from 1 to -1 and back makes a loop of hysteresis", {}, "", true},
        {"relax.measure_every", &Config::relax_measure_every, "0", "sweeps", 0, 1e12, {}, "even with metropolis of Ising spins",
         "Measure at all multiples of it, and at waiting times, in the place of the logarithmic grid; 0: that grid", {}, "", true},
        {"checkpoint.every_seconds", &Config::checkpoint_every_seconds, "300", "s", 0, 1e7, {}, "",
         "Time between checkpoints; 0: as often as possible. A stop signal or --time-limit always saves one"},
    };
    // clang-format on
}

std::string number_text(double value) {
    return value < 1e15 ? fmt::format("{}", value) : value < 1e19 ? fmt::format("{:.0f}", value) : "2^64 - 1";
}

}  // namespace

std::string key_name(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

const std::vector<Key>& config_keys() {
    static const std::vector<Key> keys = make_keys();
    return keys;
}

const Key* find_key(const std::string& path) {
    for (const Key& key : config_keys())
        if (key.path == path) return &key;
    return nullptr;
}

bool is_section(const std::string& path) {
    const std::string prefix = path + ".";
    return std::any_of(config_keys().begin(), config_keys().end(),
                       [&](const Key& key) { return key.path.rfind(prefix, 0) == 0; });
}

std::string range_text(const Key& key) {
    std::string text;
    if (!key.allowed.empty())
        text = fmt::format("one of {}", fmt::join(key.allowed, ", "));
    else
        text = fmt::format("{} to {}", number_text(key.low), number_text(key.high));
    return key.rule.empty() ? text : text + "; " + key.rule;
}

std::string known_keys(const std::string& section) {
    const std::string prefix = section.empty() ? "" : section + ".";
    std::vector<std::string> names;
    for (const Key& key : config_keys()) {
        if (key.path.rfind(prefix, 0) != 0) continue;
        const std::size_t end = std::min(key.path.find('.', prefix.size()), key.path.size());
        const std::string name = key.path.substr(prefix.size(), end - prefix.size());
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return fmt::format("keys{}: {}", section.empty() ? "" : " of " + section, fmt::join(names, ", "));
}

std::string suggestion(const std::string& path) {
    std::string nearest;
    int least = 1 + static_cast<int>(path.size()) / 3;
    for (const Key& key : config_keys()) {
        const int elsewhere = 1 + distance(key_name(path), key_name(key.path));
        const int here = distance(path, key.path);
        const int d = std::min(here, elsewhere);
        if (d < least || (d == least && nearest.empty())) {
            least = d;
            nearest = key.path;
        }
    }
    if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
    const std::size_t dot = path.rfind('.');
    return "known " + known_keys(dot == std::string::npos ? "" : path.substr(0, dot));
}

}  // namespace psflip
