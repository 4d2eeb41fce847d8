#pragma once

#include "model/demons.hpp"
#include "sweep/cuda/demon_draw_cuda.cuh"
#include "sweep/demon/demon_kernels_cuda.cuh"

namespace psflip {

// A chain is the sites that one demon serves in a half sweep, with one h = x / 2 (DemonChains in
// demon_rule.hpp). A thread serves one chain with 32 lanes in 1, 2 or 4 neighbouring slots. The thread draws
// the demons, marches along y and keeps demons and neighbours in registers. Thread numbers count the 32-bit
// words of a site fastest, then h. So a warp reads and writes consecutive words of device memory.
//
// In three dimensions, an update of 32 spins takes 21 logic operations, five loads of spins and one store.
// The slots of a thread share the bonds in the gauge of gauge.hpp. These are four words from device memory,
// or two or three pairs of words from shared memory.

/// Draws the demons of 32 lanes.
__device__ __forceinline__ Demons<DeviceWord> draw_demons(const DemonTable& table, std::uint64_t seed,
                                                          Counter counter) {
    DeviceWord below[max_demon];
    draw_below(table, seed, counter, below);
    return demons_of(below[0], below[1], below[2]);
}

/// Moves a thread along the rows (values of y) of the sites with one h and one z. Places are as in Lattices
/// and Bonds (demon_places_cuda.cuh), and belong to the present row.
template <int Degree, int Slots, class Lattices, class Bonds>
struct ChainMarch {
    const Lattices& lattices;
    const Bonds& bonds;  ///< load returns the bonds along x and y as the two words of SlotWords<2>
    std::uint32_t own;   ///< place of the site
    std::uint32_t here, right, left;               ///< of its neighbours in this row at h, h + 1 and h - 1
    std::uint32_t up, down;                        ///< of its neighbours along z
    std::uint32_t bond_own, bond_here, bond_left;  ///< of the bonds of the sites at own, here and left
    std::uint32_t seam;  ///< of the bond to the neighbour at `down`; without has_seam this bond is +1
    bool has_seam;
    SlotWords<Slots> before, at;  ///< spins of the neighbours at h, in the row before and in this row
    DeviceWord bond_before;       ///< bond to the row before

    /// Words that an update needs in addition to the words of the row before.
    struct SiteWords {
        SlotWords<Slots> spins, side, after, above, below;
        SlotWords<2> own_bonds, here_bonds;
        DeviceWord bond_minus, bond_down;
    };

