#pragma once

#include <string>

#include "base/host_device.hpp"

namespace psflip {

/// Memory order of the sites of a lattice. Every order has the sites of one colour together, red ones first,
/// and gives the same update of the same sites with the same random numbers.
///   standard  x/2 + (L/2) (y + L z)
///   bitwise   the same places, found with shifts and masks: L is a power of two
///   sliced    by x' = x, y' = y - x, z' = x - y + z (modulo L; Lulli, Bernaschi, Parisi, arXiv:1411.0127):
///             planes z' are of one colour, red where z' is even; x' + L (y' + L (z'/2)). A site's neighbours
///             are in the planes z' + 1 (+z, -y, +x) and z' - 1 (-z, +y, -x).
enum class SiteOrder { standard, bitwise, sliced };

/// "standard", ...
const char* name(SiteOrder order);
/// Returns the order of this name. Errors: InputError for other names.
SiteOrder site_order_of(const std::string& text);

/// A site by three numbers, of the lattice (x, y, z) or of an order (u, v, w): (x, y, z) again, in the sliced
/// order (x', y', z').
struct Coordinates {
    int x, y, z;
};

/// a modulo L for -L <= a < 2 L.
PSFLIP_HD int wrapped(int a, int L) {
    return a < 0 ? a + L : a >= L ? a - L : a;
}

/// Coordinates of the order of site (x, y, z), each from 0 to L - 1, and back.
PSFLIP_HD Coordinates to_order(SiteOrder order, int L, const Coordinates& site) {
    if (order != SiteOrder::sliced) return site;
    return {site.x, wrapped(site.y - site.x, L), wrapped(wrapped(site.x - site.y, L) + site.z, L)};
}
PSFLIP_HD Coordinates from_order(SiteOrder order, int L, const Coordinates& at) {
    if (order != SiteOrder::sliced) return at;
    return {at.x, wrapped(at.y + at.x, L), wrapped(at.z + at.y, L)};
}

}  // namespace psflip
