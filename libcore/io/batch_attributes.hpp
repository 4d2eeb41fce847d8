#pragma once

#include <cstdint>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// The root attributes that tell which realizations a file is about, of which physics
/// (Parameters::physics_yaml()), and where their couplings come from (disorder/couplings.hpp; nothing is
/// written where that is empty).
void write_batch_attributes(OutputFile& file, std::int64_t first_realization, std::int64_t realizations,
                            int L, const std::string& physics, const std::string& couplings_origin);

}  // namespace psflip
