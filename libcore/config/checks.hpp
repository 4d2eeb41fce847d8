#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "config/document.hpp"

namespace psflip {

// Checks a whole study, and refuses keys of it. `root` is the document of the study; errors take file, line
// and value of a key from `root`.

/// Refuses keys of `root` that the table of keys (config/keys.hpp) does not have, and sections that are not
/// maps. Errors: InputError.
void check_known(const Node& root);

/// Checks the rules that several keys must obey together. `root` has a node for every key. Errors:
/// InputError.
void check_together(const Config& config, const Node& root);

/// Checks that all keys fit vector spins or Gaussian couplings, if the study has them (vector_checks.cpp).
/// Errors: InputError.
void check_vectors(const Config& config, const Node& root);

/// Checks that all keys fit `multispin.lanes: sites` and tiles, if the study has them (site_checks.cpp).
/// Errors: InputError.
void check_site_lanes(const Config& config, const Node& root);

/// Throws InputError "PLACE: PATH = VALUE WHAT", where place and value are from the node of `root` at `path`.
[[noreturn]] void refuse_key(const Node& root, const std::string& path, const std::string& what);
/// Throws the same error for a program that cannot work on a valid study.
[[noreturn]] void refuse_key(const StudySections& study, const std::string& path, const std::string& what);

/// Returns the key that makes spins vectors or couplings real numbers, or nullptr.
const char* real_numbers_key(const ModelSection& model);

/// Returns the multiples of `step` on both sides of `value`, as text such as "10 or 20".
std::string multiples_around(std::int64_t value, std::int64_t step);

}  // namespace psflip
