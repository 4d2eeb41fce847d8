#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "lattice/shape.hpp"

namespace psflip {

// Files hold vector spins as float32 or float64 (replica, temperature, realization, component, z, y, x),
// programs as Spins::vectors.

void write_vectors(OutputFile& file, const std::string& dataset, const Shape& shape,
                   const std::vector<double>& spins);

/// Creates a dataset of `rows` such arrays, and writes one of them.
void create_vectors(OutputFile& file, const std::string& dataset, std::int64_t rows, const Shape& shape);
void write_vectors_row(OutputFile& file, const std::string& dataset, std::int64_t row, const Shape& shape,
                       const std::vector<double>& spins);

/// Reads the spins of a dataset, or of one row of it. Errors: InputError if a spin does not have length 1
/// within 1e-3, or if the numbers have more digits than the precision of the shape.
std::vector<double> read_vectors(const InputFile& file, const std::string& dataset, const Shape& shape,
                                 std::optional<std::int64_t> row = {});

}  // namespace psflip
