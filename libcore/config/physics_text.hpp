// Compares texts of "key: value" lines, by which files and configurations are matched.
#pragma once

#include <string>

namespace psflip {

/// Holds the first difference of two texts of "key: value" lines: the key and both values. A text without the
/// key has the value "(none)". The order of lines does not matter. A line without ": " is a key without
/// value.
struct Difference {
    std::string key, first, second;
    explicit operator bool() const { return !key.empty(); }
};
/// Returns the first difference of two texts, or a Difference without a key if they are equal.
Difference first_difference(const std::string& first, const std::string& second);

/// Checks that two texts of "key: value" lines, such as Parameters::physics_yaml(), are equal.
/// Errors: InputError "FIRST has KEY = A, but SECOND has KEY = B; REMEDY" for the first difference.
void check_same_physics(const std::string& first_name, const std::string& first,
                        const std::string& second_name, const std::string& second, const std::string& remedy);

/// Returns the text without its line "lanes: ...", because a run may continue a state of another lane coding,
/// and averages may join files of several lane codings.
std::string without_lanes(const std::string& physics);

}  // namespace psflip
