#pragma once

#include <string>
#include <string_view>

namespace psflip {

/// The text as it may be shown on a terminal, on one line: what comes from a file or from another process
/// could move the cursor, change colours or hide what follows. Control characters (U+0000 to U+001F, U+007F
/// to U+009F), marks of line and direction (U+2028 to U+202E, U+2066 to U+2069) and bytes that are no UTF-8
/// become \n, \t or \xNN byte by byte; all else, also a backslash, stays. Applied twice it gives the same.
std::string printable(std::string_view text);

}  // namespace psflip