    /// Loads the words of the site at x = 2h + Parity, `Rows` rows after the present row. is_end: this site
    /// is in the last row of the lattice.
    template <int Parity, int Rows>
    __device__ __forceinline__ SiteWords load(bool is_end) const {
        SiteWords w;
        w.spins = lattices.template load<Rows>(own);
        w.side = lattices.template load<Rows>(Parity ? right : left);
        w.own_bonds = bonds.template load<Rows>(bond_own);
        w.here_bonds = bonds.template load<Rows>(bond_here);
        w.bond_minus = {Parity ? w.here_bonds.of[0] : bonds.template load<Rows>(bond_left).of[0]};
        if constexpr (Lattices::has_copies)
            w.after = lattices.template load<Rows + 1>(here);
        else
            w.after = lattices.template load<0>(is_end ? here + Rows * lattices.row - lattices.last_row
                                                       : here + (Rows + 1) * lattices.row);
        w.bond_down = {0};
        if constexpr (Degree == 6) {
            w.above = lattices.template load<Rows>(up);
            w.below = lattices.template load<Rows>(down);
            if (has_seam) w.bond_down = {bonds.template load_seam<Rows>(seam)};
        }
        return w;
    }
    /// Calls use(k, spin, e) for each slot k, with the spin of a loaded site and the bond words of this spin.
    /// Stores the spins that `use` returns if Store. Sites follow row by row.
    template <int Parity, int Rows, bool Store, class Use>
    __device__ __forceinline__ void update(const SiteWords& w, const Use& use) {
        SlotWords<Slots> updated;
#pragma unroll
        for (int k = 0; k < Slots; ++k) {
            const DeviceWord spin{w.spins.of[k]};
            DeviceWord e[Degree];
            e[0] = xor3(spin, {Parity ? w.side.of[k] : at.of[k]}, {w.own_bonds.of[0]});
            e[1] = xor3(spin, {Parity ? at.of[k] : w.side.of[k]}, w.bond_minus);
            e[2] = xor3(spin, {w.after.of[k]}, {w.own_bonds.of[1]});
            e[3] = xor3(spin, {before.of[k]}, bond_before);
            if constexpr (Degree == 6) {
                e[4] = spin ^ DeviceWord { w.above.of[k] };
                e[5] = xor3(spin, {w.below.of[k]}, w.bond_down);
            }
            updated.of[k] = use(k, spin, e).bits;
        }
        if (Store) lattices.template store<Rows>(own, updated);
        before = at;
        at = w.after;
        bond_before = {w.here_bonds.of[1]};
    }
    /// Visits the rows from y to end_y - 1. In row y, the site has x = 2h + First. words: the loaded words of
    /// this site.
    template <int First, bool Store, class Use>
    __device__ __forceinline__ void rows(SiteWords words, unsigned y, unsigned end_y, unsigned L,
                                         const Use& use) {
#pragma unroll 1
        for (; y + 3 < end_y; y += 4) some_rows<First, 0, 4, Store>(words, y, end_y, L, use);
        if (y + 1 < end_y) {
            some_rows<First, 0, 2, Store>(words, y, end_y, L, use);
            y += 2;
        }
        if (y < end_y) some_rows<First, 0, 1, Store>(words, y, end_y, L, use);
    }
    /// Visits rows y + Row to y + Count - 1. If possible, loads the words of the next site before it updates
    /// a site. words: of the first site; after the call, of the next site.
    template <int First, int Row, int Count, bool Store, class Use>
    __device__ __forceinline__ void some_rows(SiteWords& words, unsigned y, unsigned end_y, unsigned L,
                                              const Use& use) {
        constexpr int parity = (First + Row) % 2;
        SiteWords next{};
        const auto load_next = [&] { next = load<1 - parity, Row + 1>(y + Row + 2 == L); };
        constexpr bool is_within = Row + 1 < Count, is_late = Lattices::has_copies && !is_within;
        const bool has_next = is_within || y + Count < end_y;
        if (has_next && !is_late) load_next();
        update<parity, Row, Store>(words, use);
        if (has_next && is_late) load_next();
        words = next;
        if constexpr (Row + 1 < Count)
            some_rows<First, Row + 1, Count, Store>(words, y, end_y, L, use);
        else
            go(Count);
    }
    /// Moves all places to the row that lies `rows` rows later.
    __device__ __forceinline__ void go(int rows) {
        for (std::uint32_t* place : {&own, &here, &right, &left, &up, &down})
            *place = lattices.rows_after(*place, rows);
        for (std::uint32_t* place : {&bond_own, &bond_here, &bond_left})
            *place = bonds.rows_after(*place, rows);
        seam = bonds.seam_rows_after(seam, rows);
    }
};

/// Visits the sites of a chain in the order in which its demon serves them. Calls draw() while the first
/// words are on their way from memory. Then calls use(k, spin, e) at each site for each slot k of the thread,
/// with the spin and the bond words of this spin (bit 1: unsatisfied). Stores the spins that `use` returns if
/// Store. In three dimensions spins and bonds are in the gauge of LatticeGauge. The seams of this gauge lie
/// between the last plane and the first.
template <int Degree, int Slots, bool Store, class Lattices, class Bonds, class Draw, class Use>
__device__ __forceinline__ void visit_chain(const Geometry& g, const ChainSizes& s, const Chain& chain,
                                            unsigned colour, const Lattices& lattices, const Bonds& bonds,
                                            const Draw& draw, const Use& use) {
    const unsigned first_z = chain.first_z(s),
                   end_z = min(first_z + static_cast<unsigned>(s.chains.planes), g.depth),
                   end_y = min(chain.first_y + static_cast<unsigned>(s.chains.rows), g.L),
                   row_before = chain.first_y == 0 ? g.L - 1 : chain.first_y - 1;
    const unsigned right = chain.h + 1 == g.half ? 0 : chain.h + 1,
                   left = chain.h == 0 ? g.half - 1 : chain.h - 1;
    const auto column = [&](const auto& memory, unsigned h, unsigned y) {
        return memory.column_place(g, s, h, y, chain.word);
    };
    const std::uint32_t here = column(lattices, chain.h, chain.first_y),
                        to_right = column(lattices, right, chain.first_y) - here,
                        to_left = column(lattices, left, chain.first_y) - here,
                        to_before = column(lattices, chain.h, row_before) - here,
                        bond_here = column(bonds, chain.h, chain.first_y),
                        bond_to_left = column(bonds, left, chain.first_y) - bond_here,
                        bond_to_before = column(bonds, chain.h, row_before) - bond_here;
    ChainMarch<Degree, Slots, Lattices, Bonds> march{.lattices = lattices, .bonds = bonds};
    if (Lattices::has_copies) draw();
#pragma unroll 1
    for (unsigned z = first_z; z < end_z; ++z) {
        const bool is_first = z == 0, is_last = z + 1 == g.depth;
        const ChainPlane plane{z, chain.layer};
        march.own = lattices.plane_place(g, s, colour, plane) + here;
        march.here = lattices.plane_place(g, s, 1 - colour, plane) + here;
        march.right = march.here + to_right;
        march.left = march.here + to_left;
        march.bond_own = bonds.plane_place(g, s, colour, plane) + bond_here;
        march.bond_here = bonds.plane_place(g, s, 1 - colour, plane) + bond_here;
        march.bond_left = march.bond_here + bond_to_left;
        march.has_seam = Degree == 6 && (is_first || is_last);
        if constexpr (Degree == 6) {
            // A site of the last plane has its two neighbours along z exchanged: `down` is beyond the seam.
            const ChainPlane next = is_last          ? ChainPlane{0, 0}
                                    : z + 1 == end_z ? ChainPlane{z + 1, chain.layer + 1}
                                                     : ChainPlane{z + 1, chain.layer};
            const ChainPlane previous =
                is_first       ? ChainPlane{g.depth - 1, static_cast<unsigned>(s.chains.layers()) - 1}
                : z == first_z ? ChainPlane{z - 1, chain.layer - 1}
                               : ChainPlane{z - 1, chain.layer};
            const std::uint32_t above = lattices.plane_place(g, s, 1 - colour, next) + here,
                                below = lattices.plane_place(g, s, 1 - colour, previous) + here;
            march.up = is_last ? below : above;
            march.down = is_last ? above : below;
            march.seam = bonds.seam_place(g, s, colour, is_last, chain.h, chain.first_y, chain.word);
        }
        march.bond_before = {bonds.template load<0>(march.bond_here + bond_to_before).of[1]};
        march.at = lattices.template load<0>(march.here);
        march.before = lattices.template load<0>(march.here + to_before);
        const std::uint32_t first = march.own;
        const bool is_odd = (colour + chain.first_y + z) & 1, is_end = chain.first_y + 1 == g.L;
        const auto words = is_odd ? march.template load<1, 0>(is_end) : march.template load<0, 0>(is_end);
        if (!Lattices::has_copies && z == first_z) draw();
        if (is_odd)
            march.template rows<1, Store>(words, chain.first_y, end_y, g.L, use);
        else
            march.template rows<0, Store>(words, chain.first_y, end_y, g.L, use);
        if constexpr (Store && Lattices::has_copies)
            if (chain.first_y == 0)
                lattices.template store<0>(lattices.rows_after(first, static_cast<int>(g.L)),
                                           lattices.template load<0>(first));
    }
}

/// Names the lattices of a block: neighbouring slots of one column and replica. `first_word`, 0 to 3, is the
/// first of the four 32-bit words of a site that the block holds.
struct DemonStack {
    std::uint32_t column, replica, first_slot, first_word;
};

template <int Degree>
__device__ __forceinline__ const uint4* column_couplings(const SweepArgs& a, std::uint32_t column) {
    return a.couplings + static_cast<std::size_t>(column) * (Degree / 2) * a.geometry.sites;
}

/// Draws the demons of a chain and updates the sites of the chain. number: as in Chain::Chain. table[k] has
/// the thresholds of slot first_slot + k. fill_tables and __syncthreads must come before.
template <int Degree, int Slots, class Lattices, class Bonds>
__device__ __forceinline__ void serve_chain(const SweepArgs& a, const DemonLaunch& l, unsigned number,
                                            unsigned colour, std::uint64_t sweep, const DemonStack& stack,
                                            const DemonTable* table, const Lattices& lattices,
                                            const Bonds& bonds) {
    const Geometry& g = a.geometry;
    const Chain chain(g, l.sizes, stack.first_word, number);
    const std::uint32_t pack = (a.first_realization + stack.column * 128) / 32 + chain.word;
    Demons<DeviceWord> demons[Slots]{};
    visit_chain<Degree, Slots, true>(
        g, l.sizes, chain, colour, lattices, bonds,
        [&] {
#pragma unroll
            for (int k = 0; k < Slots; ++k)
                demons[k] = draw_demons(table[k], a.seed,
                                        make_counter(Purpose::demon, chain.first_site(g, l.sizes, colour),
                                                     sweep, stack.first_slot + k, stack.replica, 0, pack));
        },
        [&](int k, DeviceWord spin, const DeviceWord(&e)[Degree]) {
            return demon_updated_spin(spin, e, demons[k]);
        });
}

/// Fills the tables of `slots` neighbouring slots. Slots after the last temperature get the thresholds of the
/// last temperature.
__device__ __forceinline__ void fill_tables(const SweepArgs& a, std::uint32_t first_slot, std::uint32_t slots,
                                            DemonTable* tables) {
    constexpr unsigned rows = DemonTable::calls * max_demon;
    for (unsigned i = threadIdx.x; i < slots * rows; i += blockDim.x) {
        const unsigned k = i / rows;
        tables[k].fill(a.thresholds[min(first_slot + k, a.temperatures - 1)], i - k * rows, rows);
    }
}

}  // namespace psflip
