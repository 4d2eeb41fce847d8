#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "model/heisenberg.hpp"

namespace psflip {

/// How the species of a campaign of vector spins are drawn. Realization r has the same whatever batch it is
/// in.
struct OccupationLaw {
    std::uint64_t seed = 0;  ///< campaign seed
    Heisenberg model{};      ///< all of it is in the key of the random numbers
    std::string text{};      ///< Parameters::model_yaml(), which files carry
    int L = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (model.dimension == 3 ? L : 1); }
};
OccupationLaw occupation_law(const Parameters& parameters);

/// The species of one batch of realizations.
struct Occupation {
    std::int64_t first = 0;  ///< global number of local realization 0
    std::int64_t count = 0;
    std::vector<std::uint8_t> species{};  ///< 0 (a) or 1 (b), (realization, z, y, x), without z in 2D
    std::string hash{};                   ///< occupation_hash
    /// As couplings_origin of Ising spins: empty where the first and last realization are those of the law.
    std::string origin{};
};

/// Draws a batch (draw_species) and writes it as a disorder file: dataset /occupation, root attributes
/// first_realization, realizations, L, seed, model, dimension where it is 2, and law, the model's text.
/// Throws InputError as check_model and for realization numbers outside 0..2^24 - 1; EnvironmentError where
/// the file cannot be written.
void write_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                      std::int64_t count, const Provenance& provenance, int threads = 0);

/// As check_existing_disorder.
void check_existing_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                               std::int64_t count);

/// Reads such a file, which may be written by hand: root attributes format, kind, format_version and
/// first_realization and the dataset /occupation (any integer type) do. InputError for another L or shape,
/// values other than 0 and 1, another seed or law, a first_realization that is not a multiple of 32.
Occupation read_occupation(const std::string& path, const OccupationLaw& law, int threads = 1);

/// XXH64 of the bytes.
std::string occupation_hash(const std::vector<std::uint8_t>& species);

}  // namespace psflip
