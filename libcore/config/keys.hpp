// Declares the table of all keys of a study. Reader, reference, schema, limits page and messages are made
// from it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/config.hpp"

namespace psflip {

/// Returns the value of a key in a Config.
template <class T>
using KeyValue = T& (*)(Config&);

/// Reads and writes a key whose values are names (config/choices.hpp).
struct KeyChoice {
    std::string (*text)(Config&);
    void (*set)(Config&, const std::string&);
    std::span<const char* const> names;
};

/// Says where Config stores the value of a key, and so its type. Keys inside `temperatures` have monostate,
/// because config/ladder.hpp reads them.
using ConfigField =
    std::variant<std::monostate, KeyChoice, KeyValue<std::uint64_t>, KeyValue<int>, KeyValue<std::int64_t>,
                 KeyValue<double>, KeyValue<std::vector<int>>, KeyValue<std::vector<std::int64_t>>,
                 KeyValue<std::vector<double>>, KeyValue<std::map<int, std::int64_t>>,
                 KeyValue<std::map<int, std::vector<double>>>>;

/// Holds one row of the table of keys.
struct Key {
    std::string path;  ///< such as "run.measure_every"
    ConfigField field;
    std::string default_value;         ///< YAML text, or empty if there is no default
    std::string unit;                  ///< "sweeps", or empty for pure numbers and names
    double low = 0, high = 0;          ///< inclusive range of a number
    std::vector<std::string> allowed;  ///< all allowed values, if they are few
    std::string rule;         ///< a condition besides the range: "a multiple of dynamics.sweeps_per_swap"
    std::string doc;          ///< sentences, without the last full stop
    std::string schema = {};  ///< the rule as JSON schema, if that can express it
    /// If set, the resolved configuration and files contain the key only if its value differs from the
    /// default. A new key needs this, so that studies without it keep their text and hash.
    bool omits_default = false;
};

/// Returns all keys in the order of the resolved configuration.
const std::vector<Key>& config_keys();

/// Returns the row of `path`, or nullptr.
const Key* find_key(const std::string& path);

/// Returns whether `path` is a section such as "run", which has keys.
bool is_section(const std::string& path);

/// Returns the last part of a path, such as "sweeps" for "run.sweeps".
std::string key_name(const std::string& path);

/// Returns the range as text, such as "1 to 8" or "one of 1, 32, 64, 128", with the rule after a semicolon.
std::string range_text(const Key& key);

/// Returns the keys of a section as text: "keys of run: sweeps, measure_every, ...". An empty `section` is
/// the root.
std::string known_keys(const std::string& section);

/// Returns a replacement for the unknown `path`: "did you mean run.sweeps?", or the known keys of its
/// section.
std::string suggestion(const std::string& path);

}  // namespace psflip
