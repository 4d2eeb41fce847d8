#include <doctest/doctest.h>

#include <initializer_list>

#include "lattice/site_orders_cuda.cuh"

using namespace psflip;

namespace {

/// Every site of a row starts or ends there: where the quotients could be wrong.
template <class Order>
void check_row_ends(int L, int depth) {
    const Geometry g = make_slab(L, depth);
    const unsigned rows = g.colour_sites / g.half;
    unsigned wrong = 0;
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned h : {0u, g.half - 1}) {
            const Place p = Order::place(g, 1, row * g.half + h);
            wrong += p.h != h || p.y != row % g.L || p.z != row / g.L || p.parity != ((1 + p.y + p.z) & 1);
        }
    CAPTURE(L);
    CAPTURE(depth);
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("kernels find every site of lattices and slabs up to L = 1024") {
    int inexact = 0;
    for (int L = 4; L <= 1024; L += L < 512 ? 2 : 46) {
        check_row_ends<ExactOrder>(L, L);
        check_row_ends<ExactOrder>(L, L + 4);
        if (has_exact_places(make_geometry(L)))
            check_row_ends<StandardOrder>(L, L);
        else
            ++inexact;
        CHECK((L > 370 || has_exact_places(make_slab(L, L + 4))));
    }
    CHECK(inexact > 0);
    CHECK(has_exact_places(make_geometry(512)));
    check_row_ends<ExactOrder>(1022, 1026);
    check_row_ends<StandardOrder>(1024, 1028);
}

TEST_CASE("the sliced order of kernels is that of the layout, in slabs, too") {
    for (int L : {4, 6, 10}) {
        Shape shape;
        shape.L = L;
        shape.order = SiteOrder::sliced;
        for (int planes : {0, 2}) {
            shape.slab_planes = planes;
            shape.first_plane = planes > 0 ? 2 : 0;
            const HeldLattice held = HeldLattice::of(shape);
            const Geometry g = make_slab(L, shape.held_planes());
            const OwnPlanes own = own_planes(shape);
            for (int w = held.begin; w < held.end; ++w)
                for (int v = 0; v < L; ++v)
                    for (int u = 0; u < L; ++u) {
                        const unsigned colour = w & 1, i = held.index(u, v, w) - colour * g.colour_sites;
                        const Place p = SlicedOrder::place(g, colour, i);
                        const Neighbours n = SlicedOrder::neighbours(g, colour, p);
                        const Coordinates at = held.site(u, v, w);
                        REQUIRE(n.own == held.index(u, v, w));
                        REQUIRE(SlicedOrder::number(g, own, p) == unsigned(at.x + L * (at.y + L * at.z)));
                        const int up = (w + 1) % held.depth, down = (w + held.depth - 1) % held.depth;
                        REQUIRE(n.site[2] == held.index(u, v, up));
                        REQUIRE(n.site[5] == held.index(u, v, down));
                        REQUIRE(n.site[4] == held.index(u, (v + L - 1) % L, up));
                        REQUIRE(n.site[1] == held.index(u, (v + 1) % L, down));
                        REQUIRE(n.site[0] == held.index((u + 1) % L, (v + L - 1) % L, up));
                        REQUIRE(n.site[3] == held.index((u + L - 1) % L, (v + 1) % L, down));
                    }
        }
    }
}
