#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace psflip {
namespace {

/// Returns the number of bytes of the first UTF-8 character of `text`, or 0 for invalid bytes.
std::size_t character_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) return 0;
    return length;
}

std::uint32_t code_point(std::string_view character) {
    if (character.size() == 1) return static_cast<unsigned char>(character[0]);
    std::uint32_t code = static_cast<unsigned char>(character[0]) & (0x7fu >> character.size());
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
    return code;
}

/// Returns whether a character is printed unchanged. Surrogates, overlong forms and numbers above U+10FFFF
/// are not valid UTF-8 and are never printed.
bool may_be_shown(std::string_view character) {
    const std::uint32_t code = code_point(character);
    const std::uint32_t least[] = {0x20, 0x80, 0x800, 0x10000};
    const auto within = [code](std::uint32_t low, std::uint32_t high) { return code >= low && code <= high; };
    return within(least[character.size() - 1], 0x10ffff) && !within(0x7f, 0x9f) && !within(0x2028, 0x202e) &&
           !within(0x2066, 0x2069) && !within(0xd800, 0xdfff);
}

}  // namespace

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length > 0 && may_be_shown(text.substr(0, length))) {
            shown += text.substr(0, length);
            text.remove_prefix(length);
            continue;
        }
        if (text[0] == '\n' || text[0] == '\t')
            shown += text[0] == '\n' ? "\\n" : "\\t";
        else
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(1);
    }
    return shown;
}

}  // namespace psflip
