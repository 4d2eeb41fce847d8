#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace psflip {

/// The study as one YAML file describes it, resolved: every key has a value. Keys, units, ranges and
/// defaults stand in the table of config/keys.cpp and, commented, in configs/reference.yaml.
struct Config {
    std::uint64_t seed = 0;
    std::string model_kind;  ///< "edwards-anderson", "ferromagnet" or "heisenberg"
    int dimension = 3;
    double field = 0.0;                               ///< h
    double p_ferro = 0.5;                             ///< probability of J = +1
    double p_absent = 0.0;                            ///< probability of an absent bond
    std::string boundary;                             ///< "periodic" or "open"
    std::string couplings;                            ///< "discrete" or "gaussian"
    std::vector<double> exchange;                     ///< of bonds a-a, a-b, b-b; vector spins, as all to
    std::string dm_pattern;                           ///< "none", "constant" or "alternating"
    std::vector<double> dm;                           ///< likewise of a-a, a-b, b-b
    std::vector<double> dm_axis;                      ///< x, y, z
    std::vector<double> anisotropy;                   ///< of a, b
    std::vector<double> moments;                      ///< of a, b
    double concentration = 0.0;                       ///< of b, the last of vector spins
    std::vector<int> sizes;                           ///< lattice.L, ascending
    std::int64_t realizations = 0;                    ///< disorder.realizations, per L
    std::int64_t batch = 0;                           ///< disorder.batch, realizations per file
    std::string disorder_source;                      ///< "drawn" or "files"
    std::map<int, std::vector<double>> temperatures;  ///< per L, ascending, J / k_B
    int replicas = 0;
    int share = 0;      ///< multispin.share: 1, 32, 64 or 128
    std::string lanes;  ///< multispin.lanes: "realizations", "replicas" or "sites"
    int sweeps_per_swap = 0;
    int tile = 0, hits = 1;                         ///< of a double checkerboard; tile 0: the plain one
    std::string update;                             ///< "metropolis", "heat-bath" or "cone"
    int over_relaxation = 0;                        ///< sweeps, of vector spins
    std::string precision;                          ///< "float" or "double", of vector spins and local fields
    std::map<int, std::int64_t> thermalize_sweeps;  ///< per L
    std::map<int, std::int64_t> run_sweeps;         ///< per L
    std::int64_t measure_every = 0;                 ///< sweeps
    int blocks = 0;
    double discard = 0.0;  ///< run.discard: 0 <= discard < 1
    std::int64_t snapshots = 0;
    std::string magnetisation;  ///< measured "auto" or "always"
    int histogram_bins = 0;
    std::string equilibration_test;
    double equilibration_threshold_sigma = 0.0;
    double min_walk_times = 0.0;
    std::string unequilibrated;  ///< keep or refuse
    int max_doublings = 0;
    std::string relax_start;                  ///< "random", "up" or "state"
    std::int64_t relax_first = 0;             ///< sweeps, the first time
    std::int64_t relax_last = 0;              ///< sweeps, no time is later
    int relax_per_decade = 0;                 ///< times
    std::vector<std::int64_t> relax_waiting;  ///< waiting times, sweeps, ascending
    std::string relax_schedule;               ///< "constant", "steps", "linear" or "geometric"
    std::vector<double> relax_factors;        ///< of the temperatures on the way
    int relax_stages = 0;
    std::int64_t relax_stage_sweeps = 0;
    std::vector<double> relax_fields;      ///< factors of the field on the way
    std::int64_t relax_measure_every = 0;  ///< sweeps; 0: a logarithmic grid
    double checkpoint_every_seconds = 0.0;

    std::string file;        ///< where it was read from
    std::string yaml;        ///< resolved configuration as YAML text, all keys, fixed order
    std::uint64_t hash = 0;  ///< FNV-1a 64 of `yaml`
};

/// The keys of vector spins (model/heisenberg.hpp).
struct VectorParameters {
    std::vector<double> exchange{1.0, 1.0, 1.0};
    std::string dm_pattern = "none";
    std::vector<double> dm{0.0, 0.0, 0.0}, dm_axis{0.0, 1.0, 0.0}, anisotropy{0.0, 0.0}, moments{1.0, 1.0};
    double concentration = 0.0;
    int over_relaxation = 0;
    std::string precision = "float";
    bool operator==(const VectorParameters&) const = default;
};

/// What a relaxation does beside the batch and its temperatures.
struct RelaxParameters {
    std::string start = "random";
    std::int64_t first = 2, last = 65536;  ///< sweeps
    int per_decade = 10;
    std::vector<std::int64_t> waiting{};  ///< sweeps, ascending
    /// Of the temperatures, one after the other for stage_sweeps each; then they are what they are.
    std::vector<double> factors{};
    std::int64_t stage_sweeps = 0;
    bool even = true;                ///< all times are even
    std::vector<double> fields{};    ///< likewise of the field, of vector spins
    std::int64_t measure_every = 0;  ///< sweeps; 0: on a logarithmic grid
    bool operator==(const RelaxParameters&) const = default;
};

/// The parameters of one lattice size: what one call of a program works on.
struct Parameters {
    std::uint64_t seed;
    int L;
    std::vector<double> temperatures;  ///< ascending, slot 0 the coldest
    int replicas;
    int share;
    std::string lanes = "realizations";
    std::string model_kind = "edwards-anderson";
    int dimension = 3;
    double field = 0.0;
    double p_ferro = 0.5;
    double p_absent = 0.0;
    std::string boundary = "periodic";
    std::string couplings = "discrete";
    std::string update = "metropolis";
    int tile = 0, hits = 1;
    int sweeps_per_swap;
    std::int64_t thermalize_sweeps;
    std::int64_t run_sweeps;
    std::int64_t measure_every;
    int blocks;
    double discard;
    std::int64_t snapshots;
    bool magnetisation = false;  ///< measured in every model
    int histogram_bins;
    double checkpoint_every_seconds;
    RelaxParameters relax{};
    VectorParameters vectors{};

    /// Whether spins are vectors.
    bool has_vectors() const { return model_kind == "heisenberg"; }
    /// Whether spins are Ising spins with couplings that are real numbers.
    bool gaussian() const { return couplings == "gaussian"; }
    int n_sites() const { return dimension == 2 ? L * L : L * L * L; }
    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    int n_pairs() const { return replicas * (replicas - 1) / 2; }
    /// What a state must have in common with the configuration that continues it, one "key: value" per line:
    /// seed, model, L, temperatures, replicas, share, sweeps_per_swap; of later keys those that differ from
    /// their defaults. Stored in state and run files.
    std::string physics_yaml() const;
    /// Its line of the model: "{kind: ..., dimension: ..., ...}".
    std::string model_yaml() const;
};

/// Reads and validates `path`, applying `overrides` ("key.path=value") on top. Throws InputError naming file,
/// line and key, and what would be right, for a missing file, YAML syntax, an unknown or repeated key, a
/// wrong type, a value out of range, or keys that contradict each other.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

/// The parameters of lattice size L. L = 0 means "the only one of the file" and is an error where there are
/// several.
Parameters parameters_for(const Config& config, int L);

}  // namespace psflip
