#pragma once

#include <string>
#include <string_view>

namespace psflip {

/// Returns the text as one line that is safe on a terminal. Text from files or other processes could move the
/// cursor, change colours or hide text. These characters become \n, \t or \xNN, byte by byte:
/// - control characters (U+0000 to U+001F, U+007F to U+009F),
/// - line and direction marks (U+2028 to U+202E, U+2066 to U+2069),
/// - bytes that are not UTF-8.
///
/// All other characters stay, so a second call changes nothing.
std::string printable(std::string_view text);

}  // namespace psflip
