#include "common/command_line.hpp"

#include <cctype>
#include <cstring>

namespace psflip::tools {
namespace {

bool plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./=:,+%@", c);
}

std::string quoted(const std::string& word) {
    bool is_plain = !word.empty();
    for (char c : word) is_plain = is_plain && plain(c);
    if (is_plain) return word;
    std::string result = "'";
    for (char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

}  // namespace

std::string quoted_command_line(int argc, char** argv) {
    std::string line;
    for (int i = 0; i < argc; ++i) line += (i ? " " : "") + quoted(argv[i]);
    return line;
}

}  // namespace psflip::tools
