#pragma once

#include <cstdint>
#include <string>

#include "config/document.hpp"
#include "config/keys.hpp"

namespace psflip {

/// Throws InputError "PLACE: PATH = VALUE WHAT", where place and value are from the node.
[[noreturn]] void refuse(const Node& node, const std::string& path, const std::string& what);

// Reads the value of a key. `path` names the key in errors. Errors of all read_ functions: InputError for a
// value of another type, out of the range of `key`, or not among its allowed values.

/// Reads a whole number: decimal digits without leading zeros, or a real number below 2^53 such as 1e15 or
/// 2.0.
std::int64_t read_integer(const Node& node, const std::string& path, const Key& key);

/// Reads any unsigned 64-bit number, written as for read_integer.
std::uint64_t read_unsigned(const Node& node, const std::string& path);

/// Reads a finite real number, such as 1, 0.5 or 2e-3.
double read_real(const Node& node, const std::string& path, const Key& key);

/// Reads one of the allowed names of `key`, with or without quotes.
std::string read_name(const Node& node, const std::string& path, const Key& key);

/// Returns whether a key has its default value. 1, 1.0 and 1e0 count as equal.
bool has_default(const Node& root, const Key& key);

/// Returns the lattice size that `name` stands for. `name` is a key of the map at `path`, which has a value
/// per lattice size. Errors: InputError if `name` is not a whole number.
int read_size_name(const std::string& name, const Node& node, const std::string& path);

/// Returns the shortest decimal text that reads back as the same double.
std::string real_text(double value);

}  // namespace psflip
