#include "io/path_list.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/regular_file.hpp"

namespace psflip {

std::vector<std::string> read_path_list(const std::string& list) {
    constexpr std::size_t most = std::size_t{1} << 28;
    const std::string text = read_regular_file(list, "the list of files", most);
    const char end = text.find('\0') == std::string::npos ? '\n' : '\0';  // NUL: written by find -print0
    std::istringstream file(text);
    std::vector<std::string> paths;
    std::string path;
    for (int line = 1; std::getline(file, path, end); ++line) {
        if (path.empty()) continue;
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored))
            throw InputError(
                fmt::format("{}:{}: there is no file {}; write one path per line, from the working directory "
                            "unless it begins with /",
                            list, line, path));
        paths.push_back(path);
    }
    if (paths.empty())
        throw InputError(fmt::format("{}: this list has no path; write one path per line", list));
    return paths;
}

}  // namespace psflip
