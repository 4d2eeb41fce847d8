#include "config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace psflip {
namespace {

/// Returns a single plain value. Another value is an error that names its type.
const std::string& plain_text(const Node& node, const std::string& path, const std::string& wanted) {
    if (node.kind == Node::Kind::null)
        throw InputError(
            fmt::format("{}: {} has no value; give {}, or leave the key out", node.place, path, wanted));
    if (node.kind == Node::Kind::list) refuse(node, path, "is a list; give " + wanted);
    if (node.kind == Node::Kind::map) refuse(node, path, "is a map; give " + wanted);
    if (node.quoted) refuse(node, path, fmt::format("is text in quotes; give {} without quotes", wanted));
    return node.text;
}

/// Returns whether `text` has digits only, without sign and leading zeros.
bool is_digits(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           (text.size() == 1 || text[0] != '0');
}

std::optional<double> parse_real(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
    if (error != std::errc{}) return std::nullopt;
    return value;
}

/// 2^53. Doubles represent every whole number below it.
constexpr double exact_below = 9007199254740992.0;

/// Returns the decimal digits of a whole number that may be written as a real number, as in 1e15.
std::string whole_text(const std::string& text) {
    if (text.find_first_of(".eE") == std::string::npos) return text;
    const std::optional<double> real = parse_real(text);
    if (!real || *real != std::floor(*real) || !(std::fabs(*real) < exact_below)) return text;
    return fmt::format("{}", static_cast<std::int64_t>(*real));
}

[[noreturn]] void refuse_integer(const Node& node, const std::string& path) {
    const std::optional<double> real = parse_real(node.text);
    if (!real) refuse(node, path, "is not a number; give a whole number in decimal digits");
    if (!std::isfinite(*real) || *real != std::floor(*real))
        refuse(node, path, "is not a whole number; give one");
    if (std::fabs(*real) < exact_below)  // leading zeros, which other readers take for an octal number
        refuse(node, path, fmt::format("is not written as a whole number; write {:.0f}", *real));
    refuse(node, path, "is too large for a real number; write the whole number in decimal digits");
}

void check_allowed(const Node& node, const std::string& path, const Key& key, const std::string& value) {
    if (key.allowed.empty() || std::find(key.allowed.begin(), key.allowed.end(), value) != key.allowed.end())
        return;
    const std::string nearest = nearest_name(value, key.allowed);
    refuse(node, path,
           fmt::format("is not known; use one of {}{}", fmt::join(key.allowed, ", "),
                       nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
}

bool same_value(const Node& a, const Node& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == Node::Kind::list) return std::ranges::equal(a.items, b.items, same_value);
    const auto number = a.quoted || b.quoted ? std::nullopt : parse_real(a.text);
    return a.text == b.text || (number && number == parse_real(b.text));
}

}  // namespace

void refuse(const Node& node, const std::string& path, const std::string& what) {
    throw InputError(fmt::format("{}: {} = {} {}", node.place, path, value_text(node), what));
}

std::int64_t read_integer(const Node& node, const std::string& path, const Key& key) {
    const std::string text = whole_text(plain_text(node, path, "a whole number"));
    const bool negative = text.size() > 1 && text[0] == '-';
    if (!is_digits(negative ? text.substr(1) : text)) refuse_integer(node, path);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool fits = error == std::errc{} && end == text.data() + text.size();
    if (fits && !key.allowed.empty()) {
        check_allowed(node, path, key, text);
        return value;
    }
    if (!fits || static_cast<double>(value) < key.low || static_cast<double>(value) > key.high) {
        const bool below = fits ? static_cast<double>(value) < key.low : negative;
        refuse(node, path,
               fmt::format("is {}; allowed: {}",
                           negative ? "negative"
                           : below  ? "too small"
                                    : "too large",
                           range_text(key)));
    }
    return value;
}

std::uint64_t read_unsigned(const Node& node, const std::string& path) {
    const std::string text = whole_text(plain_text(node, path, "a whole number"));
    if (text.size() > 1 && text[0] == '-' && is_digits(text.substr(1)))
        refuse(node, path, "is negative; allowed: 0 to 2^64 - 1");
    if (!is_digits(text)) refuse_integer(node, path);
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
        refuse(node, path, "is too large; allowed: 0 to 2^64 - 1");
    return value;
}

double read_real(const Node& node, const std::string& path, const Key& key) {
    std::string text = plain_text(node, path, "a number");
    if (text == ".nan" || text == ".inf" || text == "-.inf") text.erase(text.find('.'), 1);
    const std::optional<double> value = parse_real(text);
    if (!value) refuse(node, path, "is not a number; give a number");
    if (!std::isfinite(*value)) refuse(node, path, "is not a finite number; allowed: " + range_text(key));
    if (!key.allowed.empty())
        check_allowed(node, path, key, real_text(*value == 0.0 ? 0.0 : *value));
    else if (*value < key.low || *value > key.high)
        refuse(node, path,
               fmt::format("is too {}; allowed: {}", *value < key.low ? "small" : "large", range_text(key)));
    return *value == 0.0 ? 0.0 : *value;  // no negative zero in the resolved text
}

std::string read_name(const Node& node, const std::string& path, const Key& key) {
    if (node.kind == Node::Kind::scalar && node.quoted) {
        check_allowed(node, path, key, node.text);
        return node.text;
    }
    const std::string& text =
        plain_text(node, path, "one of " + fmt::format("{}", fmt::join(key.allowed, ", ")));
    check_allowed(node, path, key, text);
    return text;
}

bool has_default(const Node& root, const Key& key) {
    return same_value(*find_path(root, key.path), parse_document(key.default_value, "", false));
}

int read_size_name(const std::string& name, const Node& node, const std::string& path) {
    int size = 0;
    if (is_digits(name) && std::from_chars(name.data(), name.data() + name.size(), size).ec == std::errc{})
        return size;
    throw InputError(
        fmt::format("{}: {} has the key '{}'; a map per lattice size has lattice sizes as keys, and "
                    "'default' for all other sizes",
                    node.place, path, name));
}

std::string real_text(double value) {
    return fmt::format("{}", value);
}

}  // namespace psflip
