#include "config/choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace psflip {

std::size_t index_of_name(const std::string& text, std::span<const char* const> all) {
    const auto found = std::ranges::find(all, text);
    if (found == all.end())
        throw InputError(fmt::format("'{}' is none of {}", text, fmt::join(all.begin(), all.end(), ", ")));
    return static_cast<std::size_t>(found - all.begin());
}

}  // namespace psflip
