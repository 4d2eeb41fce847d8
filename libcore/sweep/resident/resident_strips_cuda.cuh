#pragma once

// Updates squares by the plain rule, with one random number for 32, 64 or 128 realizations. Lattices lie in
// shared memory as in resident_class_kernel_cuda.cuh, and in the gauge of LatticeGauge: bonds along y are +1,
// except for the bonds between the last row and the first.
//
// A thread marches through a strip of rows. It has one place of each row, in the four temperatures of a slot
// quad. Sites of the two colours with equal places in adjacent rows are neighbours, and so are the two sites
// of one place. So a word of the other colour serves three updates: as the neighbour in the next row, in the
// same row and in the row before. An update of 128 lanes takes:
//
//   shared memory   3 reads and 1 write of 16 bytes, and 2 reads / rows of a strip
//   couplings       2 / 4 reads of 16 bytes
//   rule            4 x 8 logic operations, acceptance 2 per share group, Philox 1/4 call per share group

#include "sweep/resident/resident_layers_cuda.cuh"

namespace psflip {

/// Names the sites of a thread: place `i` of the rows [begin, end) of the slab, in a slot quad.
struct Strip {
    std::uint32_t i, begin, end, quad;
    bool active;    ///< the thread has sites
    bool boundary;  ///< a row of the strip is the first or last row of the slab

    __device__ __forceinline__ Strip(const Geometry& g, const Layers& slab, const ResidentPlan& plan,
                                     const ResidentBlock& held) {
        const auto rows = static_cast<std::uint32_t>(plan.strip_rows);
        const std::uint32_t strips = (slab.depth + rows - 1) / rows,
                            line = quotient(threadIdx.x, g.half_reciprocal), number = line / strips;
        i = threadIdx.x - line * g.half;
        begin = (line - number * strips) * rows;
        end = min(begin + rows, slab.depth);
        quad = held.first_slot / 4 + number;
        active = quad * 4 < held.end_slot;
        boundary = active && (begin == 0 || end == slab.depth);
    }
};

/// Holds what the update of a site needs in addition to spins: two bonds along x and random numbers.
template <int Share>
struct SiteInputs {
    uint4 bond[2];
    QuadRandom<Share> random;
};

/// Updates the sites of a thread, one colour after the other. The inputs of the next site are made while this
/// site is updated, also beyond the barrier after a colour. Ahead: words of the next slot are loaded while a
/// slot is updated.
template <int Share, bool Clustered, bool Ahead>
struct StripUpdate {
    using Block = BlockLattices<Clustered, 4>;
    static constexpr int up = 1, down = 3;  ///< directions

    const SweepArgs& a;
    const Layers& slab;
    const ResidentBlock& held;
    typename Block::Type& lattices;
    const uint4* bonds;  ///< (direction, site) of the column, in the gauge
    const Strip& strip;

    /// Returns the inputs of row `row` of the strip.
    __device__ __forceinline__ SiteInputs<Share> inputs(std::uint32_t row, std::uint32_t colour,
                                                        std::uint64_t sweep) const {
        const Geometry& g = a.geometry;
        const std::uint32_t y = held.first_plane + row, parity = (colour + y) & 1u, at = y * g.half + strip.i,
                            own = colour ? g.colour_sites : 0u, other = g.colour_sites - own;
        SiteInputs<Share> next;
        next.bond[0] = __ldg(bonds + (parity ? own + at : other + y * g.half + beside(parity)));
        next.bond[1] = __ldg(bonds + (parity ? other : own) + at);
        next.random.draw({2 * strip.i + parity + g.L * y, held.replica,
                          a.first_realization + held.column * 128, sweep, a.seed},
                         strip.quad);
        return next;
    }

    /// Updates a colour. next: inputs of the first row, and then of the first row of the next colour.
    __device__ __forceinline__ void run(std::uint32_t colour, std::uint64_t sweep,
                                        SiteInputs<Share>& next) const {
        const bool at_top = held.first_plane + strip.end == a.geometry.L;
        if (strip.quad * 4 < held.first_slot || strip.quad * 4 + 4 > held.end_slot)
            march<true>(colour, sweep, next, [&](int k) {
                return strip.quad * 4 + k >= held.first_slot && strip.quad * 4 + k < held.end_slot;
            });
        else if (__any_sync(__activemask(), at_top))
            march<true>(colour, sweep, next, [](int) { return true; });
        else
            march<false>(colour, sweep, next, [](int) { return true; });
    }

  private:
    /// Returns the place of the second neighbour in the row.
    __device__ __forceinline__ std::uint32_t beside(std::uint32_t parity) const {
        const std::uint32_t half = a.geometry.half;
        if (parity) return strip.i + 1 == half ? 0u : strip.i + 1;
        return strip.i == 0 ? half - 1 : strip.i - 1;
    }
    /// Returns the number of the first site of a colour in the slab.
    __device__ __forceinline__ std::uint32_t in_slab(std::uint32_t c) const {
        return c ? slab.colour_sites : 0u;
    }
    __device__ __forceinline__ std::uint32_t address(std::uint32_t site) const {
        return lattices.address(site, slot());
    }
    /// Returns the first slot of the quad, relative to the first slot of the block.
    __device__ __forceinline__ std::int32_t slot() const {
        return static_cast<std::int32_t>(strip.quad * 4 - held.first_slot);
    }

