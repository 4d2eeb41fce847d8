#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace psflip {

/// Returns the resolved configuration: YAML that reads back to an equal Config, with keys in the order of the
/// table. Keys with Key::omits_default are missing if they have their defaults.
std::string resolved_yaml(Config config);

/// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923).
std::uint64_t fnv1a64(std::string_view text);

}  // namespace psflip
