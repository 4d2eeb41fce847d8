#pragma once

#include <cstdint>

#include "lattice/site_order.hpp"

namespace psflip {

/// Place in memory of the site that is number x of a line along an axis of a whole lattice; its other
/// coordinates are line % L and line / L.
__device__ __forceinline__ std::uint32_t line_site(SiteOrder order, int L, int dimension, int axis, int line,
                                                   int x) {
    const int u = line % L, v = line / L;
    const Coordinates site = axis == 0   ? Coordinates{x, u, v}
                             : axis == 1 ? Coordinates{u, x, v}
                                         : Coordinates{u, v, x};
    const Coordinates at = to_order(order, L, site);
    const std::uint32_t colour = static_cast<std::uint32_t>(L) * L * (dimension == 3 ? L : 1) / 2;
    if (order == SiteOrder::sliced) return (at.z & 1) * colour + at.x + L * (at.y + L * (at.z >> 1));
    return ((at.x + at.y + at.z) & 1) * colour + (at.x >> 1) + L / 2 * (at.y + L * at.z);
}

}  // namespace psflip
