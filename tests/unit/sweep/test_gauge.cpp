#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "slab/ranks.hpp"
#include "sweep/gauge.hpp"
#include "sweep/site_rule.hpp"

using namespace psflip;

namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

/// 64 lattices with random couplings and spins, also in the gauge of slabs of `depth` planes.
struct Lattice {
    Geometry g;
    unsigned depth;
    Words spins, bonds[3], turn, seam, gauged[2], turned;

    Lattice(int L, unsigned of_slabs, unsigned seed)
        : g(make_geometry(L)), depth(of_slabs), turn(g.sites), seam(g.sites) {
        std::mt19937_64 random(seed);
        for (Words* words : {&spins, &bonds[0], &bonds[1], &bonds[2]})
            for (unsigned i = 0; i < g.sites; ++i) words->push_back(random());
        for (unsigned y = 0; y < g.L; ++y)
            for (unsigned x = 0; x < g.L; ++x)
                gauge_column(g, x, y, depth, bonds[2].data(), turn.data(), seam.data());
        for (unsigned i = 0; i < g.sites; ++i) {
            const Neighbours n = neighbours(i);
            for (int d = 0; d < 2; ++d) gauged[d].push_back(bonds[d][i] ^ turn[i] ^ turn[n.site[d]]);
            turned.push_back(spins[i] ^ turn[i]);
        }
    }

    Neighbours neighbours(unsigned i) const {
        const unsigned colour = i >= g.colour_sites;
        return neighbours_of(g, colour, place_of(g, colour, i - colour * g.colour_sites));
    }
    /// Bond words (1: unsatisfied) of a site as they are.
    void plain(unsigned i, Word (&near)[6], Word (&bond)[6]) const {
        const Neighbours n = neighbours(i);
        for (int d = 0; d < 6; ++d) {
            near[d] = spins[n.site[d]];
            bond[d] = bonds[d % 3][d < 3 ? n.own : n.site[d]];
        }
    }
};

/// A site of a slab in the gauge, as a block of a cluster sees it.
struct SlabView {
    const Lattice& l;
    Geometry slab;
    unsigned first_plane;

    unsigned in_lattice(unsigned position, unsigned plane) const {
        const bool black = position >= slab.colour_sites;
        return position + (black ? l.g.colour_sites - slab.colour_sites : 0) + plane * l.g.plane;
    }
    /// Number in the lattice; near[5] with the seam, if there is one.
    unsigned site(unsigned colour, unsigned i, Word (&near)[6], Word (&bond)[6]) const {
        Place place = place_of(slab, colour, i);
        place.parity ^= first_plane & 1u;
        Neighbours n = neighbours_of(slab, colour, place);
        const unsigned own = in_lattice(n.own, first_plane);
        for (int d : {0, 1, 3, 4})
            bond[d] = l.gauged[d % 3][d < 3 ? own : in_lattice(n.site[d], first_plane)];
        const bool first = place.z == 0, last = place.z + 1 == slab.depth;
        end_last(n, last);
        for (int d = 0; d < 6; ++d) near[d] = l.turned[in_lattice(n.site[d], first_plane)];
        if (first || last) {
            const unsigned next = (first_plane + (last ? slab.depth : l.g.L - slab.depth)) % l.g.L;
            near[5] = l.turned[in_lattice(n.site[5], next)];
            if (at_seam(slab, first_plane, place.y, last)) near[5] ^= l.seam[own];
        }
        return own;
    }
};

/// Couplings along x, y and z, and turns, of the planes in memory of a slab. Words are (direction, site).
struct GaugedSlab {
    Geometry g;
    OwnPlanes own;
    Words couplings, turn;

    GaugedSlab(const Lattice& lattice, const Shape& shape, Ranks& ranks)
        : g(make_slab(shape.L, shape.held_planes())),
          own(own_planes(shape)),
          couplings(std::size_t{3} * g.sites),
          turn(g.sites) {
        for_each_site([&](unsigned, unsigned, unsigned, unsigned at, unsigned site) {
            for (unsigned d = 0; d < 3; ++d) couplings[d * g.sites + at] = lattice.bonds[d][site];
        });
        const Word* const along_z = couplings.data() + std::size_t{2} * g.sites;
        Words all;
        for (unsigned i = 0; i < g.L * g.L; ++i)
            all.push_back(product_of_line(g, own, i % g.L, i / g.L, along_z));
        const Words below = ranks.exclusive_or(all);
        for (unsigned i = 0; i < g.L * g.L; ++i)
            turn_line(g, own, i % g.L, i / g.L, {below[i], all[i]}, along_z, turn.data());
        for_each_site([&](unsigned x, unsigned y, unsigned w, unsigned, unsigned) {
            gauge_bonds(g, own, x, y, w, all[x + g.L * y], turn.data(), couplings.data());
        });
    }

