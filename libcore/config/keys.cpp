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

/// Returns the member at the end of a path of pointers to members, as in at<&Config::run,
/// &RunSection::blocks>(config).
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
    const std::string one_per_size = "or one per size as {4: ..., 8: ..., default: ...}",
                      per_size = "one value, " + one_per_size;
    // clang-format off
    return {
        // path, field, default, unit, low, high, allowed, rule, doc
        {"seed", field<&Config::seed>(), "20261121", "", 0, 18446744073709551615.0, {}, "",
         "Seed of all random numbers. Independent studies need different seeds"},
        {"model.kind", field<&Config::model, &ModelSection::kind>(), "edwards-anderson", "", 0, 0, {}, "",
         "Kind of spins and couplings. Each bond <ij> counts once, and j is the neighbour of i in a positive direction.\n"
         "edwards-anderson: Ising spins with H = -sum_<ij> J_ij s_i s_j - h sum_i s_i and J_ij = +1 or -1, or Gaussian J_ij "
         "(model.couplings).\n"
         "ferromagnet: the same H with J_ij = +1.\n"
         "heisenberg: vectors |S| = 1 of species a and b with\n"
         "  H = -sum_<ij> [J_ij S_i.S_j + D_ij.(S_i x S_j)] - sum_i K_i (S_i^x)^2 - h sum_i m_i S_i^z\n"
         "The anisotropy K_i and the moment m_i depend on the species of site i. J, D, K, h and k_B T have the same unit of "
         "energy. The ranges of keys call this unit J, as in [J; -100 to 100]"},
        {"model.dimension", field<&Config::model, &ModelSection::dimension>(), "3", "", 2, 3, {"2", "3"}, "",
         "Dimension of the lattice: square or cubic"},
        {"model.field", field<&Config::model, &ModelSection::field>(), "0", "J", -100, 100, {}, "", "Uniform external field h"},
        {"model.p_ferro", field<&Config::model, &ModelSection::p_ferro>(), "0.5", "", 0, 1, {}, "needs edwards-anderson and discrete couplings",
         "Probability that a bond has J = +1 if it is not absent (model.p_absent)"},
        {"model.p_absent", field<&Config::model, &ModelSection::p_absent>(), "0", "", 0, 1, {},
         "above 0: not with heisenberg or gaussian couplings",
         "Probability that a bond is absent (J = 0)", "", true},
        {"model.boundary", field<&Config::model, &ModelSection::boundary>(), "periodic", "", 0, 0, {}, "open: not with gaussian couplings",
         "periodic: opposite faces of the lattice are neighbours. open: there are no bonds between opposite faces", "", true},
        {"model.couplings", field<&Config::model, &ModelSection::couplings>(), "discrete", "", 0, 0, {},
         "gaussian: edwards-anderson only",
         "discrete: J_ij = +1 or -1. gaussian: J_ij from the normal distribution with mean 0 and variance 1, in units of J. "
         "Gaussian couplings need a random number for every spin, so the default of multispin.share is then 1", "", true},
        {"model.exchange", field<&Config::model, &ModelSection::exchange>(), "[1, 1, 1]", "J", -1000, 1000, {}, "3 values; heisenberg only",
         "J of the bonds a-a, a-b and b-b. Positive values are ferromagnetic", "", true},
        {"model.dm_pattern", field<&Config::model, &ModelSection::dm_pattern>(), "none", "", 0, 0, {}, "heisenberg only",
         "Dzyaloshinskii-Moriya vectors. constant: D_ij = D n on every bond. alternating: D_ij = D n (-1)^(x+y+z) with the coordinates "
         "of site i", "", true},
        {"model.dm", field<&Config::model, &ModelSection::dm>(), "[0, 0, 0]", "J", -1000, 1000, {},
         "3 values, not all 0 with a pattern; heisenberg only",
         "D of the bonds a-a, a-b and b-b", "", true},
        {"model.dm_axis", field<&Config::model, &ModelSection::dm_axis>(), "[0, 1, 0]", "", -1000, 1000, {},
         "3 values, not all 0; heisenberg only",
         "Direction of the Dzyaloshinskii-Moriya vectors. psflip scales it to the unit vector n", "", true},
        {"model.anisotropy", field<&Config::model, &ModelSection::anisotropy>(), "[0, 0]", "J", -1000, 1000, {},
         "2 values; heisenberg only",
         "Anisotropy K of species a and b. With positive K, x is the easy axis", "", true},
        {"model.moments", field<&Config::model, &ModelSection::moments>(), "[1, 1]", "", -1000, 1000, {}, "2 values; heisenberg only",
         "Magnetic moments m of species a and b in the field", "", true},
        {"model.concentration", field<&Config::model, &ModelSection::concentration>(), "0", "", 0, 1, {}, "heisenberg only",
         "Probability that a site belongs to species b. Sites are independent", "", true},
        {"lattice.L", field<&Config::sizes>(), "[4, 6, 8]", "sites", 4, limits::max_square_L, {},
         "even, no size twice; above 1024: needs two dimensions and multispin.lanes = sites (up to 65536 with one temperature, 46336 "
         "with several); three dimensions: up to 894 for Ising spins with absent bonds or open boundaries; three "
         "dimensions above 644 with multispin.share = 1: needs either multispin.lanes = sites or slabs (docs/gpu.md); slabs then need "
         "Ising spins with discrete couplings and multispin.lanes = realizations, without demons, clusters or Houdayer moves",
         "Linear sizes of the lattices. The checkerboard update needs even sizes", "multipleOf: 2"},
        {"disorder.realizations", field<&Config::disorder, &DisorderSection::realizations>(), "512", "", 1, max_realizations, {}, "",
         "Number of disorder realizations of each size. If you raise this number later, psflip adds realizations and "
         "keeps the existing realizations"},
        {"disorder.batch", field<&Config::disorder, &DisorderSection::batch>(), "128", "", 1, max_realizations, {},
         "a multiple of 32 and of multispin.share, unless one batch holds all realizations",
         "Number of realizations in one file and one job. Multiples of 128 use the machine best"},
        {"disorder.source", field<&Config::disorder, &DisorderSection::source>(), "drawn", "", 0, 0, {}, "",
         "Source of the couplings. drawn: psflip draws them from the distribution of the model. files: disorder files that "
         "the workflow gets with --couplings", "", true},
        {"temperatures", field<&Config::temperatures>(), "", "J/k_B", 0.01, 1000, {},
         "{list: [...]} or {min, max, count, spacing}; one such section, " + one_per_size,
         "Temperatures of parallel tempering or of a relaxation, in ascending order, up to 64. There are two forms. Each lattice size "
         "can have its own temperatures, as in the third example:\n"
         "  temperatures: {min: 0.8, max: 1.8, count: 20, spacing: geometric}\n"
         "  temperatures: {list: [0.8, 0.9, 1.0]}\n"
         "  temperatures: {4: {list: [0.8, 1.0]}, 6: {list: [0.8, 1.0]}, 8: {min: 0.9, max: 1.8, count: 24}}\n"
         "The first form has the keys min, max, count and spacing. The second form has the key list"},
        {"temperatures.min", {}, "0.8", "J/k_B", 0.01, 1000, {}, "below max", "Lowest temperature"},
        {"temperatures.max", {}, "1.8", "J/k_B", 0.01, 1000, {}, "above min", "Highest temperature"},
        {"temperatures.count", {}, "20", "", 2, limits::temperatures, {}, "", "Number of temperatures"},
        {"temperatures.spacing", {}, "geometric", "", 0, 0, all_names<Spacing>(), "",
         "Equal steps of T (linear), of log T (geometric) or of 1/T (inverse). Values are rounded to 10 digits"},
        {"temperatures.list", {}, "", "J/k_B", 0.01, 1000, {}, "1 to 64 values, none twice; instead of the other four keys",
         "All temperatures, as in [0.8, 0.9, 1.0, 1.1]. There is no default"},
        {"replicas", field<&Config::replicas>(), "2", "", 1, limits::replicas, {}, "",
         "Number of copies of each realization with the same couplings. Overlaps need at least 2 replicas, or at least 4 for a glass in "
         "a field. psflip refuses 2 and 3 replicas of such a glass. 1 replica gives energies and, if measured, magnetisations"},
        {"multispin.share", field<&Config::multispin, &MultispinSection::share>(), "128", "", 1, 128, {"1", "32", "64", "128"},
         "vector spins, model.couplings = gaussian, dynamics.update = demon, swendsen-wang or wolff, or multispin.lanes = "
         "replicas or sites: must be 1, which is then the default; realizations that would become copies of each other: must be set to 1",
         "Number of realizations that share one random number. With 1, every spin has its own random number, which is "
         "slower. Averages agree within errors for all values, but random numbers differ. Errors include the noise that "
         "realizations share.\n"
         "Realizations that share numbers evolve differently because the signs of their couplings are random. If these signs "
         "matter little, realizations become copies of each other, and psflip accepts only 1. This happens in ferromagnets, with "
         "model.p_ferro = 0 or 1, and in fields above 2 J. It also happens with model.p_absent above 0.75 (0.5 in two "
         "dimensions). Bonds then form only small clusters with few loops, so random signs cause little frustration"},
        {"multispin.lanes", field<&Config::multispin, &MultispinSection::lanes>(), "realizations", "", 0, 0, {},
         "replicas and sites: Ising spins with discrete couplings and multispin.share = 1, which is then the default; sites: "
         "periodic boundaries, no absent bonds, and L a multiple of 64 (32 in three dimensions)",
         "Multispin coding: one machine word holds many spins, one in each bit. This key says which spins share a word.\n"
         "realizations: the same site of many realizations, at one replica and temperature.\n"
         "replicas: the same site of all replicas and temperatures of one realization. This is faster for few realizations.\n"
         "sites: the same site of 128 subdomains of one large lattice.\n"
         "With `replicas` or `sites`, every spin has its own random number. These random numbers differ from the random numbers of "
         "`realizations`, even with multispin.share = 1. So results agree only within errors. A run may continue a state that "
         "was written with another value", "", true},
        {"dynamics.sweeps_per_swap", field<&Config::dynamics, &DynamicsSection::sweeps_per_swap>(), "10", "sweeps", 1, 1000000, {}, "",
         "Sweeps between two exchanges of neighbouring temperatures"},
        {"dynamics.update", field<&Config::dynamics, &DynamicsSection::update>(), "metropolis", "", 0, 0, {},
         "cone: heisenberg only; heat-bath: not with model.anisotropy; demon: only Ising spins with discrete couplings, "
         "no slabs, no tiles, multispin.share = 1 (then the default); with multispin.lanes = replicas or sites also no field, no "
         "absent bonds and periodic boundaries; swendsen-wang and wolff: only ferromagnet, model.field = 0, no slabs, no tiles, "
         "multispin.share = 1 (then the default), and multispin.lanes = realizations or sites",
         "Update of a spin in its local field. dE is the change of the energy by a flip or by a proposed direction.\n"
         "metropolis: an Ising spin flips with probability min(1, exp(-dE/T)), or 1/2 if it has neither bonds nor a field. A "
         "vector proposes a uniformly random direction and accepts with probability min(1, exp(-dE/T)).\n"
         "heat-bath: an Ising spin flips with probability 1 / (1 + exp(dE/T)). A vector gets a new direction from its "
         "distribution in the local field.\n"
         "cone: as metropolis, but a vector proposes a direction in a cone around its old direction. psflip tunes the width of "
         "the cone during thermalize.sweeps and in relax, so that half of the proposals are accepted. The measured "
         "sweeps of parallel tempering (run.sweeps) keep the width.\n"
         "demon: an Ising spin flips if its demon, a small store of energy, can pay for the flip or has room for the gain. Demons "
         "are drawn anew before each colour of the checkerboard. A demon serves up to dynamics.demon_sites spins, so that few "
         "random numbers are needed. In a field, a second demon must also pay for the energy in the field.\n"
         "swendsen-wang: between two equal neighbours, a bond is active with probability 1 - exp(-2/T). Sites that active bonds "
         "connect are a cluster. Every cluster gets a new random spin.\n"
         "wolff: the cluster of a random site is flipped. A sweep flips dynamics.wolff_clusters clusters, one after the other", "", true},
        {"dynamics.demon_sites", field<&Config::dynamics, &DynamicsSection::demon_sites>(), "16", "sites", 1, limits::max_demon_sites, {},
         "dynamics.update = demon only",
         "Maximum number of sites of one colour that a demon serves. More sites need fewer random numbers, but the energy then "
         "relaxes more slowly (docs/demons.md). The key changes the dynamics, not the equilibrium distribution", "", true},
        {"dynamics.wolff_clusters", field<&Config::dynamics, &DynamicsSection::wolff_clusters>(), "1", "", 1, limits::max_wolff_clusters, {},
         "dynamics.update = wolff only",
         "Number of clusters of one sweep. It is fixed, because a number that depends on the sizes of the clusters would bias "
         "averages. Far above the critical temperature clusters are small, so a sweep should have many", "", true},
        {"dynamics.tile", field<&Config::dynamics, &DynamicsSection::tile>(), "0", "", 0, 64, {"0", "2", "4", "8", "16", "32", "64"},
         "only multispin.lanes = sites, heisenberg and model.couplings = gaussian; in three dimensions: up to 8. sites: two "
         "dimensions: divides lattice.L / 16; three dimensions: divides lattice.L / 8; on GPUs: no field and no heat-bath; not with "
         "dynamics.update = demon, swendsen-wang or wolff. heisenberg and gaussian: from 8 on, and divides lattice.L / 2; periodic "
         "boundaries, and one rank",
         "Edge of the tiles of a double checkerboard, in sites. The lattice is cut into tiles that are coloured like a "
         "checkerboard. All tiles of one colour are updated dynamics.hits times, then all tiles of the other colour. 0: the "
         "plain checkerboard of spins, without tiles. The key changes the dynamics, not the equilibrium distribution", "", true},
        {"dynamics.hits", field<&Config::dynamics, &DynamicsSection::hits>(), "1", "sweeps", 1, 1000000, {},
         "1 without tiles and in relax; divides dynamics.sweeps_per_swap, dynamics.houdayer_every and every number of sweeps; with "
         "dynamics.update = cone: 1, 2, 4, 8 or 16",
         "Number of updates of a tile before the tiles of the other colour are updated. A sweep is one update of every spin, "
         "so one step over both colours counts as dynamics.hits sweeps. Hits save time on GPUs only", "", true},
        {"dynamics.tile_order", field<&Config::dynamics, &DynamicsSection::tile_order>(), "fixed", "", 0, 0, {},
         "fixed without tiles and with dynamics.over_relaxation",
         "Order of the tiles in the steps over both colours.\n"
         "fixed: tiles of even coordinate sum come first, and even sites come first in each update of a tile.\n"
         "alternating: every second step begins with the other tiles (Weigel, section 3.4).\n"
         "reversed: also the order of sites in each update is reversed in every second step. Only then do two steps together obey "
         "detailed balance.\n"
         "The key changes the dynamics, not the equilibrium distribution. Alternating and reversed orders relax more slowly than "
         "fixed", "", true},
        {"dynamics.houdayer_every", field<&Config::dynamics, &DynamicsSection::houdayer_every>(), "0", "sweeps", 0, 1000000, {},
         "only Ising spins and two replicas or more; not with multispin.lanes = sites, several ranks, or absent bonds or open "
         "boundaries with multispin.lanes = replicas; relax makes no moves",
         "Sweeps between two Houdayer moves. A move takes two replicas at the same temperature and a random site. If the spins of "
         "both replicas differ there, the move exchanges them on a cluster: all sites that bonds connect to this site through sites "
         "at which the spins differ. Otherwise it does nothing. The sum of the two energies does not change. 0: no moves", "", true},
        {"dynamics.houdayer_below", field<&Config::dynamics, &DynamicsSection::houdayer_below>(), "1", "J/k_B", 0.01, 1000, {},
         "dynamics.houdayer_every > 0 only",
         "Highest temperature at which Houdayer moves are made. At higher temperatures, sweeps alone change configurations fast "
         "(docs/houdayer.md)", "", true},
        {"dynamics.over_relaxation", field<&Config::dynamics, &DynamicsSection::over_relaxation>(), "0", "sweeps", 0, 1000, {},
         "needs heisenberg without anisotropy",
         "Number of over-relaxation sweeps after each sweep. They rotate every spin by pi about its local field, which keeps "
         "the energy. They do not count as sweeps. With dynamics.hits, each step over both colours of tiles is followed by "
         "dynamics.hits times as many, also in tiles", "", true},
        {"dynamics.precision", field<&Config::dynamics, &DynamicsSection::precision>(), "float", "", 0, 0, {},
         "heisenberg, or model.couplings = gaussian; fast: needs heisenberg and a GPU",
         "Precision of vector spins, of Gaussian couplings and of their updates. fast: as float, but with approximate elementary "
         "functions of the GPU. Use it to compare speed and results with float. With fast, spins are reproducible only on one kind "
         "of GPU with one build, and files record this", "", true},
        {"thermalize.sweeps", field<&Config::thermalize_sweeps>(), "2048", "sweeps", 0, max_run, {}, per_size,
         "Sweeps after the random start that are not measured"},
        {"run.sweeps", field<&Config::run_sweeps>(), "8192", "sweeps", 1, max_run, {},
         "at least run.blocks * run.measure_every; " + per_size,
         "Measured sweeps of the first run. Later runs can continue it to two, four, ... times as many sweeps"},
        {"run.measure_every", field<&Config::run, &RunSection::measure_every>(), "100", "sweeps", 1, 1e12, {},
         "a multiple of dynamics.sweeps_per_swap", "Sweeps between two measurements"},
        {"run.blocks", field<&Config::run, &RunSection::blocks>(), "16", "", 1, 1024, {}, "1 or an even number",
         "Number of equal time blocks of a run, for errors. Errors need at least 2 blocks after run.discard",
         "anyOf: [{const: 1}, {multipleOf: 2}]"},
        {"run.discard", field<&Config::run, &RunSection::discard>(), "0.5", "", 0, 0.9, {}, "",
         "Fraction of the measured sweeps that averages discard at the start. Tests of equilibration use all sweeps"},
        {"run.snapshots", field<&Config::run, &RunSection::snapshots>(), "0", "", 0, 1000000, {},
         "divides the number of measurements, which is run.sweeps / run.measure_every rounded down",
         "Number of equally spaced spin configurations that the run file keeps"},
        {"run.histogram_bins", field<&Config::run, &RunSection::histogram_bins>(), "50", "", 1, 10000, {}, "",
         "Number of bins of P(q) and P(q_link) between -1 and 1"},
        {"run.magnetisation", field<&Config::run, &RunSection::magnetisation>(), "auto", "", 0, 0, {}, "",
         "When the magnetisation is measured. auto: in ferromagnets and in fields. always: in every Ising model", "", true},
        {"equilibration.test", field<&Config::equilibration, &EquilibrationSection::test>(), "log2", "", 0, 0, {}, "",
         "log2: the average over the last half of the run must agree with two earlier averages. They cover the quarter before this half, "
         "and the eighth before this quarter. "
         "none: every realization counts as equilibrated"},
        {"equilibration.threshold_sigma", field<&Config::equilibration, &EquilibrationSection::threshold_sigma>(), "4", "sigma", 0.1, 1000, {}, "",
         "With the log2 test, a realization counts as equilibrated only if its averages differ by at most this many standard "
         "errors"},
        {"equilibration.min_walk_times", field<&Config::equilibration, &EquilibrationSection::min_walk_times>(), "20", "", 0, 1e6, {}, "",
         "Minimum length of a run, in units of the longer of two times. The first time is the autocorrelation time of the random "
         "walk of a realization's configurations through the temperatures. The second time is the relaxation time of a realization "
         "at the hottest temperature, without exchange. A realization with a shorter run does not count as equilibrated. 0: no minimum"},
        {"equilibration.unequilibrated", field<&Config::equilibration, &EquilibrationSection::unequilibrated>(), "keep", "", 0, 0, {}, "",
         "What psflip does with realizations that do not equilibrate.\n"
         "keep: averages include them. As a diagnostic, reduced.h5 also has averages over the equilibrated "
         "realizations alone (docs/definitions.md).\n"
         "refuse: if a single realization does not equilibrate, or if the averages of a size drift, psflip stops with an error and "
         "computes no averages at all"},
        {"equilibration.max_doublings", field<&Config::equilibration, &EquilibrationSection::max_doublings>(), "4", "", 0, 20, {}, "",
         "Maximum number of times that the workflow doubles the length of a run that is not equilibrated"},
        {"relax.start", field<&Config::relax, &RelaxSection::start>(), "random", "", 0, 0, {}, "",
         "Initial spins of a relaxation: random, all up, or the state of the file given with --state. A relaxation sweeps without "
         "exchange of temperatures. A study with the section relax and without the section run is a relaxation", "", true},
        {"relax.first", field<&Config::relax, &RelaxSection::first>(), "2", "sweeps", 1, 1e12, {},
         "even for Ising spins with metropolis or demon; at most relax.last",
         "First time t of the logarithmic grid. psflip also measures at the waiting times, which may be earlier.\n"
         "With metropolis or demon, all times of measurement of Ising spins must be even. A spin with bonds flips in every sweep "
         "while its local field is 0. Correlations in time would then alternate between even and odd times. Neighbouring spins can "
         "also switch each other's local field to 0 and back, and then do not flip in every sweep. Some small groups of them "
         "return to their configuration after 3 sweeps, others after 4. In +-J glasses below T = 1, correlations in time therefore "
         "oscillate with period 12, the least common multiple. This also happens if only even times are measured. heat-bath has no oscillation", "", true},
        {"relax.last", field<&Config::relax, &RelaxSection::last>(), "65536", "sweeps", 1, max_run, {}, "",
         "Upper limit of the times of measurement. The relaxation ends at the last of these times. If you raise this value later, the "
         "study continues from the last state", "", true},
        {"relax.per_decade", field<&Config::relax, &RelaxSection::per_decade>(), "10", "", 1, 1000, {}, "",
         "Number of measurements per factor of ten in time", "", true},
        {"relax.waiting", field<&Config::relax, &RelaxSection::waiting>(), "[]", "sweeps", 0, max_run, {},
         "ascending; up to 64 values; even for Ising spins with metropolis or demon",
         "Waiting times t_w. psflip compares the spins at t_w with the spins at every later time of measurement. If "
         "relax.measure_every is 0, psflip also measures at all times t_w + t up to relax.last, where t is a time of the "
         "logarithmic grid. t_w = 0 is the start", "", true},
        {"relax.schedule", field<&Config::relax, &RelaxSection::schedule>(), "constant", "", 0, 0, {}, "",
         "How temperatures change with time. A factor multiplies all temperatures of the study.\n"
         "constant: the factor is 1.\n"
         "steps: the factors are the values of relax.factors in turn.\n"
         "linear: the factor goes from the value in relax.factors to 1 in relax.stages equal steps.\n"
         "geometric: the same, but with equal steps of the logarithm of the factor.\n"
         "Each factor lasts relax.stage_sweeps sweeps. After the last factor, the factor is 1 until relax.last. With linear "
         "and geometric, the factor 1 begins after relax.stages * relax.stage_sweeps sweeps", "", true},
        {"relax.factors", field<&Config::relax, &RelaxSection::factors>(), "[]", "", 0.001, 1000, {},
         "up to 1024 values; exactly one value with linear and geometric",
         "Factors of the temperatures. With a factor above 1, the lattice is hotter than the temperatures of the study", "", true},
        {"relax.stages", field<&Config::relax, &RelaxSection::stages>(), "10", "", 1, 1024, {}, "",
         "Number of steps of a linear or geometric schedule. This is also the number of factors before the factor 1", "", true},
        {"relax.stage_sweeps", field<&Config::relax, &RelaxSection::stage_sweeps>(), "100", "sweeps", 1, 1e12, {}, "",
         "Number of sweeps that each factor of a schedule lasts", "", true},
        {"relax.fields", field<&Config::relax, &RelaxSection::fields>(), "[]", "", -1, 1, {},
         "up to 1024 values; needs heisenberg and a field",
         "Factors of model.field in turn. Each factor lasts relax.stage_sweeps sweeps. After the last factor of the list, "
         "the factor is 1. With a factor of 0, there is no field, for example to cool without a field. Factors 1 and then -1 "
         "reverse the field. A path from 1 to -1 and back is a hysteresis loop", "", true},
        {"relax.measure_every", field<&Config::relax, &RelaxSection::measure_every>(), "0", "sweeps", 0, 1e12, {},
         "even for Ising spins with metropolis or demon",
         "Sweeps between two measurements, instead of the logarithmic grid. psflip also measures at the waiting times. 0: "
         "the logarithmic grid", "", true},
        {"checkpoint.every_seconds", field<&Config::checkpoint, &CheckpointSection::every_seconds>(), "300", "s", 0, 1e7, {}, "",
         "Time between two checkpoints. 0: as often as possible. A stop signal or --time-limit always saves a checkpoint"},
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
        const int here = key.path.starts_with(path + "_") ? 0 : distance(path, key.path);
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
