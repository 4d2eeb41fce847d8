#pragma once

#include "reference/reference.hpp"

namespace psflip::reference {

/// Returns the number of subdomains (boxes) along an axis: with lanes = sites, a lattice is cut into 8 x 16
/// or 4 x 4 x 8 subdomains.
inline int boxes_along(int dimension, int axis) {
    constexpr int flat[3] = {8, 16, 1}, cubic[3] = {4, 4, 8};
    return dimension == 2 ? flat[axis] : cubic[axis];
}

/// Holds the subdomain of a site (`lane`), and the index of the site in this subdomain (`position`).
struct InBox {
    int lane = 0, position = 0;
    InBox(const World& world, int site) {
        for (int axis = 0, lanes = 1, positions = 1; axis < world.dimension; ++axis, site /= world.L) {
            const int boxes = boxes_along(world.dimension, axis), edge = world.L / boxes;
            lane += site % world.L / edge * lanes;
            position += site % world.L % edge * positions;
            lanes *= boxes;
            positions *= edge;
        }
    }
};

}  // namespace psflip::reference
