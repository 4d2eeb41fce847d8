#pragma once

// Defines the orders in which sites are stored in memory.

#include <string>

#include "base/host_device.hpp"

namespace psflip {

/// Selects the memory order of the sites of a lattice. Every order stores all sites of one colour together,
/// red sites first. All orders give equal updates with equal random numbers.
/// - standard: x/2 + (L/2) (y + L z)
/// - bitwise: the standard order, computed with shifts and masks; L is a power of two
/// - sliced: x' + L (y' + L (z'/2)) with x' = x, y' = y - x, z' = x - y + z (modulo L; Lulli, Bernaschi,
///   Parisi, arXiv:1411.0127). All sites of a plane z' have one colour: red if z' is even. The neighbours of
///   a site are in the planes z' + 1 (+z, -y, +x) and z' - 1 (-z, +y, -x).
enum class SiteOrder { standard, bitwise, sliced };

/// Returns the name of an order: "standard", "bitwise" or "sliced".
const char* name(SiteOrder order);
/// Returns the order with this name. Errors: InputError for other names.
SiteOrder site_order_of(const std::string& text);

/// Holds the coordinates of a site: (x, y, z) of the lattice, or (u, v, w) of an order. In the sliced order
/// (u, v, w) is (x', y', z'), and in all other orders (x, y, z).
struct Coordinates {
    int x, y, z;
};

/// Returns a modulo L for -L <= a < 2 L.
PSFLIP_HD int wrapped(int a, int L) {
    return a < 0 ? a + L : a >= L ? a - L : a;
}

/// Convert between the coordinates (x, y, z) of a site and the coordinates (u, v, w) of `order`. All
/// coordinates run from 0 to L - 1.
PSFLIP_HD Coordinates to_order(SiteOrder order, int L, const Coordinates& site) {
    if (order != SiteOrder::sliced) return site;
    return {site.x, wrapped(site.y - site.x, L), wrapped(wrapped(site.x - site.y, L) + site.z, L)};
}
PSFLIP_HD Coordinates from_order(SiteOrder order, int L, const Coordinates& at) {
    if (order != SiteOrder::sliced) return at;
    return {at.x, wrapped(at.y + at.x, L), wrapped(at.z + at.y, L)};
}

}  // namespace psflip
