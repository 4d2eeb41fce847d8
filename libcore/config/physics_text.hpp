#pragma once

#include <string>

namespace psflip {

/// Where two texts of "key: value" lines differ first: the key and both values ("(none)" where a text lacks
/// the key). The order of lines does not matter; a line without ": " is a key without value.
struct Difference {
    std::string key, first, second;
    explicit operator bool() const { return !key.empty(); }
};
Difference first_difference(const std::string& first, const std::string& second);

/// Throws InputError where two texts of "key: value" lines (Parameters::physics_yaml(), or that with more
/// lines) differ, naming the first such key and both values: "FIRST has KEY = A, but SECOND has KEY = B;
/// REMEDY".
void check_same_physics(const std::string& first_name, const std::string& first,
                        const std::string& second_name, const std::string& second, const std::string& remedy);

/// The text without its line of lanes, for what may change its coding on the way: states go on, and files are
/// averaged, whatever lanes their words had (Lanes in lattice/shape.hpp).
std::string without_lanes(const std::string& physics);

}  // namespace psflip
