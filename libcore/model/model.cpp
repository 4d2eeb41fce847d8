#include "model/model.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "config/config.hpp"
#include "model/heisenberg.hpp"
#include "random/splitmix64.hpp"

namespace psflip {
namespace {

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x);
}

void check_probability(const char* name, double p) {
    if (!(p >= 0.0 && p <= 1.0))
        throw InputError(fmt::format("{} = {} is not a probability between 0 and 1", name, p));
}

}  // namespace

std::uint64_t Model::random_key(std::uint64_t seed, int L) const {
    if (uses_plain_seed()) return seed;
    const std::uint64_t values[] = {static_cast<std::uint64_t>(L),
                                    static_cast<std::uint64_t>(kind),
                                    static_cast<std::uint64_t>(dimension),
                                    bits_of(field),
                                    bits_of(p_ferro),
                                    bits_of(p_absent),
                                    static_cast<std::uint64_t>(boundary),
                                    static_cast<std::uint64_t>(update)};
    std::uint64_t key = splitmix64(seed);
    for (std::uint64_t value : values) key = splitmix64(key ^ value);
    return key;
}

Model model_of(const Parameters& p) {
    const ModelSection& m = p.model;
    if (m.has_vectors()) {
        const Heisenberg of = heisenberg_of(m);
        return {.kind = m.kind,
                .dimension = m.dimension,
                .site_energy = of.largest_energy(),
                .staggered = of.staggered(),
                .random_sites = of.concentration > 0.0 && of.concentration < 1.0};
    }
    return {.kind = m.kind,
            .dimension = m.dimension,
            .field = m.field,
            .p_ferro = m.p_ferro,
            .p_absent = m.p_absent,
            .boundary = m.boundary,
            .update = p.dynamics.update,
            .gaussian = m.gaussian()};
}

void check_model(const Model& model) {
    if (model.dimension != 2 && model.dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", model.dimension));
    if (!std::isfinite(model.field))
        throw InputError(fmt::format("field = {} is not a finite number", model.field));
    if (model.update == Update::cone) throw InputError("update = cone is for vector spins");
    check_probability("p_ferro", model.p_ferro);
    check_probability("p_absent", model.p_absent);
}

}  // namespace psflip
