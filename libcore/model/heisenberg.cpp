#include "model/heisenberg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/sections.hpp"
#include "random/splitmix64.hpp"

namespace psflip {
namespace {

std::uint64_t number_of(double x) {
    return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x);
}

std::uint64_t key_of(std::uint64_t seed, const std::vector<std::uint64_t>& values) {
    std::uint64_t key = splitmix64(seed);
    for (std::uint64_t value : values) key = splitmix64(key ^ value);
    return key;
}

void check_dimension_of(int dimension) {
    if (dimension != 2 && dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", dimension));
}

template <class Numbers>
void check_finite(const char* name, const Numbers& numbers) {
    for (double x : numbers)
        if (!std::isfinite(x)) throw InputError(fmt::format("{} = {} is not a finite number", name, x));
}

double length(const std::array<double, 3>& v) {
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

template <std::size_t N>
double largest(const std::array<double, N>& numbers) {
    double most = 0.0;
    for (double x : numbers) most = std::max(most, std::abs(x));
    return most;
}

template <std::size_t N>
std::array<double, N> array_of(const std::vector<double>& values) {
    std::array<double, N> array{};
    std::copy_n(values.begin(), N, array.begin());
    return array;
}

}  // namespace

Heisenberg heisenberg_of(const ModelSection& section) {
    return {.dimension = section.dimension,
            .boundary = section.boundary,
            .exchange = array_of<3>(section.exchange),
            .dm_pattern = section.dm_pattern,
            .dm = array_of<3>(section.dm),
            .dm_axis = array_of<3>(section.dm_axis),
            .anisotropy = array_of<2>(section.anisotropy),
            .field = section.field,
            .moment = array_of<2>(section.moments),
            .concentration = section.concentration};
}

std::array<double, 3> Heisenberg::dm_direction() const {
    const double l = length(dm_axis);
    return {dm_axis[0] / l, dm_axis[1] / l, dm_axis[2] / l};
}

double Heisenberg::largest_energy() const {
    const double bond = largest(exchange) + (dm_pattern == DmPattern::none ? 0.0 : largest(dm));
    return dimension * bond + largest(anisotropy) + std::abs(field) * largest(moment);
}

std::uint64_t Heisenberg::random_key(std::uint64_t seed, int L) const {
    std::vector<std::uint64_t> values{static_cast<std::uint64_t>(L), 2, static_cast<std::uint64_t>(dimension),
                                      static_cast<std::uint64_t>(boundary)};
    const auto add = [&](const auto& numbers) {
        for (double x : numbers) values.push_back(number_of(x));
    };
    add(exchange);
    values.push_back(static_cast<std::uint64_t>(dm_pattern));
    add(dm);
    add(dm_axis);
    add(anisotropy);
    add(std::array{field});
    add(moment);
    add(std::array{concentration});
    return key_of(seed, values);
}

void check_model(const Heisenberg& model) {
    check_dimension_of(model.dimension);
    check_finite("exchange", model.exchange);
    check_finite("dm", model.dm);
    check_finite("dm_axis", model.dm_axis);
    check_finite("anisotropy", model.anisotropy);
    check_finite("field", std::array{model.field});
    check_finite("moment", model.moment);
    if (!(model.concentration >= 0.0 && model.concentration <= 1.0))
        throw InputError(fmt::format("concentration = {} is not between 0 and 1", model.concentration));
    const bool has_dm = model.dm != std::array<double, 3>{};
    if (model.dm_pattern == DmPattern::none && has_dm)
        throw InputError("dm is given but dm_pattern is none; set it to constant or alternating, or dm to 0");
    if (model.dm_pattern != DmPattern::none && !has_dm)
        throw InputError(
            fmt::format("dm_pattern is {} but all of dm is 0; give dm, or set dm_pattern to none",
                        name(model.dm_pattern)));
    if (model.dm_pattern != DmPattern::none && !(length(model.dm_axis) > 0.0))
        throw InputError("dm_axis has length 0 and points nowhere; give it a direction as 0 1 0");
}

std::uint64_t GaussianGlass::random_key(std::uint64_t seed, int L) const {
    return key_of(
        seed, {static_cast<std::uint64_t>(L), 3, static_cast<std::uint64_t>(dimension), number_of(field)});
}

void check_model(const GaussianGlass& model) {
    check_dimension_of(model.dimension);
    check_finite("field", std::array{model.field});
}

}  // namespace psflip
