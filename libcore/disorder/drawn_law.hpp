#pragma once

// Handles what disorder files of vector spins and of Gaussian couplings have in common: law, attributes and
// checks. Files of other couplings share the check of shapes.

#include <cstdint>
#include <string>

#include "io/datasets.hpp"
#include "io/file.hpp"
#include "model/model.hpp"

namespace psflip {

/// Disorder that gen-disorder did not draw fits a law if its counts and moments deviate by at most this
/// number of standard deviations.
inline constexpr double max_deviations = 5.0;

/// Holds the law that the disorder file of vector spins or Gaussian couplings names. Model does not hold the
/// parameters of these models.
struct DrawnLaw {
    std::uint64_t seed = 0;  ///< seed of the study
    std::string text{};      ///< Parameters::model_yaml()
    int L = 0, dimension = 3;
    ModelKind kind = ModelKind::edwards_anderson;
};

/// Writes the root attributes first_realization, realizations, L, seed, model, dimension (in two dimensions)
/// and law (the text).
void write_drawn_law(OutputFile& file, const DrawnLaw& law, std::int64_t first, std::int64_t count);

/// Checks that this batch may replace the file at `path`. `what` names the spins in messages. Errors:
/// InputError if that file has another law or other realizations, or if gen-disorder did not draw its
/// `dataset`.
void check_existing_law(const std::string& path, const DrawnLaw& law, const char* dataset, std::int64_t first,
                        std::int64_t count, const char* what);

/// Checks seed and law of the file, if present. `what` says in messages what was drawn. Errors: InputError if
/// they differ.
void check_told_law(const InputFile& file, const DrawnLaw& law, const char* what);

/// Checks that a dataset has at least one realization and otherwise the extents `wanted`: (realization, y, x)
/// or (realization, z, y, x), with or without directions after the realization. Errors: InputError.
void check_disorder_shape(const InputFile& file, const char* dataset, const Extents& wanted, int dimension);

/// Checks realization numbers. Errors: InputError if `first` is not a multiple of 32, or if a number is
/// outside 0 to 2^24 - 1.
void check_realizations(std::int64_t first, std::int64_t count);

}  // namespace psflip
