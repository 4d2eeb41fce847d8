#pragma once

#include "sweep/demon/demon_chain_cuda.cuh"
#include "sweep/demon_model_rule.hpp"

namespace psflip {

// Serves chains of models with a field or absent bonds. In contrast to demon_chain_cuda.cuh, spins are not in
// the gauge, because a field is not gauge invariant. A thread loads all bonds and, if bonds can be absent, a
// word of absent bonds for each bond. The slots of a thread share these words, and the counts of absent
// bonds.
//
// In three dimensions, a site takes loads of 5 spins for each slot, 5 couplings and 5 words of absent bonds.

/// Holds the threshold planes of one slot.
template <class Rule>
struct ModelTables {
    ThresholdPlanes<Rule::highest> bonds;
    ThresholdPlanes<max_field_demon> field;
};

/// Fills the tables of `slots` neighbouring slots, as fill_tables.
template <class Rule>
__device__ __forceinline__ void fill_model_tables(const SweepArgs& a, const DemonModel& model,
                                                  std::uint32_t first_slot, std::uint32_t slots,
                                                  ModelTables<Rule>* tables) {
    constexpr unsigned of_bonds = ThresholdPlanes<Rule::highest>::rows,
                       rows = of_bonds + ThresholdPlanes<max_field_demon>::rows;
    for (unsigned i = threadIdx.x; i < slots * rows; i += blockDim.x) {
        const unsigned k = i / rows, row = i - k * rows;
        const std::uint32_t* const thresholds = model.thresholds[min(first_slot + k, a.temperatures - 1)];
        if (row < of_bonds)
            tables[k].bonds.fill_row(row, [thresholds](unsigned c) { return thresholds[c]; });
        else
            tables[k].field.fill_row(row - of_bonds,
                                     [thresholds](unsigned c) { return thresholds[max_bond_demon + c]; });
    }
}

/// Holds a site of a chain and the words around it, in the order +x, -x, +y, -y, +z, -z.
template <int Degree, int Slots>
struct ChainSite {
    unsigned x, y, z;
    SlotWords<Slots> spin, near[Degree];
    DeviceWord bond[Degree], absent[Degree];
};

/// Moves a thread along the rows of the sites with one h and one z, as ChainMarch. `flat` has the bonds along
/// x and y: Jx, Jy and, if Absent, the words of absent bonds along x and y. `steep` has the bonds along z.
template <int Degree, int Slots, bool Absent, class Lattices, class Flat, class Steep>
struct ModelMarch {
    const Lattices& lattices;
    const Flat& flat;
    const Steep& steep;
    unsigned h, y, z;
    std::uint32_t own, here, right, left, up, down;  ///< spins
    std::uint32_t flat_own, flat_here, flat_left;
    std::uint32_t steep_own, steep_down;
    SlotWords<Slots> before, at;
    DeviceWord bond_before, absent_before;

    /// Words that an update needs in addition to the words of the row before.
    struct SiteWords {
        SlotWords<Slots> spin, side, after, above, below;
        SlotWords<Absent ? 4 : 2> flat_own, flat_here, flat_minus;
        SlotWords<Absent ? 2 : 1> steep_own, steep_down;
    };