    /// has(k): whether the block holds the k-th slot of the quad. Top: whether the warp may have the last row
    /// of the lattice, whose sites have seams.
    template <bool Top, class Has>
    __device__ __forceinline__ void march(std::uint32_t colour, std::uint64_t sweep, SiteInputs<Share>& next,
                                          Has has) const {
        const Geometry& g = a.geometry;
        uint4 below[4], here[4];
        {
            const bool first = strip.begin == 0;
            Block::at_layer(lattices, first, false);
            const std::uint32_t row = first ? slab.depth - 1 : strip.begin - 1,
                                under = lattices.near_address(
                                    down, in_slab(1 - colour) + row * g.half + strip.i, slot()),
                                at = address(in_slab(1 - colour) + strip.begin * g.half + strip.i);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (has(k)) below[k] = lattices.load_near(down, under, k), here[k] = lattices.load(at, k);
            if (held.first_plane + strip.begin == 0) {
                const uint4 seam =
                    __ldg(bonds + g.sites + (colour ? 0u : g.colour_sites) + g.last_row + strip.i);
#pragma unroll
                for (int k = 0; k < 4; ++k) below[k] = turned(below[k], seam);
            }
        }
#pragma unroll 1
        for (std::uint32_t row = strip.begin; row < strip.end; ++row) {
            const SiteInputs<Share> now = next;
            const bool more = row + 1 < strip.end;
            next = inputs(more ? row + 1 : strip.begin, more ? colour : 1 - colour,
                          more ? sweep : sweep + colour);
            update_row<Top>(row, colour, now, below, here, has);
        }
    }

    template <bool Top, class Has>
    __device__ __forceinline__ void update_row(std::uint32_t row, std::uint32_t colour,
                                               const SiteInputs<Share>& now, uint4 (&below)[4],
                                               uint4 (&here)[4], Has has) const {
        const Geometry& g = a.geometry;
        const std::uint32_t y = held.first_plane + row, parity = (colour + y) & 1u,
                            at = row * g.half + strip.i;
        const bool last = row + 1 == slab.depth;
        uint4 seam{};
        if (Top && y + 1 == g.L) seam = __ldg(bonds + g.sites + in_lattice(colour) + at);
        Block::at_layer(lattices, false, last);
        const std::uint32_t over = lattices.near_address(
                                up, in_slab(1 - colour) + (last ? 0u : at - strip.i + g.half) + strip.i,
                                slot()),
                            mine = address(in_slab(colour) + at),
                            side = address(in_slab(1 - colour) + row * g.half + beside(parity));
        struct Words {
            uint4 spins, near, above;
        };
        const auto loaded = [&](int k) {
            return Words{lattices.load(mine, k), lattices.load(side, k), lattices.load_near(up, over, k)};
        };
        Words ahead;
        if constexpr (Ahead)
            if (has(0)) ahead = loaded(0);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            Words words = ahead;
            if constexpr (Ahead)
                if (k + 1 < 4 && has(k + 1)) ahead = loaded(k + 1);
            if (!has(k)) continue;
            if constexpr (!Ahead) words = loaded(k);
            if (Top) words.above = turned(words.above, seam);
            uint4 result;
            PlanarAcceptance<DeviceWord> accept;
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                if (w * 32 % Share == 0)
                    accept = accepted(strip.quad * 4 + k, now.random.word[w * 32 / Share][k]);
                word_ref(result, w) =
                    updated_spin_gauged(word_of(words.spins, w), word_of(words.above, w),
                                        word_of(below[k], w), {word_of(words.near, w), word_of(here[k], w)},
                                        {word_of(now.bond[0], w), word_of(now.bond[1], w)}, accept)
                        .bits;
            }
            lattices.store(mine, k, result);
            below[k] = here[k];
            here[k] = words.above;
        }
    }
    __device__ __forceinline__ std::uint32_t in_lattice(std::uint32_t c) const {
        return (c ? a.geometry.colour_sites : 0u) + held.first_plane * a.geometry.half;
    }

    /// Returns masks that are all ones (0 - 1) if r is below the threshold, otherwise 0.
    __device__ __forceinline__ PlanarAcceptance<DeviceWord> accepted(std::uint32_t slot,
                                                                     std::uint32_t r) const {
        const Thresholds& c = a.thresholds[slot];
        PlanarAcceptance<DeviceWord> accept{{0}, {0}};
        subtract_below(accept.c4.bits, r, c.c4);
        subtract_below(accept.c8.bits, r, c.c8);
        return accept;
    }
};

}  // namespace psflip
