#include "common/command_line.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "sweep/kernel_request.hpp"

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

ValueCheck number_from(double least, double most) {
    const auto check = [=](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool number = !text.empty() && *end == '\0';
        if (number && value >= least && value <= most) return std::string();
        return fmt::format("{} is not a number from {:g} to {:g}", text, least, most);
    };
    return {check, fmt::format("FLOAT in [{:g} - {:g}]", least, most)};
}

ValueCheck whole_number_from(long least) {
    const auto check = [=](const std::string& text) {
        char* end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        const bool number = end != text.c_str() && *end == '\0';
        if (number && value >= least) return std::string();
        return fmt::format("'{}' is not a whole number from {} on", text, least);
    };
    return {check, fmt::format("from {}", least)};
}

ValueCheck kernel_text() {
    const auto check = [](const std::string& text) {
        try {
            return parse_kernel(text), std::string();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
    };
    return {check, "KERNEL"};
}

}  // namespace psflip::tools
