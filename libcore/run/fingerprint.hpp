#pragma once

#include <string>

#include "config/config.hpp"

namespace psflip {

/// Where two texts of "key: value" lines differ first: the key and both values ("(none)" where a text lacks
/// the key).
struct Difference {
    std::string key, first, second;
    explicit operator bool() const { return !key.empty(); }
};
Difference first_difference(const std::string& first, const std::string& second);

/// Throws InputError where `stored` ("key: value" lines of a state or checkpoint, described by `what`)
/// differs from what this call asks for; the message names key, both values and the `remedy`.
void check_same(const std::string& what, const std::string& stored, const std::string& wanted,
                const std::string& remedy);

/// The keys beyond Parameters::physics_yaml() that a checkpoint must have in common with the call that
/// resumes it.
std::string thermalize_lines(const Parameters& parameters);
std::string run_lines(const Parameters& parameters);

}  // namespace psflip
