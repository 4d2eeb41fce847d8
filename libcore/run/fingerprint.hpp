#pragma once

#include <string>

#include "config/config.hpp"

namespace psflip {

/// The keys beyond Parameters::physics_yaml() that a checkpoint must have in common with the call that
/// resumes it.
std::string thermalize_lines(const Parameters& parameters);
std::string run_lines(const Parameters& parameters);

}  // namespace psflip
