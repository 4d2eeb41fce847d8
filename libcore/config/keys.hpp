#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/config.hpp"

namespace psflip {

/// Finds the value of a key in a Config.
template <class T>
using KeyValue = T& (*)(Config&);

/// Reads and writes a key whose values are names (config/choices.hpp).
struct KeyChoice {
    std::string (*text)(Config&);
    void (*set)(Config&, const std::string&);
    std::span<const char* const> names;
};

/// Where a key's value goes in Config, which also gives its type. monostate: a part of `temperatures`,
/// which the ladder (config/ladder.hpp) reads.
using ConfigField =
    std::variant<std::monostate, KeyChoice, KeyValue<std::uint64_t>, KeyValue<int>, KeyValue<std::int64_t>,
                 KeyValue<double>, KeyValue<std::vector<int>>, KeyValue<std::vector<std::int64_t>>,
                 KeyValue<std::vector<double>>, KeyValue<std::map<int, std::int64_t>>,
                 KeyValue<std::map<int, std::vector<double>>>>;

/// One row of the table of keys.
struct Key {
    std::string path;  ///< "run.measure_every"
    ConfigField field;
    std::string default_value;         ///< as YAML text; empty: none
    std::string unit;                  ///< "sweeps"; empty: a pure number or a name
    double low = 0, high = 0;          ///< inclusive range of a number; unused for text
    std::vector<std::string> allowed;  ///< all allowed values if they are few; KeyChoice has its own
    std::string rule;  ///< what the range does not say: "a multiple of dynamics.sweeps_per_swap"
    std::string doc;   ///< a sentence, or several, without the last full stop
    std::map<std::string, std::string> gone = {};  ///< values of older versions: why, and what to use
    std::string schema = {};                       ///< of the rule, what JSON schema can say
    /// The key enters the resolved configuration and files only if it differs from its default. A new key
    /// needs this, so that studies without it keep their text and hash.
    bool omits_default = false;
};

/// All keys in the order of the resolved configuration.
const std::vector<Key>& config_keys();

/// The row of `path`, or nullptr.
const Key* find_key(const std::string& path);

/// True where `path` is a section: a proper prefix of keys ("run").
bool is_section(const std::string& path);

/// "sweeps" of "run.sweeps".
std::string key_name(const std::string& path);

/// "1 to 8", "one of 1, 32, 64, 128", with the rule after a semicolon.
std::string range_text(const Key& key);

/// "keys of run: sweeps, measure_every, ..." of a section, or of the root where `section` is empty.
std::string known_keys(const std::string& section);

/// What to write instead of the unknown `path`: "did you mean run.sweeps?", or the known keys of its section.
std::string suggestion(const std::string& path);

}  // namespace psflip
