#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "measure/run_grid.hpp"

namespace psflip {

/// What a checkpoint must have in common with the call that resumes it, beyond Parameters::physics_yaml().
std::string thermalize_lines(const Parameters& parameters);
/// until: the sweep, since the end of thermalization, at which the run ends.
std::string run_lines(const RunGrid& grid, std::int64_t until, std::int64_t snapshots);

/// Start, times and temperatures of a relaxation, without its end: all that two calls of which one goes on
/// from the other have in common.
std::string relax_lines(const RelaxSection& relax);

}  // namespace psflip
