#pragma once

#include <cstdint>
#include <string>

#include "config/document.hpp"
#include "config/keys.hpp"

namespace psflip {

/// InputError "place: path = value what".
[[noreturn]] void refuse(const Node& node, const std::string& path, const std::string& what);

/// A whole number in the range and among the allowed values of `key`: decimal digits, or a real number below
/// 2^53 that is whole, as 1e15 or 2.0. `path` names it in errors. Throws InputError for text, fractions,
/// quotes, leading zeros, or a value out of range.
std::int64_t read_integer(const Node& node, const std::string& path, const Key& key);

/// Any unsigned 64-bit number, written as for read_integer. `path` names it in errors. Throws InputError for
/// anything else.
std::uint64_t read_unsigned(const Node& node, const std::string& path);

/// A finite real number (1, 0.5, 2e-3) in the range of `key`.
double read_real(const Node& node, const std::string& path, const Key& key);

/// One of the allowed names of `key`.
std::string read_name(const Node& node, const std::string& path, const Key& key);

/// Whether a key has its default value, however the numbers in it are written.
bool has_default(const Node& root, const Key& key);

/// The lattice size that a key of a per-size map stands for; `path` is the map's.
int read_size_name(const std::string& name, const Node& node, const std::string& path);

/// Shortest decimal text that reads back as the same double.
std::string real_text(double value);

}  // namespace psflip
