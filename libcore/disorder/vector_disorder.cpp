#include "disorder/vector_disorder.hpp"

#include <cmath>

#include "model/elementary.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

RandomBlock block_of(const DisorderPart& part, Purpose purpose, std::int64_t realization, std::int64_t site,
                     std::uint32_t digit) {
    const auto pack = static_cast<std::uint32_t>(part.first + realization);
    return philox(make_counter(purpose, static_cast<std::uint32_t>(site), 0, 0, 0, digit, pack), part.key);
}

double normal(std::uint32_t size, std::uint32_t turn) {
    const double u = RealTraits<double>::positive_fraction(size);
    return std::sqrt(-2.0 * logarithm(u)) * random_angle<double>(turn).cosine;
}

}  // namespace

std::vector<std::uint8_t> draw_species(const DisorderPart& part, double concentration) {
    const auto threshold = static_cast<std::uint64_t>(std::round(4294967296.0 * concentration));
    std::vector<std::uint8_t> species(static_cast<std::size_t>(part.count * part.sites()));
    auto to = species.begin();
    for (std::int64_t r = 0; r < part.count; ++r)
        for (std::int64_t site = 0; site < part.sites(); ++site)
            *to++ = block_of(part, Purpose::occupation, r, site, 0).word[3] < threshold;
    return species;
}

std::vector<double> draw_gaussian_couplings(const DisorderPart& part) {
    const std::int64_t sites = part.sites();
    std::vector<double> couplings(static_cast<std::size_t>(part.count * part.dimension * sites));
    for (std::int64_t r = 0; r < part.count; ++r)
        for (std::int64_t site = 0; site < sites; ++site)
            for (int d = 0; d < part.dimension; ++d) {
                const RandomBlock block =
                    block_of(part, Purpose::gaussian, r, site, static_cast<std::uint32_t>(d / 2));
                const int word = 2 * (d % 2);
                couplings[static_cast<std::size_t>((r * part.dimension + d) * sites + site)] =
                    normal(block.word[word], block.word[word + 1]);
            }
    return couplings;
}

}  // namespace psflip
