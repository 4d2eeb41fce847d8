#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace psflip {

/// Returns all keys in the order of the table, as YAML that reads back to an equal Config.
std::string resolved_yaml(Config config);

/// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923).
std::uint64_t fnv1a64(std::string_view text);

}  // namespace psflip
