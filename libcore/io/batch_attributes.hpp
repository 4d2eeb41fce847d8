#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file.hpp"

namespace psflip {

/// The root attributes that tell which realizations a file is about, of which physics
/// (Parameters::physics_yaml()), and where their couplings come from (disorder/couplings.hpp; nothing is
/// written where that is empty).
void write_batch_attributes(OutputFile& file, std::int64_t first_realization, std::int64_t realizations,
                            int L, const std::string& physics, const std::string& couplings_origin);

struct BatchAttributes {
    std::int64_t first_realization, realizations;
    int L;
    std::string physics;
};

/// Reads them back; InputError where one is missing or impossible.
BatchAttributes read_batch_attributes(const InputFile& file);

/// The root attribute couplings_hash; InputError where it is not 16 hex digits.
std::string read_couplings_hash(const InputFile& file);

/// The dataset /temperatures: ascending, in the range that configurations have; InputError otherwise.
std::vector<double> read_temperatures(const InputFile& file);

}  // namespace psflip
