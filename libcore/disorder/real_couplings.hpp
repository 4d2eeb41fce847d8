#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "disorder/vector_disorder.hpp"
#include "io/provenance.hpp"
#include "model/heisenberg.hpp"

namespace psflip {

/// How the couplings of a campaign with model.couplings = gaussian are drawn. Realization r has the same
/// whatever batch it is in.
struct GaussianLaw {
    std::uint64_t seed = 0;  ///< campaign seed
    GaussianGlass model{};   ///< all of it is in the key of the random numbers
    std::string text{};      ///< Parameters::model_yaml(), which files carry
    int L = 0;

    /// What draw_gaussian_couplings takes.
    DisorderPart part(std::int64_t first, std::int64_t count) const {
        return {model.random_key(seed, L), L, model.dimension, first, count};
    }
};
GaussianLaw gaussian_law(const Parameters& parameters);

/// The couplings of one batch of realizations.
struct RealCouplings {
    std::int64_t first = 0;  ///< global number of local realization 0
    std::int64_t count = 0;
    /// (realization, direction, z, y, x), without z in two dimensions: of the bond from a site to its
    /// neighbour one step up, in units of J.
    std::vector<double> couplings{};
    std::string hash{};  ///< real_couplings_hash
    /// As couplings_origin of discrete ones: empty where the first and last realization are those of the law.
    std::string origin{};
};

/// Draws a batch (draw_gaussian_couplings) and writes it as a disorder file: dataset /couplings, float64, and
/// root attributes as write_drawn_law. Throws InputError as check_model and check_realizations;
/// EnvironmentError where the file cannot be written.
void write_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                          std::int64_t count, const Provenance& provenance, int threads = 0);

/// As check_existing_disorder.
void check_existing_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                                   std::int64_t count);

/// Reads such a file, which may be written by hand: root attributes format, kind, format_version and
/// first_realization and the dataset /couplings (any type of numbers) do. InputError for another L or shape,
/// couplings beyond 8 or that are no numbers, another seed or law, a first realization that is not a multiple
/// of 32.
RealCouplings read_real_couplings(const std::string& path, const GaussianLaw& law, int threads = 1);

/// XXH64 of the bytes.
std::string real_couplings_hash(const std::vector<double>& couplings);

}  // namespace psflip
