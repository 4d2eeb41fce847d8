#pragma once

#include "base/host_device.hpp"
#include "lattice/layout.hpp"

namespace psflip {

// Lists the sites of families of parallel planes (measure/replicon.hpp). On a plane of family 0, 1 or 2, the
// coordinate x, y or z is constant. Families 3 to 8 are across diagonals: x + y, x - y, x + z, x - z, y + z
// or y - z is constant modulo L.

/// Names the L sites (u + du t, v + dv t), t = 0, ..., L - 1, of a line in one plane of memory. Coordinates
/// are modulo L.
struct PlaneLine {
    int u, v, du, dv;
};

/// Returns the intersection of a plane of a family with plane z of the standard order. z counts in the whole
/// lattice. The family must not be 2 (across z).
PSFLIP_HD PlaneLine standard_line(int family, int plane, int z) {
    switch (family) {
        case 0:
            return {plane, 0, 0, 1};
        case 1:
            return {0, plane, 1, 0};
        case 3:
            return {0, plane, 1, -1};
        case 4:
            return {0, -plane, 1, 1};
        case 5:
            return {plane - z, 0, 0, 1};
        case 6:
            return {plane + z, 0, 0, 1};
        case 7:
            return {0, plane - z, 1, 0};
        default:
            return {0, plane + z, 1, 0};
    }
}

/// Returns the intersection of a plane of a family with plane w of the sliced order. w counts in the whole
/// lattice. In this order x = u, y = u + v and z = v + w.
PSFLIP_HD PlaneLine sliced_line(int family, int plane, int w) {
    switch (family) {
        case 0:
            return {plane, 0, 0, 1};
        case 1:
            return {plane, 0, -1, 1};
        case 2:
            return {0, plane - w, 1, 0};
        case 3:
            return {0, plane, 1, -2};
        case 4:
            return {0, -plane, 1, 0};
        case 5:
            return {plane - w, 0, -1, 1};
        case 6:
            return {plane + w, 0, 1, 1};
        case 7:
            return {plane - w, 0, -2, 1};
        default:
            return {plane + w, 0, 0, 1};
    }
}

/// Calls f(u, v, w) for the sites of a plane of a family that lie in own planes. w counts from the first
/// plane in memory.
template <class F>
void for_each_in_plane(const HeldLattice& held, int family, int plane, F f) {
    const int L = held.L;
    for (int w = held.begin; w < held.end; ++w) {
        const int number = held.plane(w);
        if (!held.sliced() && family == 2) {
            for (int v = 0; number == plane && v < L; ++v)
                for (int u = 0; u < L; ++u) f(u, v, w);
            continue;
        }
        const PlaneLine line =
            held.sliced() ? sliced_line(family, plane, number) : standard_line(family, plane, number);
        const auto step = [L](int a, int by) { return ((a + by) % L + L) % L; };
        int u = step(line.u, 0), v = step(line.v, 0);
        for (int t = 0; t < L; ++t) {
            f(u, v, w);
            u = wrapped(u + line.du, L);
            v = wrapped(v + line.dv, L);
        }
    }
}

}  // namespace psflip
