#pragma once

// Handles what disorder files of vector spins and of Gaussian couplings have in common: law, attributes and
// checks.

#include <cstdint>
#include <string>

#include "io/file.hpp"
#include "model/model.hpp"

namespace psflip {

/// Given disorder fits a law if its counts and moments deviate by at most this many standard deviations.
inline constexpr double max_deviations = 5.0;

/// Holds the law in the disorder file of a model whose parameters do not fit into Model.
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
/// InputError if that file has another law, other realizations, or given disorder.
void check_existing_law(const std::string& path, const DrawnLaw& law, const char* dataset, std::int64_t first,
                        std::int64_t count, const char* what);

/// Checks seed and law of the file, if present. `what` says in messages what was drawn. Errors: InputError if
/// they differ.
void check_told_law(const InputFile& file, const DrawnLaw& law, const char* what);

/// Checks realization numbers. Errors: InputError if `first` is not a multiple of 32, or if a number is
/// outside 0 to 2^24 - 1.
void check_realizations(std::int64_t first, std::int64_t count);

}  // namespace psflip
