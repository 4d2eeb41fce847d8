#include "config/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/nearest.hpp"
#include "config/limits.hpp"

namespace psflip {
namespace {

constexpr double max_run = 140737488355328.0;  // 2^47 sweeps: thermalize and run together stay below 2^48
constexpr double max_realizations = static_cast<double>(limits::realizations);

/// Follows pointers to members, as in at<&Config::run, &RunSection::blocks>(config).
template <auto First, auto... Rest>
auto& at(auto& object) {
    if constexpr (sizeof...(Rest) == 0)
        return object.*First;
    else
        return at<Rest...>(object.*First);
}

template <auto... Path>
ConfigField field() {
    using Value = std::remove_reference_t<decltype(at<Path...>(std::declval<Config&>()))>;
    if constexpr (std::is_enum_v<Value>)
        return KeyChoice{
            .text = [](Config& config) -> std::string { return name(at<Path...>(config)); },
            .set = [](Config& config, const std::string& text) { at<Path...>(config) = named<Value>(text); },
            .names = choice_names<Value>};
    else
        return KeyValue<Value>([](Config& config) -> Value& { return at<Path...>(config); });
}

template <class Enumeration>
std::vector<std::string> all_names() {
    return {choice_names<Enumeration>.begin(), choice_names<Enumeration>.end()};
}

std::vector<Key> make_rows() {
    const std::string per_size = "one value, or one per size as {4: ..., 8: ..., default: ...}";
    // clang-format off
    return {
        // path, field, default, unit, low, high, allowed, rule, doc
        {"seed", field<&Config::seed>(), "20261121", "", 0, 18446744073709551615.0, {}, "",
         "Key of all random numbers; two studies with the same seed are not independent"},
        {"model.kind", field<&Config::model, &ModelSection::kind>(), "edwards-anderson", "", 0, 0, {}, "",
         "H = -sum_<ij> J_ij s_i s_j - h sum_i s_i, with J_ij = +1 or -1 (edwards-anderson) or +1 (ferromagnet). heisenberg: "
         "vectors |S| = 1 of species a and b, H = -sum_<ij> [J S_i.S_j + D_ij.(S_i x S_j)] - sum_i K (S_i^x)^2 - h sum_i m S_i^z, "
         "a bond counts once, j is one step up from i; J, D, K, h and temperatures are in one unit of energy, called J here"},
        {"model.dimension", field<&Config::model, &ModelSection::dimension>(), "3", "", 2, 3, {"2", "3"}, "", "Dimension of the lattice: square or cubic"},
        {"model.field", field<&Config::model, &ModelSection::field>(), "0", "J", -100, 100, {}, "", "External field h, the same everywhere"},
        {"model.p_ferro", field<&Config::model, &ModelSection::p_ferro>(), "0.5", "", 0, 1, {}, "edwards-anderson only",
         "Probability of a bond J = +1 among those that are there"},
        {"model.p_absent", field<&Config::model, &ModelSection::p_absent>(), "0", "", 0, 1, {}, "", "Probability that a bond is absent (J = 0)", {}, "", true},
        {"model.boundary", field<&Config::model, &ModelSection::boundary>(), "periodic", "", 0, 0, {}, "",
         "periodic: opposite sides are neighbours; open: the bonds between them are absent", {}, "", true},
        {"model.couplings", field<&Config::model, &ModelSection::couplings>(), "discrete", "", 0, 0, {}, "gaussian: edwards-anderson only",
         "discrete: J_ij = +1 or -1; gaussian: J_ij from the normal distribution of mean 0 and variance 1, in units of J. Every spin "
         "has random numbers of its own then, multispin.share is 1, also where it is not given", {}, "", true},
        {"model.exchange", field<&Config::model, &ModelSection::exchange>(), "[1, 1, 1]", "J", -1000, 1000, {}, "3 values; heisenberg only",
         "J of bonds a-a, a-b, b-b; above 0 is ferromagnetic", {}, "", true},
        {"model.dm_pattern", field<&Config::model, &ModelSection::dm_pattern>(), "none", "", 0, 0, {}, "heisenberg only",
         "Dzyaloshinskii-Moriya vectors: D_ij = D n on every bond (constant), or D n times (-1)^(x+y+z) of site i (alternating)",
         {}, "", true},
        {"model.dm", field<&Config::model, &ModelSection::dm>(), "[0, 0, 0]", "J", -1000, 1000, {}, "3 values, not all 0 with a pattern; heisenberg only",
         "D of bonds a-a, a-b, b-b", {}, "", true},
        {"model.dm_axis", field<&Config::model, &ModelSection::dm_axis>(), "[0, 1, 0]", "", -1000, 1000, {}, "3 values, not all 0; heisenberg only",
         "Direction n of these vectors, of any length", {}, "", true},
        {"model.anisotropy", field<&Config::model, &ModelSection::anisotropy>(), "[0, 0]", "J", -1000, 1000, {}, "2 values; heisenberg only",
         "K of a, b; above 0 x is the easy axis", {}, "", true},
        {"model.moments", field<&Config::model, &ModelSection::moments>(), "[1, 1]", "", -1000, 1000, {}, "2 values; heisenberg only",
         "Magnetic moments m of a, b in the field", {}, "", true},
        {"model.concentration", field<&Config::model, &ModelSection::concentration>(), "0", "", 0, 1, {}, "heisenberg only",
         "Probability that a site is b, independently of the others", {}, "", true},
        {"lattice.L", field<&Config::sizes>(), "[4, 6, 8]", "sites", 4, limits::largest_square_L, {}, "even, no size twice; above 1024 in two dimensions with multispin.lanes = sites only, above 46336 with one temperature, in relax up to 16384; in three dimensions at most 894 where bonds are absent",
         "Linear sizes of the lattices. The checkerboard update with periodic boundaries needs even sizes", {},
         "multipleOf: 2"},
        {"disorder.realizations", field<&Config::disorder, &DisorderSection::realizations>(), "512", "", 1, max_realizations, {}, "",
         "Disorder realizations of each size. Raising the number later adds realizations and keeps the earlier ones"},
        {"disorder.batch", field<&Config::disorder, &DisorderSection::batch>(), "128", "", 1, max_realizations, {},
         "a multiple of 32 and of multispin.share, or at least disorder.realizations",
         "Realizations in one file and one job; 128, 256, ... use the machine best"},
        {"disorder.source", field<&Config::disorder, &DisorderSection::source>(), "drawn", "", 0, 0, {}, "",
         "Where couplings come from: drawn by the law of the model, or taken from disorder files that the workflow is given (--couplings)", {}, "", true},
        {"temperatures", field<&Config::temperatures>(), "", "J/k_B", 0.01, 1000, {},
         "{list: [...]} or {min, max, count, spacing}; " + per_size, "Temperatures of the exchange, kept in ascending order, up to 64. Two forms, and either of them per lattice size:\n"
         "  temperatures: {min: 0.8, max: 1.8, count: 20, spacing: geometric}\n"
         "  temperatures: {list: [0.8, 0.9, 1.0]}\n"
         "  temperatures: {4: {list: [0.8, 1.0]}, 6: {list: [0.8, 1.0]}, 8: {min: 0.9, max: 1.8, count: 24}}\n"
         "The parts of the first form"},
        {"temperatures.min", {}, "0.8", "J/k_B", 0.01, 1000, {}, "below max", "Lowest temperature"},
        {"temperatures.max", {}, "1.8", "J/k_B", 0.01, 1000, {}, "above min", "Highest temperature"},
        {"temperatures.count", {}, "20", "", 2, limits::temperatures, {}, "", "Number of temperatures"},
        {"temperatures.spacing", {}, "geometric", "", 0, 0, all_names<Spacing>(), "",
         "Equal steps of T (linear), of log T (geometric) or of 1/T (inverse); values are rounded to 10 digits"},
        {"temperatures.list", {}, "", "J/k_B", 0.01, 1000, {},
         "1 to 64 values, none twice; in place of the other four", "The temperatures one by one, as in [0.8, 0.9, 1.0, 1.1]. No default"},
        {"replicas", field<&Config::replicas>(), "2", "", 1, limits::replicas, {}, "",
         "Copies of each realization with the same couplings; overlaps need 2, those of a glass in a field 4"},
        {"multispin.share", field<&Config::multispin, &MultispinSection::share>(), "128", "", 1, 128, {"1", "32", "64", "128"},
         "1 where copies would merge, of vector spins and with model.couplings = gaussian",
         "Realizations that share one random number; part of the physics, not a tuning knob: another value gives other "
         "(equally good) numbers. 1 draws a number for every spin: slower, needed where realizations that share become copies of "
         "each other: in ferromagnets, where model.p_ferro is 0 or 1 to 32 bits, in fields beyond 2 J, and with model.p_absent "
         "above 0.75, in two dimensions 0.5"},
        {"multispin.lanes", field<&Config::multispin, &MultispinSection::lanes>(), "realizations", "", 0, 0, {},
         "replicas and sites: multispin.share is 1, also where it is not given; sites: every bond is there, L is a multiple of 64, in three dimensions of 32",
         "What a word of spins holds: the same replica and temperature of many realizations, all replicas and temperatures of one, or "
         "the same place in 128 boxes of one lattice. replicas pays off for few realizations, sites for one large lattice; as at "
         "share 1 every spin has a random number of its own, another one than "
         "there, and nothing else is different: a state written with the one goes on with the other", {}, "", true},
        {"dynamics.sweeps_per_swap", field<&Config::dynamics, &DynamicsSection::sweeps_per_swap>(), "10", "sweeps", 1, 1000000, {}, "",
         "Sweeps between two exchanges of neighbouring temperatures"},
        {"dynamics.update", field<&Config::dynamics, &DynamicsSection::update>(), "metropolis", "", 0, 0, {}, "cone: heisenberg only",
         "How a spin is updated in its local field: flipped with probability min(1, exp(-dE/T)), or drawn anew "
         "(flipped with probability 1 / (1 + exp(dE/T))). Of vectors metropolis proposes any direction, cone one in a cap about "
         "the old one, whose width is tuned in thermalize for half of the proposals to be accepted, and then stays", {}, "", true},
        {"dynamics.tile", field<&Config::dynamics, &DynamicsSection::tile>(), "0", "", 0, 64, {"0", "2", "4", "8", "16", "32", "64"},
         "with multispin.lanes = sites; whole tiles fit into lattice.L / 8 and lattice.L / 16, in three dimensions up to 8 into lattice.L / 4 and lattice.L / 8; in fields and with heat-bath on CPUs only",
         "Edge of the tiles of a double checkerboard: the tiles of one colour are updated dynamics.hits times, then those of the "
         "other; 0: the plain checkerboard. Every choice has the same equilibrium, but another way through it", {}, "", true},
        {"dynamics.hits", field<&Config::dynamics, &DynamicsSection::hits>(), "1", "sweeps", 1, 1000000, {}, "1 without tiles and in relax; divides dynamics.sweeps_per_swap and all numbers of sweeps",
         "Updates of a tile before those of the other colour have their turn. Sweeps count updates of a spin, so that a step of a "
         "double checkerboard is so many of them", {}, "", true},
        {"dynamics.over_relaxation", field<&Config::dynamics, &DynamicsSection::over_relaxation>(), "0", "sweeps", 0, 1000, {}, "heisenberg without anisotropy only",
         "After each sweep so many in which every spin is turned by pi about its local field, which keeps the energy. They are not "
         "counted as sweeps", {}, "", true},
        {"dynamics.precision", field<&Config::dynamics, &DynamicsSection::precision>(), "float", "", 0, 0, {},
         "heisenberg, or model.couplings = gaussian, only; fast: heisenberg on GPUs",
         "Of vector spins and real couplings, and all arithmetic of their updates. fast: as float with a GPU's approximations of "
         "elementary functions, for comparisons; its spins are those of one kind of GPU and one build, and files say so", {}, "", true},
        {"thermalize.sweeps", field<&Config::thermalize_sweeps>(), "2048", "sweeps", 0, max_run, {}, per_size,
         "Sweeps from the random start that are not measured"},
        {"run.sweeps", field<&Config::run_sweeps>(), "8192", "sweeps", 1, max_run, {},
         "at least run.blocks * run.measure_every; " + per_size, "Measured sweeps of the first run; runs can go on to twice, four times, ... as many"},
        {"run.measure_every", field<&Config::run, &RunSection::measure_every>(), "100", "sweeps", 1, 1e12, {},
         "a multiple of dynamics.sweeps_per_swap", "Sweeps between two measurements"},
        {"run.blocks", field<&Config::run, &RunSection::blocks>(), "16", "", 1, 1024, {}, "1 or an even number",
         "Equal blocks of a run, for errors; errors need 2 or more in what run.discard leaves", {},
         "anyOf: [{const: 1}, {multipleOf: 2}]"},
        {"run.discard", field<&Config::run, &RunSection::discard>(), "0.5", "", 0, 0.9, {}, "",
         "Part of the measured sweeps that averages leave out, from the first one on; tests of equilibration see it"},
        {"run.snapshots", field<&Config::run, &RunSection::snapshots>(), "0", "", 0, 1000000, {},
         "must divide the number of measurements, run.sweeps / run.measure_every",
         "Configurations of all spins kept in the run file, equally spaced; 0: none"},
        {"run.histogram_bins", field<&Config::run, &RunSection::histogram_bins>(), "50", "", 1, 10000, {}, "",
         "Bins of P(q) and of P(q_link) over -1 to 1"},
        {"run.magnetisation", field<&Config::run, &RunSection::magnetisation>(), "auto", "", 0, 0, {}, "",
         "When the magnetisation is measured: in ferromagnets and fields, or in every model", {}, "", true},
        {"equilibration.test", field<&Config::equilibration, &EquilibrationSection::test>(), "log2", "", 0, 0, {}, "",
         "log2: averages over the last half, quarter, eighth, ... of the sweeps agree; none: every realization is trusted"},
        {"equilibration.threshold_sigma", field<&Config::equilibration, &EquilibrationSection::threshold_sigma>(), "4", "sigma", 0.1, 1000, {},
         "", "Largest deviation between the last bins of an equilibrated realization"},
        {"equilibration.min_walk_times", field<&Config::equilibration, &EquilibrationSection::min_walk_times>(), "20", "", 0, 1e6, {}, "",
         "Least length of the run of an equilibrated realization in autocorrelation times of its temperature random walk, "
         "and in times that its hottest temperature remembers its spins without exchange; 0: not asked for"},
        {"equilibration.unequilibrated", field<&Config::equilibration, &EquilibrationSection::unequilibrated>(), "keep", "", 0, 0, {}, "",
         "Realizations that stay unequilibrated: keep them in the averages, or refuse to average. Averages over the others "
         "alone lie beside the averages in reduced.h5 as a diagnostic, see docs/definitions.md",
         {{"drop", "is no choice any more: realizations that pass are no random sample, and averages over them alone were "
                   "further off than those over all; reduced.h5 has them beside the averages, as O_passing; use keep or "
                   "refuse"}}},
        {"equilibration.max_doublings", field<&Config::equilibration, &EquilibrationSection::max_doublings>(), "4", "", 0, 20, {}, "",
         "How often the workflow may double a run that is not equilibrated"},
        {"relax.start", field<&Config::relax, &RelaxSection::start>(), "random", "", 0, 0, {}, "",
         "Where relax begins: spins at random, all up, or those of the file given with --state", {}, "", true},
        {"relax.first", field<&Config::relax, &RelaxSection::first>(), "2", "sweeps", 1, 1e12, {}, "even with metropolis; at most relax.last",
         "First of the times, from there on a logarithmic grid. With metropolis every time is even: a spin with bonds whose local "
         "field is 0 is flipped in every sweep (one without any bond and field with probability 1/2), so that correlations in time zigzag with the parity of t. Groups of such spins go round in 3 or "
         "4 sweeps: below T = 1 C(t_w, t_w + t) has wiggles at even times, too, which repeat after 12; heat-bath has none", {}, "", true},
        {"relax.last", field<&Config::relax, &RelaxSection::last>(), "65536", "sweeps", 1, max_run, {}, "",
         "No time is later. A larger value later goes on from the state at the end", {}, "", true},
        {"relax.per_decade", field<&Config::relax, &RelaxSection::per_decade>(), "10", "", 1, 1000, {}, "", "Times per factor of ten", {}, "", true},
        {"relax.waiting", field<&Config::relax, &RelaxSection::waiting>(), "[]", "sweeps", 0, max_run, {}, "ascending, up to 64; even with metropolis",
         "Waiting times t_w: at t_w + t, t on the same grid, spins are compared with those at t_w. 0 is the start", {}, "", true},
        {"relax.schedule", field<&Config::relax, &RelaxSection::schedule>(), "constant", "", 0, 0, {}, "",
         "Temperatures on the way, those of the study times a factor: steps takes relax.factors one after the other; linear and "
         "geometric go from the one factor to 1 in relax.stages equal steps. Each factor holds for relax.stage_sweeps; then it is 1",
         {}, "", true},
        {"relax.factors", field<&Config::relax, &RelaxSection::factors>(), "[]", "", 0.001, 1000, {}, "up to 1024; one with linear and geometric",
         "Factors of the temperatures; above 1 for cooling, below for heating", {}, "", true},
        {"relax.stages", field<&Config::relax, &RelaxSection::stages>(), "10", "", 1, 1024, {}, "", "Steps of a linear or geometric schedule", {}, "", true},
        {"relax.stage_sweeps", field<&Config::relax, &RelaxSection::stage_sweeps>(), "100", "sweeps", 1, 1e12, {}, "",
         "Sweeps with each factor of a schedule", {}, "", true},
        {"relax.fields", field<&Config::relax, &RelaxSection::fields>(), "[]", "", -1, 1, {}, "up to 1024; heisenberg in a field only",
         "Factors of model.field, one after the other, each for relax.stage_sweeps as those of the temperatures; then it is 1. "
         "0 cools without a field, 1 and then -1 turns it round, from 1 to -1 and back makes a loop of hysteresis", {}, "", true},
        {"relax.measure_every", field<&Config::relax, &RelaxSection::measure_every>(), "0", "sweeps", 0, 1e12, {}, "even with metropolis of Ising spins",
         "Measure at all multiples of it, and at waiting times, in the place of the logarithmic grid; 0: that grid", {}, "", true},
        {"checkpoint.every_seconds", field<&Config::checkpoint, &CheckpointSection::every_seconds>(), "300", "s", 0, 1e7, {}, "",
         "Time between checkpoints; 0: as often as possible. A stop signal or --time-limit always saves one"},
    };
    // clang-format on
}

std::vector<Key> make_keys() {
    std::vector<Key> keys = make_rows();
    for (Key& key : keys)
        if (const auto* choice = std::get_if<KeyChoice>(&key.field))
            key.allowed.assign(choice->names.begin(), choice->names.end());
    return keys;
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
