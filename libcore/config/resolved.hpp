#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace psflip {

/// All keys of the table in its order, as YAML that reads back to the same Config.
std::string resolved_yaml(Config config);

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923).
std::uint64_t fnv1a64(std::string_view text);

}  // namespace psflip
