// Reads a study file and gives the parameters of one lattice size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/sections.hpp"

namespace psflip {

/// Holds a study as its YAML file describes it, with defaults for all missing keys. config/keys.cpp and
/// configs/reference.yaml have the keys with their units, ranges, defaults and descriptions.
struct Config : StudySections {
    std::vector<int> sizes{};                           ///< lattice.L, ascending
    std::map<int, std::vector<double>> temperatures{};  ///< per L, ascending, in units of J / k_B
    std::map<int, std::int64_t> thermalize_sweeps{};    ///< per L
    std::map<int, std::int64_t> run_sweeps{};           ///< per L

    std::string file{};      ///< path of the study file
    std::string yaml{};      ///< resolved configuration as YAML text (resolved_yaml)
    std::uint64_t hash = 0;  ///< FNV-1a 64 of `yaml`
};

/// Holds the parameters of one lattice size, on which one call of a program works.
struct Parameters : StudySections {
    int L = 0;
    std::vector<double> temperatures{};  ///< in units of J / k_B, ascending: slot 0 is the coldest
    std::int64_t thermalize_sweeps = 0;  ///< sweeps since the random start
    std::int64_t run_sweeps = 0;         ///< sweeps since the end of thermalization

    int n_sites() const { return model.dimension == 2 ? L * L : L * L * L; }
    int n_temperatures() const { return static_cast<int>(temperatures.size()); }
    /// Returns the keys on which a state and the configuration that continues it must agree, one "key: value"
    /// per line. State and run files store this text.
    std::string physics_yaml() const;
    /// Returns the value of `model` in physics_yaml: "{kind: ..., dimension: ..., ...}".
    std::string model_yaml() const;
};

/// Reads and validates the study file `path`. `overrides` ("key.path=value") replace its values.
/// Errors: InputError with file, line, key and remedy. Reasons are a missing file, YAML syntax, an unknown or
/// repeated key, a wrong type, a value out of range, or keys that contradict each other.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

/// Returns the study that the YAML text describes. `source` names the text in errors, which have no lines.
/// Errors: as load_config.
Config config_of_text(const std::string& yaml, const std::string& source);

/// Returns the study of an empty file, in which every key has its default.
Config default_config();

/// Returns the parameters of lattice size L. L = 0 stands for the only size of the study file. Errors:
/// InputError if the file does not have this size, or if it has several sizes and L is 0.
Parameters parameters_for(const Config& config, int L);

}  // namespace psflip