    /// Calls f(x, y, plane in memory, index in memory, index in the lattice) for all sites in memory.
    template <class F>
    void for_each_site(F f) const {
        const Geometry whole = make_geometry(static_cast<int>(g.L));
        for (unsigned w = 0; w < g.depth; ++w)
            for (unsigned y = 0; y < g.L; ++y)
                for (unsigned x = 0; x < g.L; ++x)
                    f(x, y, w, position_of(g, x, y, w), position_of(whole, x, y, own.plane(g, w)));
    }
    /// Returns the number of sites with other turns or bonds than the lattice has. All seams of the lattice
    /// must be below plane 0.
    int wrong_sites(const Lattice& lattice) const {
        int wrong = 0;
        for_each_site([&](unsigned, unsigned, unsigned w, unsigned at, unsigned site) {
            const Word along_z = own.plane(g, w) + 1 == g.L ? lattice.seam[site] : 0;
            wrong += turn[at] != lattice.turn[site] || couplings[at] != lattice.gauged[0][site] ||
                     couplings[g.sites + at] != lattice.gauged[1][site] ||
                     couplings[2 * std::size_t{g.sites} + at] != along_z;
        });
        return wrong;
    }
};

}  // namespace

TEST_CASE("gauge: 1 to 5 ranks with slabs of any height have the gauge of the whole lattice, also in halos") {
    for (const int L : {4, 6, 10, 16}) {
        const Lattice lattice(L, static_cast<unsigned>(L), 11);
        CHECK(GaugedSlab(lattice, {.L = L}, single_rank()).wrong_sites(lattice) == 0);
        for (int n = 1; n <= std::min(5, L / 2); ++n) {
            std::atomic<int> wrong = 0;
            with_local_ranks(n, [&](Ranks& ranks) {
                const SlabPlanes planes = planes_of_rank(L, ranks.rank(), n);
                const Shape shape{.L = L, .first_plane = planes.first, .slab_planes = planes.count};
                wrong += GaugedSlab(lattice, shape, ranks).wrong_sites(lattice);
            });
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("gauge: sites of slabs have the bonds and updates of the lattice as it is") {
    for (auto [L, depth] : {std::pair{4, 2u}, {4, 4u}, {6, 2u}, {6, 3u}, {12, 3u}, {16, 16u}}) {
        const Lattice l(L, depth, 7);
        std::mt19937_64 random(3);
        for (unsigned first_plane = 0; first_plane < l.g.L; first_plane += depth)
            for (unsigned colour = 0; colour < 2; ++colour) {
                const SlabView view{l, make_slab(L, static_cast<int>(depth)), first_plane};
                for (unsigned i = 0; i < view.slab.colour_sites; ++i) {
                    Word near[6], bond[6], gauged_near[6], gauged_bond[6];
                    const unsigned own = view.site(colour, i, gauged_near, gauged_bond);
                    l.plain(own, near, bond);
                    Word e[6], f[6];
                    for (int d = 0; d < 6; ++d) {
                        e[d] = l.spins[own] ^ near[d] ^ bond[d];
                        f[d] = l.turned[own] ^ gauged_near[d] ^ (d % 3 == 2 ? 0 : gauged_bond[d]);
                    }
                    for (int d : {0, 1, 3, 4}) CHECK(e[d] == f[d]);
                    CHECK(((e[2] == f[2] && e[5] == f[5]) || (e[2] == f[5] && e[5] == f[2])));
                    const Word a = random(), b = random(), c = random();
                    const Acceptance<Word> m{a, a & b, a & b & c};
                    CHECK(updated_spin(l.spins[own], near, bond, m) ==
                          (updated_spin_gauged(l.turned[own], gauged_near, gauged_bond, m) ^ l.turn[own]));
                }
            }
    }
}

TEST_CASE("gauge: squares have unchanged bond words, and +1 along y except for the last row") {
    for (const int L : {4, 6, 10, 16}) {
        const Geometry g = make_slab(L, 1);
        std::mt19937_64 random(5);
        Words spins, bonds, turn(g.sites);
        for (unsigned i = 0; i < g.sites; ++i) spins.push_back(random());
        for (unsigned i = 0; i < 2 * g.sites; ++i) bonds.push_back(random());
        Words gauged = bonds;
        for (unsigned x = 0; x < g.L; ++x) gauge_square_line(g, x, gauged.data() + g.sites, turn.data());
        for (unsigned i = 0; i < g.sites; ++i)
            gauge_square_bond(g, i % g.L, i / g.L, turn.data(), gauged.data());
        for (unsigned y = 0; y < g.L; ++y)
            for (unsigned x = 0; x < g.L; ++x) {
                const unsigned at = position_of(g, x, y, 0), near[2] = {position_of(g, (x + 1) % g.L, y, 0),
                                                                        position_of(g, x, (y + 1) % g.L, 0)};
                for (unsigned d = 0; d < 2; ++d)
                    CHECK((spins[at] ^ spins[near[d]] ^ bonds[d * g.sites + at]) ==
                          (spins[at] ^ turn[at] ^ spins[near[d]] ^ turn[near[d]] ^ gauged[d * g.sites + at]));
                if (y + 1 < g.L) CHECK(gauged[g.sites + at] == 0);
            }
    }
}

TEST_CASE("gauge: every slab has the seams of as many columns") {
    const Geometry g = make_geometry(24), slab = make_slab(24, 3);
    for (unsigned first_plane = 0; first_plane < g.L; first_plane += 3)
        for (bool last : {false, true}) {
            unsigned rows = 0;
            for (unsigned y = 0; y < g.L; ++y) rows += at_seam(slab, first_plane, y, last);
            CHECK(rows == 3);
        }
}
