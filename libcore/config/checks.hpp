#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "config/document.hpp"

namespace psflip {

// Checks a whole study. `root` is its document; errors name file, line and value of a key from it.

/// Refuses keys of `root` that are not in the table, and sections that are not maps. Errors: InputError.
void check_known(const Node& root);

/// Checks rules that join several keys. `root` has a node for every key. Errors: InputError.
void check_together(const Config& config, const Node& root);

/// Checks what vector spins and Gaussian couplings need of the other keys (vector_checks.cpp). Errors:
/// InputError.
void check_vectors(const Config& config, const Node& root);

/// Checks what `multispin.lanes: sites` and tiles need of the other keys (site_checks.cpp). Errors:
/// InputError.
void check_site_lanes(const Config& config, const Node& root);

/// Throws InputError "place: path = value what" for the key at `path`.
[[noreturn]] void refuse_key(const Node& root, const std::string& path, const std::string& what);

/// Returns the multiples of `step` on both sides of `value`, as text such as "10 or 20".
std::string multiples_around(std::int64_t value, std::int64_t step);

}  // namespace psflip
