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

template <class Enumeration>
Enumeration one_of_two(const std::string& text, Enumeration first, Enumeration second) {
    if (text == name(first)) return first;
    if (text == name(second)) return second;
    throw InputError(fmt::format("'{}' is neither {} nor {}", text, name(first), name(second)));
}

}  // namespace

const char* name(ModelKind kind) {
    if (kind == ModelKind::heisenberg) return "heisenberg";
    return kind == ModelKind::ferromagnet ? "ferromagnet" : "edwards-anderson";
}

const char* name(Boundary boundary) {
    return boundary == Boundary::open ? "open" : "periodic";
}

const char* name(Update update) {
    return update == Update::heat_bath ? "heat-bath" : "metropolis";
}

template <>
ModelKind named<ModelKind>(const std::string& text) {
    if (text == name(ModelKind::heisenberg)) return ModelKind::heisenberg;
    return one_of_two(text, ModelKind::edwards_anderson, ModelKind::ferromagnet);
}

template <>
Boundary named<Boundary>(const std::string& text) {
    return one_of_two(text, Boundary::periodic, Boundary::open);
}

template <>
Update named<Update>(const std::string& text) {
    return one_of_two(text, Update::metropolis, Update::heat_bath);
}

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
    if (p.has_vectors()) {
        const Heisenberg of = heisenberg_of(p);
        return {.kind = ModelKind::heisenberg,
                .dimension = p.dimension,
                .site_energy = of.largest_energy(),
                .staggered = of.staggered(),
                .random_sites = of.concentration > 0.0 && of.concentration < 1.0};
    }
    return {.kind = named<ModelKind>(p.model_kind),
            .dimension = p.dimension,
            .field = p.field,
            .p_ferro = p.p_ferro,
            .p_absent = p.p_absent,
            .boundary = named<Boundary>(p.boundary),
            .update = named<Update>(p.update),
            .gaussian = p.gaussian()};
}

void check_model(const Model& model) {
    if (model.dimension != 2 && model.dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", model.dimension));
    if (!std::isfinite(model.field))
        throw InputError(fmt::format("field = {} is not a finite number", model.field));
    check_probability("p_ferro", model.p_ferro);
    check_probability("p_absent", model.p_absent);
}

}  // namespace psflip
