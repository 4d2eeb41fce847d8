#include "io/output/temporary_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "io/hash.hpp"

namespace psflip {
namespace {

constexpr std::string_view temporary_mark = ".tmp-";
constexpr std::size_t place_digits = 16;
const std::string unknown_place(place_digits, '0');

/// The text between the name of an output and the writer.
constexpr std::array<std::string_view, 5> families = {"", ".checkpoint.h5", ".checkpoint.previous.h5",
                                                      ".lock", ".lock.takeover"};

/// Removes a number and the following '-', or the end of the text, from the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || value < 0 || (stop != end && *stop != '-')) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + (stop != end ? 1 : 0));
    return value;
}

}  // namespace

std::string place_hash(const ProcessPlace& place) {
    if (place.boot.empty() || place.pid_namespace.empty()) return {};
    Hasher hasher;
    for (const std::string& part : {place.host, place.machine, place.boot, place.pid_namespace})
        hasher.add(part.c_str(), part.size() + 1);
    return hasher.hex();
}

TemporaryWriter this_writer() {
    const std::int64_t process = getpid();
    return {place_hash(this_place()), process, std::max<std::int64_t>(0, process_start(process))};
}

std::string temporary_name(const std::string& path, const TemporaryWriter& writer, unsigned number) {
    return fmt::format("{}{}{}-{}-{}-{}", path, temporary_mark,
                       writer.place.empty() ? unknown_place : writer.place, writer.process, writer.start,
                       number);
}

std::optional<TemporaryWriter> writer_of(const std::string& out, const std::string& name) {
    const std::string file = std::filesystem::path(out).filename();
    const std::size_t at = name.rfind(temporary_mark);
    if (at == std::string::npos || at < file.size() || !name.starts_with(file)) return std::nullopt;
    const std::string_view family = std::string_view(name).substr(file.size(), at - file.size());
    if (std::find(families.begin(), families.end(), family) == families.end()) return std::nullopt;
    std::string_view rest = std::string_view(name).substr(at + temporary_mark.size());
    const std::string_view place = rest.substr(0, place_digits);
    if (rest.size() <= place_digits || rest[place_digits] != '-' ||
        place.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return std::nullopt;
    rest.remove_prefix(place_digits + 1);
    const auto process = take_number(rest), start = take_number(rest), number = take_number(rest);
    if (!process || !start || !number || !rest.empty()) return std::nullopt;
    return TemporaryWriter{place == unknown_place ? "" : std::string(place), *process, *start};
}

bool is_gone(const TemporaryWriter& writer) {
    if (writer.place.empty() || writer.place != place_hash(this_place())) return false;
    const std::int64_t start = process_start(writer.process);
    return start == 0 || (start > 0 && writer.start > 0 && start != writer.start);
}

void remove_temporaries(const std::string& out, const std::function<bool(const TemporaryWriter&)>& gone) {
    const std::filesystem::path path(out);
    std::error_code ignored;
    std::filesystem::directory_iterator entry(path.has_parent_path() ? path.parent_path() : ".", ignored),
        end;
    for (; entry != end; entry.increment(ignored)) {
        const auto writer = writer_of(out, entry->path().filename());
        if (writer && gone(*writer)) std::filesystem::remove(entry->path(), ignored);
    }
}

}  // namespace psflip
