#include "sweep/sites/site_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/limits.hpp"

namespace psflip {
namespace {

LaneStep lane_step(std::uint32_t stride, std::uint32_t subdomains) {
    LaneStep step{stride, stride * subdomains};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t in_group = lane % step.group;
        step.staying[0] |= static_cast<std::uint32_t>(in_group >= stride) << lane;
        step.staying[1] |= static_cast<std::uint32_t>(in_group + stride < step.group) << lane;
    }
    return step;
}

void check_size(int dimension, int L) {
    if (dimension != 2 && dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", dimension));
    const int multiple = limits::site_lanes_multiple(dimension), largest = limits::max_site_L(dimension);
    if (L >= multiple && L <= largest && L % multiple == 0) return;
    const int below = std::clamp(L / multiple * multiple, multiple, largest),
              above = std::min(below + multiple, largest);
    throw InputError(
        fmt::format("L = {} cannot be cut into 128 subdomains as lanes: in {} dimensions L is a multiple of "
                    "{} up to {}, {}",
                    L, dimension, multiple, largest,
                    L < multiple || L > largest ? fmt::format("for example {}", below)
                                                : fmt::format("for example {} or {}", below, above)));
}

}  // namespace

SiteLanes::SiteLanes(int dimension_, int L_) : dimension(dimension_), L(L_) {
    check_size(dimension, L);
    for (int d = 0; d < 3; ++d) {
        subdomains[d] = limits::boxes_along(dimension, d);
        extent[d] = d < dimension ? L / subdomains[d] : 1;
    }
    int stride = 1;
    for (int d = 0; d < dimension; ++d, stride *= subdomains[d - 1])
        step[d] = lane_step(static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(subdomains[d]));
}

LaneBits SiteLanes::odd_lanes(int tile) const {
    LaneBits odd{};
    for (int lane = 0; lane < lanes_of_lattice; ++lane) {
        int tiles = 0, rest = lane;
        for (int d = 0; d < dimension; rest /= subdomains[d], ++d)
            tiles += rest % subdomains[d] * (extent[d] / tile);
        odd.word[lane / 32] |= static_cast<std::uint32_t>(tiles % 2) << lane % 32;
    }
    return odd;
}

SiteLanes::Place SiteLanes::place(std::int64_t site) const {
    int at[3], lane = 0, stride = 1;
    for (int d = 0; d < 3; ++d) {
        const int coordinate = static_cast<int>(site % L);
        site /= L;
        lane += coordinate / extent[d] * stride;
        at[d] = coordinate % extent[d];
        stride *= subdomains[d];
    }
    const int colour = (at[0] + at[1] + at[2]) % 2;
    const std::int64_t row = at[1] + std::int64_t{extent[1]} * at[2];
    return {lane, colour * colour_indices() + row * row_words() + at[0] / 2};
}

std::int64_t SiteLanes::site(int lane, int x, int y, int z) const {
    const std::int64_t at[3] = {x + lane % subdomains[0] * extent[0],
                                y + lane / subdomains[0] % subdomains[1] * extent[1],
                                z + lane / subdomains[0] / subdomains[1] * extent[2]};
    return at[0] + L * (at[1] + L * at[2]);
}

}  // namespace psflip
