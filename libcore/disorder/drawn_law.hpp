#pragma once

#include <cstdint>
#include <string>

#include "io/file.hpp"
#include "model/model.hpp"

namespace psflip {

/// Disorder by hand fits a law if its counts and moments are within this many standard deviations of what the
/// law gives.
inline constexpr double most_deviations = 5.0;

/// What a disorder file says of the law that it was drawn from, where the model does not fit into Model.
struct DrawnLaw {
    std::uint64_t seed = 0;  ///< campaign seed
    std::string text{};      ///< Parameters::model_yaml()
    int L = 0, dimension = 3;
    ModelKind kind = ModelKind::edwards_anderson;
};

/// Root attributes first_realization, realizations, L, seed, model, dimension where it is 2, and law, the
/// text.
void write_drawn_law(OutputFile& file, const DrawnLaw& law, std::int64_t first, std::int64_t count);

/// InputError where a disorder file is at `path` that this batch would not replace by the same: of another
/// law or other realizations, or with disorder that was given. `what` names the spins.
void check_existing_law(const std::string& path, const DrawnLaw& law, const char* dataset, std::int64_t first,
                        std::int64_t count, const char* what);

/// InputError where the file tells another seed or law; `what` was drawn.
void check_told_law(const InputFile& file, const DrawnLaw& law, const char* what);

/// InputError for a first realization that is not a multiple of 32, and for realizations outside 0..2^24 - 1.
void check_realizations(std::int64_t first, std::int64_t count);

}  // namespace psflip