    /// Loads the words of the site at x = 2h + Parity, `Rows` rows after the present row. is_end: this site
    /// is in the last row of the lattice.
    template <int Parity, int Rows>
    __device__ __forceinline__ SiteWords load(bool is_end) const {
        SiteWords w{};
        w.spin = lattices.template load<Rows>(own);
        w.side = lattices.template load<Rows>(Parity ? right : left);
        if constexpr (Lattices::has_copies)
            w.after = lattices.template load<Rows + 1>(here);
        else
            w.after = lattices.template load<0>(is_end ? here + Rows * lattices.row - lattices.last_row
                                                       : here + (Rows + 1) * lattices.row);
        w.flat_own = flat.template load<Rows>(flat_own);
        w.flat_here = flat.template load<Rows>(flat_here);
        w.flat_minus = w.flat_here;
        if constexpr (Parity == 0) w.flat_minus = flat.template load<Rows>(flat_left);
        if constexpr (Degree == 6) {
            w.above = lattices.template load<Rows>(up);
            w.below = lattices.template load<Rows>(down);
            w.steep_own = steep.template load<Rows>(steep_own);
            w.steep_down = steep.template load<Rows>(steep_down);
        }
        return w;
    }
    /// Calls use(site) for a loaded site, `Rows` rows after the present row, and stores the spins that it
    /// returns if Store. Sites follow row by row.
    template <int Parity, int Rows, bool Store, class Use>
    __device__ __forceinline__ void update(const SiteWords& w, const Use& use) {
        ChainSite<Degree, Slots> s{2 * h + Parity, y + Rows, z, w.spin};
        s.near[0] = Parity ? w.side : at;
        s.near[1] = Parity ? at : w.side;
        s.near[2] = w.after;
        s.near[3] = before;
        s.bond[0] = {w.flat_own.of[0]};
        s.bond[1] = {w.flat_minus.of[0]};
        s.bond[2] = {w.flat_own.of[1]};
        s.bond[3] = bond_before;
        if constexpr (Absent) {
            s.absent[0] = {w.flat_own.of[2]};
            s.absent[1] = {w.flat_minus.of[2]};
            s.absent[2] = {w.flat_own.of[3]};
            s.absent[3] = absent_before;
            absent_before = {w.flat_here.of[3]};
        }
        if constexpr (Degree == 6) {
            s.near[4] = w.above;
            s.near[5] = w.below;
            s.bond[4] = {w.steep_own.of[0]};
            s.bond[5] = {w.steep_down.of[0]};
            if constexpr (Absent) {
                s.absent[4] = {w.steep_own.of[1]};
                s.absent[5] = {w.steep_down.of[1]};
            }
        }
        const SlotWords<Slots> updated = use(s);
        if (Store) lattices.template store<Rows>(own, updated);
        before = at;
        at = w.after;
        bond_before = {w.flat_here.of[1]};
    }
    /// Visits the rows from y to end_y - 1. In row y, the site has x = 2h + First. words: the loaded words of
    /// this site.
    template <int First, bool Store, class Use>
    __device__ __forceinline__ void rows(SiteWords words, unsigned end_y, unsigned L, const Use& use) {
#pragma unroll 1
        while (y + 1 < end_y) some_rows<First, 0, 2, Store>(words, end_y, L, use);
        if (y < end_y) some_rows<First, 0, 1, Store>(words, end_y, L, use);
    }
    /// Visits rows y + Row to y + Count - 1, and moves all places to the next row. In device memory, loads
    /// the words of the next site before it updates a site. words: of the first site; after the call, of the
    /// next site.
    template <int First, int Row, int Count, bool Store, class Use>
    __device__ __forceinline__ void some_rows(SiteWords& words, unsigned end_y, unsigned L, const Use& use) {
        constexpr int parity = (First + Row) % 2;
        const bool has_next = Row + 1 < Count || y + Count < end_y;
        SiteWords next{};
        const auto load_next = [&] { next = load<1 - parity, Row + 1>(y + Row + 2 == L); };
        if (has_next && !Lattices::has_copies) load_next();
        update<parity, Row, Store>(words, use);
        if (has_next && Lattices::has_copies) load_next();
        words = next;
        if constexpr (Row + 1 < Count)
            some_rows<First, Row + 1, Count, Store>(words, end_y, L, use);
        else
            go(Count);
    }
    /// Moves all places to the row that lies `rows` rows later.
    __device__ __forceinline__ void go(int rows) {
        y += rows;
        for (std::uint32_t* place : {&own, &here, &right, &left, &up, &down})
            *place = lattices.rows_after(*place, rows);
        for (std::uint32_t* place : {&flat_own, &flat_here, &flat_left})
            *place = flat.rows_after(*place, rows);
        for (std::uint32_t* place : {&steep_own, &steep_down}) *place = steep.rows_after(*place, rows);
    }
};

/// Visits the sites of a chain in the order in which its demon serves them. Calls draw() before the first
/// site, while the first words are on their way from device memory. Calls use(site), and stores the spins
/// that it returns if Store.
template <int Degree, int Slots, bool Absent, bool Store, class Lattices, class Flat, class Steep, class Draw,
          class Use>
__device__ __forceinline__ void visit_model_chain(const Geometry& g, const ChainSizes& s, const Chain& chain,
                                                  unsigned colour, const Lattices& lattices, const Flat& flat,
                                                  const Steep& steep, const Draw& draw, const Use& use) {
    const unsigned first_z = chain.first_z(s),
                   end_z = min(first_z + static_cast<unsigned>(s.chains.planes), g.depth),
                   end_y = min(chain.first_y + static_cast<unsigned>(s.chains.rows), g.L),
                   row_before = chain.first_y == 0 ? g.L - 1 : chain.first_y - 1;
    const unsigned right = chain.h + 1 == g.half ? 0 : chain.h + 1,
                   left = chain.h == 0 ? g.half - 1 : chain.h - 1;
    const auto column = [&](const auto& memory, unsigned h, unsigned y) {
        return memory.column_place(g, s, h, y, chain.word);
    };
    ModelMarch<Degree, Slots, Absent, Lattices, Flat, Steep> march{
        .lattices = lattices, .flat = flat, .steep = steep, .h = chain.h};
    const std::uint32_t here = column(lattices, chain.h, chain.first_y),
                        flat_here = column(flat, chain.h, chain.first_y),
                        steep_here = column(steep, chain.h, chain.first_y);
    if (Lattices::has_copies) draw();
#pragma unroll 1
    for (unsigned z = first_z; z < end_z; ++z) {
        const ChainPlane plane{z, chain.layer};
        const std::uint32_t near_plane = lattices.plane_place(g, s, 1 - colour, plane),
                            near_flat = flat.plane_place(g, s, 1 - colour, plane);
        march.y = chain.first_y;
        march.z = z;
        march.own = lattices.plane_place(g, s, colour, plane) + here;
        march.here = near_plane + here;
        march.right = near_plane + column(lattices, right, chain.first_y);
        march.left = near_plane + column(lattices, left, chain.first_y);
        march.flat_own = flat.plane_place(g, s, colour, plane) + flat_here;
        march.flat_here = near_flat + flat_here;
        march.flat_left = near_flat + column(flat, left, chain.first_y);
        if constexpr (Degree == 6) {
            const ChainPlane next = z + 1 == g.depth ? ChainPlane{0, 0}
                                    : z + 1 == end_z ? ChainPlane{z + 1, chain.layer + 1}
                                                     : ChainPlane{z + 1, chain.layer};
            const ChainPlane previous =
                z == 0         ? ChainPlane{g.depth - 1, static_cast<unsigned>(s.chains.layers()) - 1}
                : z == first_z ? ChainPlane{z - 1, chain.layer - 1}
                               : ChainPlane{z - 1, chain.layer};
            march.up = lattices.plane_place(g, s, 1 - colour, next) + here;
            march.down = lattices.plane_place(g, s, 1 - colour, previous) + here;
            march.steep_own = steep.plane_place(g, s, colour, plane) + steep_here;
            march.steep_down = steep.plane_place(g, s, 1 - colour, previous) + steep_here;
        }
        const auto bonds_before = flat.template load<0>(near_flat + column(flat, chain.h, row_before));
        march.bond_before = {bonds_before.of[1]};
        if constexpr (Absent) march.absent_before = {bonds_before.of[3]};
        march.at = lattices.template load<0>(march.here);
        march.before = lattices.template load<0>(near_plane + column(lattices, chain.h, row_before));
        const std::uint32_t first = march.own;
        const bool is_odd = (colour + chain.first_y + z) & 1, is_end = chain.first_y + 1 == g.L;
        const auto words = is_odd ? march.template load<1, 0>(is_end) : march.template load<0, 0>(is_end);
        if (!Lattices::has_copies && z == first_z) draw();
        if (is_odd)
            march.template rows<1, Store>(words, end_y, g.L, use);
        else
            march.template rows<0, Store>(words, end_y, g.L, use);
        if constexpr (Store && Lattices::has_copies)
            if (chain.first_y == 0)
                lattices.template store<0>(lattices.rows_after(first, static_cast<int>(g.L)),
                                           lattices.template load<0>(first));
    }
}

/// Draws the flips of spins without bonds and field, for the slots of a thread. Set bits of free[k] allow a
/// flip.
template <int Slots>
__device__ __forceinline__ void draw_isolated(const SweepArgs& a, std::uint32_t site, std::uint64_t sweep,
                                              const DemonStack& stack, std::uint32_t pack,
                                              DeviceWord (&free)[Slots]) {
    RandomBlock numbers{};
#pragma unroll
    for (int k = 0; k < Slots; ++k) {
        const std::uint32_t slot = stack.first_slot + k, word = slot % 4;
        if (k == 0 || word == 0)
            numbers = philox(
                make_counter(Purpose::isolated_spin, site, sweep, slot / 4, stack.replica, 0, pack), a.seed);
        free[k] = {word == 0   ? numbers.word[0]
                   : word == 1 ? numbers.word[1]
                   : word == 2 ? numbers.word[2]
                               : numbers.word[3]};
    }
}

/// Draws the demons of a chain and updates the sites of the chain, as serve_chain.
template <int Degree, int Slots, bool Absent, bool Field, class Lattices, class Flat, class Steep>
__device__ __forceinline__ void serve_model_chain(const SweepArgs& a, const DemonLaunch& l,
                                                  const DemonModel& model, unsigned number, unsigned colour,
                                                  std::uint64_t sweep, const DemonStack& stack,
                                                  const ModelTables<DemonRule<Degree, Absent, Field>>* table,
                                                  const Lattices& lattices, const Flat& flat,
                                                  const Steep& steep) {
    using Rule = DemonRule<Degree, Absent, Field>;
    const Geometry& g = a.geometry;
    const Chain chain(g, l.sizes, stack.first_word, number);
    const std::uint32_t pack = (a.first_realization + stack.column * 128) / 32 + chain.word,
                        first_site = chain.first_site(g, l.sizes, colour);
    typename Rule::template Energies<DeviceWord> demons[Slots]{};
    visit_model_chain<Degree, Slots, Absent, true>(
        g, l.sizes, chain, colour, lattices, flat, steep,
        [&] {
#pragma unroll
            for (int k = 0; k < Slots; ++k) {
                const auto counter = [&](Purpose purpose) {
                    return make_counter(purpose, first_site, sweep, stack.first_slot + k, stack.replica, 0,
                                        pack);
                };
                DeviceWord below[Rule::highest], of_field[max_field_demon]{};
                draw_below(table[k].bonds, a.seed, counter(Purpose::demon), below);
                if constexpr (Field)
                    draw_below(table[k].field, a.seed, counter(Purpose::field_demon), of_field);
                demons[k] = Rule::energies(below, of_field, DeviceWord{model.downward});
            }
        },
        [&](const ChainSite<Degree, Slots>& at) {
            SlotWords<Slots> updated;
            AbsentBonds<DeviceWord> absences;
            DeviceWord free[Slots];
            if constexpr (Absent) {
                absences = absent_bonds(at.absent);
#pragma unroll
                for (int k = 0; k < Slots; ++k) free[k] = {~0u};
                if constexpr (!Field)
                    if (absences.isolated.bits != 0)
                        draw_isolated<Slots>(a, at.x + g.L * (at.y + g.L * at.z), sweep, stack, pack, free);
            }
#pragma unroll
            for (int k = 0; k < Slots; ++k) {
                DeviceWord near[Degree];
#pragma unroll
                for (int i = 0; i < Degree; ++i) near[i] = {at.near[i].of[k]};
                if constexpr (Absent)
                    updated.of[k] = Rule::updated(DeviceWord{at.spin.of[k]}, near, at.bond, at.absent,
                                                  absences, free[k], demons[k])
                                        .bits;
                else
                    updated.of[k] = Rule::updated(DeviceWord{at.spin.of[k]}, near, at.bond, demons[k]).bits;
            }
            return updated;
        });
}

}  // namespace psflip
