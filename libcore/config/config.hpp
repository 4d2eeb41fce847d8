#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/sections.hpp"

namespace psflip {

/// The study as one YAML file describes it, resolved: every key has a value. Keys, units, ranges and
/// defaults stand in the table of config/keys.cpp and, commented, in configs/reference.yaml.
struct Config : StudySections {
    std::vector<int> sizes{};                           ///< lattice.L, ascending
    std::map<int, std::vector<double>> temperatures{};  ///< per L, ascending, J / k_B
    std::map<int, std::int64_t> thermalize_sweeps{};    ///< per L
    std::map<int, std::int64_t> run_sweeps{};           ///< per L

    std::string file{};      ///< where it was read from
    std::string yaml{};      ///< resolved configuration as YAML text, all keys, fixed order
    std::uint64_t hash = 0;  ///< FNV-1a 64 of `yaml`
};

/// The parameters of one lattice size: what one call of a program works on.
struct Parameters : StudySections {
    int L = 0;
    std::vector<double> temperatures{};  ///< ascending, slot 0 the coldest
    std::int64_t thermalize_sweeps = 0;
    std::int64_t run_sweeps = 0;

    int n_sites() const { return model.dimension == 2 ? L * L : L * L * L; }
    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    int n_pairs() const { return replicas * (replicas - 1) / 2; }
    /// What a state must have in common with the configuration that continues it, one "key: value" per line:
    /// seed, model, L, temperatures, replicas, share, sweeps_per_swap; of other keys those that differ from
    /// their defaults. Stored in state and run files.
    std::string physics_yaml() const;
    /// Its line of the model: "{kind: ..., dimension: ..., ...}".
    std::string model_yaml() const;
};

/// Reads and validates `path`, applying `overrides` ("key.path=value") on top. Throws InputError naming file,
/// line and key, and what would be right, for a missing file, YAML syntax, an unknown or repeated key, a
/// wrong type, a value out of range, or keys that contradict each other.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

/// Returns the study of an empty file, in which every key has its default.
Config default_config();

/// The parameters of lattice size L. L = 0 means "the only one of the file" and is an error where there are
/// several.
Parameters parameters_for(const Config& config, int L);

}  // namespace psflip
