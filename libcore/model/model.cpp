#include "model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/limits.hpp"
#include "random/splitmix64.hpp"

namespace psflip {
namespace {

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x);
}
/// Returns an integer, or the number of an enumerator, as 64 bits.
template <class T>
std::uint64_t bits_of(T value) {
    return static_cast<std::uint64_t>(value);
}

std::uint64_t mixed_key(std::uint64_t seed, const std::vector<std::uint64_t>& values) {
    std::uint64_t key = splitmix64(seed);
    for (std::uint64_t value : values) key = splitmix64(key ^ value);
    return key;
}

double largest(const std::vector<double>& numbers) {
    double largest = 0.0;
    for (double x : numbers) largest = std::max(largest, std::abs(x));
    return largest;
}

/// Returns whether the mean exchange of a bond is below 0, so that the staggered magnetisation orders.
bool is_staggered(const ModelSection& section) {
    const double b = section.concentration, a = 1.0 - b;
    const std::vector<double>& J = section.exchange;
    return a * a * J[0] + 2.0 * a * b * J[1] + b * b * J[2] < 0.0;
}

void check_probability(const char* name, double p) {
    if (!(p >= 0.0 && p <= 1.0))
        throw InputError(fmt::format("{} = {} is not a probability between 0 and 1", name, p));
}

void check_clusters(const Model& model) {
    if (!model.has_clusters()) return;
    const std::string rest = fmt::format(
        " does not go with dynamics.update = {}; use metropolis or heat-bath", name(model.update));
    if (model.kind != ModelKind::ferromagnet || model.gaussian)
        throw InputError("another model than the Ising ferromagnet" + rest);
    if (model.field != 0.0) throw InputError("a field" + rest);
    if (const int clusters = model.wolff_clusters;
        model.update == Update::wolff && (clusters < 1 || clusters > limits::max_wolff_clusters))
        throw InputError(fmt::format("dynamics.wolff_clusters = {} is not possible; use 1 to {}", clusters,
                                     limits::max_wolff_clusters));
}

}  // namespace

std::uint64_t Model::random_key(std::uint64_t seed, int L) const {
    if (uses_plain_seed()) return seed;
    return mixed_key(seed, {bits_of(L), bits_of(kind), bits_of(dimension), bits_of(field), bits_of(p_ferro),
                            bits_of(p_absent), bits_of(boundary), bits_of(update)});
}

Model model_of(const Parameters& p) {
    const ModelSection& m = p.model;
    if (m.has_vectors())
        return {.kind = m.kind,
                .dimension = m.dimension,
                .site_energy = max_site_energy(m),
                .staggered = is_staggered(m),
                .random_sites = m.concentration > 0.0 && m.concentration < 1.0};
    return {.kind = m.kind,
            .dimension = m.dimension,
            .field = m.field,
            .p_ferro = m.p_ferro,
            .p_absent = m.p_absent,
            .boundary = m.boundary,
            .update = p.dynamics.update,
            .gaussian = m.gaussian(),
            .demon_sites = p.dynamics.update == Update::demon ? p.dynamics.demon_sites : 0,
            .wolff_clusters = p.dynamics.update == Update::wolff ? p.dynamics.wolff_clusters : 0};
}

void check_model(const Model& model) {
    if (model.dimension != 2 && model.dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", model.dimension));
    if (!std::isfinite(model.field))
        throw InputError(fmt::format("field = {} is not a finite number", model.field));
    if (model.update == Update::cone) throw InputError("update = cone is for vector spins");
    check_clusters(model);
    check_probability("p_ferro", model.p_ferro);
    check_probability("p_absent", model.p_absent);
}

ModelSection heisenberg(ModelSection section) {
    section.kind = ModelKind::heisenberg;
    return section;
}

ModelSection heisenberg() {
    return heisenberg(ModelSection{});
}

ModelSection gaussian_glass(int dimension, double field) {
    return {.dimension = dimension, .field = field, .couplings = Couplings::gaussian};
}

std::array<double, 3> dm_direction(const ModelSection& section) {
    const std::vector<double>& n = section.dm_axis;
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return {n[0] / length, n[1] / length, n[2] / length};
}

double max_site_energy(const ModelSection& section) {
    const double bond = largest(section.exchange) + (section.has_dm() ? largest(section.dm) : 0.0);
    return section.dimension * bond + largest(section.anisotropy) +
           std::abs(section.field) * largest(section.moments);
}

std::uint64_t random_key(const ModelSection& section, std::uint64_t seed, int L) {
    std::vector<std::uint64_t> values{bits_of(L)};
    const auto add = [&](const auto&... numbers) { (values.push_back(bits_of(numbers)), ...); };
    const auto add_all = [&](const std::vector<double>& numbers) {
        for (double x : numbers) add(x);
    };
    if (section.gaussian()) {
        add(3, section.dimension, section.field);
        return mixed_key(seed, values);
    }
    add(2, section.dimension, section.boundary);
    add_all(section.exchange);
    add(section.dm_pattern);
    add_all(section.dm);
    add_all(section.dm_axis);
    add_all(section.anisotropy);
    add(section.field);
    add_all(section.moments);
    add(section.concentration);
    return mixed_key(seed, values);
}

}  // namespace psflip
