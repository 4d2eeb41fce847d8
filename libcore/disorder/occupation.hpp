#pragma once

// Draws the species of the sites of vector spins, and writes and reads their disorder files.

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/provenance.hpp"

namespace psflip {

/// Describes the law from which the species in a study of vector spins are drawn. Realization r has the same
/// species in every batch.
struct OccupationLaw {
    std::uint64_t seed = 0;  ///< seed of the study
    ModelSection model{};    ///< the law uses concentration; all keys of vector spins enter the random key
    std::string text{};      ///< Parameters::model_yaml(), which files store
    int L = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (model.dimension == 3 ? L : 1); }
};
OccupationLaw occupation_law(const Parameters& parameters);

/// Holds the species of one batch of realizations.
struct Occupation {
    std::int64_t first = 0;  ///< number of the first realization in the study
    std::int64_t count = 0;
    std::vector<std::uint8_t>
        species{};       ///< 0 (a) or 1 (b), (realization, z, y, x), without z in two dimensions
    std::string hash{};  ///< occupation_hash
    /// The origin, as in couplings_origin; empty if the first and last realization are as drawn from the law.
    std::string origin{};
};

/// Draws a batch with draw_species and writes it as a disorder file, with the dataset /occupation and the
/// root attributes of write_drawn_law. Errors: InputError as check_realizations; EnvironmentError if the file
/// cannot be written.
void write_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                      std::int64_t count, const Provenance& provenance, int threads = 0);

/// Checks that this batch may replace the file at `path`, as check_existing_disorder does.
void check_existing_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                               std::int64_t count);

/// Reads a disorder file of species. A file from another program needs only the root attributes format, kind,
/// format_version and first_realization and the dataset /occupation (any integer type). Errors: InputError
/// for another L or shape, values other than 0 and 1, another seed or law, and a first_realization that is
/// not a multiple of 32.
Occupation read_occupation(const std::string& path, const OccupationLaw& law, int threads = 1);

/// Returns the XXH64 of the species.
std::string occupation_hash(const std::vector<std::uint8_t>& species);

}  // namespace psflip
