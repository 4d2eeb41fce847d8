#pragma once

// Draws Gaussian couplings, and writes and reads their disorder files.

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "disorder/vector_disorder.hpp"
#include "io/provenance.hpp"
#include "model/model.hpp"

namespace psflip {

/// Describes the law from which the couplings in a study with model.couplings = gaussian are drawn.
/// Realization r has the same couplings in every batch.
struct GaussianLaw {
    std::uint64_t seed = 0;  ///< seed of the study
    ModelSection model{};    ///< dimension and field enter the random key
    std::string text{};      ///< Parameters::model_yaml(), which files store
    int L = 0;

    /// Returns the arguments of draw_gaussian_couplings.
    DisorderPart part(std::int64_t first, std::int64_t count) const {
        return {random_key(model, seed, L), L, model.dimension, first, count};
    }
};
GaussianLaw gaussian_law(const Parameters& parameters);

/// Holds the Gaussian couplings of one batch of realizations.
struct RealCouplings {
    std::int64_t first = 0;  ///< number of the first realization in the study
    std::int64_t count = 0;
    /// Couplings in units of J, (realization, direction, z, y, x), without z in two dimensions. The bond
    /// joins a site to its neighbour in positive direction.
    std::vector<double> couplings{};
    std::string hash{};  ///< real_couplings_hash
    /// The origin, as in couplings_origin; empty if the first and last realization are as drawn from the law.
    std::string origin{};
};

/// Draws a batch with draw_gaussian_couplings and writes it as a disorder file, with the dataset /couplings
/// (float64) and the root attributes of write_drawn_law. Errors: InputError as check_realizations;
/// EnvironmentError if the file cannot be written.
void write_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                          std::int64_t count, const Provenance& provenance, int threads = 0);

/// Checks that this batch may replace the file at `path`, as check_existing_disorder does.
void check_existing_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                                   std::int64_t count);

/// Reads a disorder file of Gaussian couplings. A file from another program needs only the root attributes
/// format, kind, format_version and first_realization and the dataset /couplings (any type of numbers).
/// Errors: InputError for another L or shape, NaN or |J| > 8, another seed or law, and a first_realization
/// that is not a multiple of 32.
RealCouplings read_real_couplings(const std::string& path, const GaussianLaw& law, int threads = 1);

/// Returns the XXH64 of the couplings.
std::string real_couplings_hash(const std::vector<double>& couplings);

}  // namespace psflip
