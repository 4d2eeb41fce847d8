#pragma once

#include "reference/reference.hpp"

namespace psflip::reference {

/// With lanes = sites, a lattice is cut into 8 x 16 or 4 x 4 x 8 boxes.
inline int boxes_along(int dimension, int axis) {
    constexpr int flat[3] = {8, 16, 1}, cubic[3] = {4, 4, 8};
    return dimension == 2 ? flat[axis] : cubic[axis];
}

/// Where a site lies in one of the boxes of its lattice, and the number of the box.
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
