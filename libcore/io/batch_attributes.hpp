// Reads and writes the root attributes that identify the batch of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/choices.hpp"
#include "io/file.hpp"

namespace psflip {

/// Writes the root attributes first_realization, realizations, L, physics (Parameters::physics_yaml()) and,
/// unless it is empty, couplings_origin (disorder/couplings.hpp).
void write_batch_attributes(OutputFile& file, std::int64_t first_realization, std::int64_t realizations,
                            int L, const std::string& physics, const std::string& couplings_origin);

/// Reads a text attribute that is a name of an enumeration. Errors: InputError for another text.
template <Named Enumeration>
Enumeration read_choice(const InputFile& file, const std::string& attribute) {
    const std::string text = file.text_attribute(attribute);
    try {
        return named<Enumeration>(text);
    } catch (const InputError& error) {
        throw InputError(file.path() + ": attribute " + attribute + ": " + error.what());
    }
}

/// Holds the attributes of write_batch_attributes, without the origin of the couplings.
struct BatchAttributes {
    std::int64_t first_realization, realizations;
    int L;
    std::string physics;
};

/// Reads the attributes of write_batch_attributes. Errors: InputError for a missing or impossible value.
BatchAttributes read_batch_attributes(const InputFile& file);

/// Reads the root attribute couplings_hash. Errors: InputError unless its value is 16 hex digits.
std::string read_couplings_hash(const InputFile& file);

/// Reads the dataset /temperatures. Errors: InputError unless the values are ascending and in the range of
/// configurations.
std::vector<double> read_temperatures(const InputFile& file);

}  // namespace psflip
