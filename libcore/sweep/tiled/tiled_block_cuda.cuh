#pragma once

#include "sweep/cuda/shared_memory_cuda.cuh"
#include "sweep/cuda/site_update_cuda.cuh"
#include "sweep/tiled/tiled_chunks_cuda.cuh"

namespace psflip {

/// Describes what a block of the tiled kernel holds. Blocks with the same tile of a column are consecutive,
/// because they share couplings.
struct TiledBlock {
    std::uint32_t column, first, count;  ///< lattices first, ..., first + count - 1 of the column, count <= 4
    std::uint32_t h0, y0, half, rows;    ///< tile; at the ends of the lattice smaller than in the plan
    std::uint32_t z0, planes;
    std::uint32_t slots = 0, replicas = 0;  ///< slot and replica of each lattice, a byte each

    template <class Chunks>
    __device__ __forceinline__ TiledBlock(const SweepArgs& a, const TiledPlan& plan, const Chunks& chunks) {
        const Geometry& g = a.geometry;
        const std::uint32_t wide = (g.half + plan.half - 1) / plan.half,
                            high = (g.L + plan.rows - 1) / plan.rows;
        std::uint32_t rest = chunks.block() / plan.groups, group = chunks.block() - rest * plan.groups;
        const std::uint32_t x = rest % wide, y = rest / wide % high,
                            chunk = chunks.chunk(plan, wide * high, rest);
        column = chunks.column(plan, wide * high, rest);
        h0 = x * plan.half, y0 = y * plan.rows;
        half = min(plan.half, g.half - h0), rows = min(plan.rows, g.L - y0);
        z0 = chunks.begin(g, plan, chunk);
        planes = chunks.begin(g, plan, chunk + 1) - z0;
        const std::uint32_t T = a.temperatures, quads = (T + 3) / 4, replica = group / quads;
        first = plan.has_slot_quads ? replica * T + 4 * (group - replica * quads) : 4 * group;
        count = min(tiled_members, (plan.has_slot_quads ? (replica + 1) * T : a.replicas * T) - first);
#pragma unroll
        for (std::uint32_t k = 0; k < tiled_members; ++k) {
            slots |= (first + k) % T << 8 * k;
            replicas |= (first + k) / T << 8 * k;
        }
    }
    __device__ __forceinline__ std::uint32_t slot(int k) const {
        return slots >> 8 * k & 255u;
    }
    __device__ __forceinline__ std::uint32_t replica(int k) const {
        return replicas >> 8 * k & 255u;
    }
    __device__ __forceinline__ std::size_t first_lattice(const SweepArgs& a) const {
        return static_cast<std::size_t>(column) * a.replicas * a.temperatures + first;
    }
    __device__ __forceinline__ std::size_t first_word(const SweepArgs& a) const {
        return first_lattice(a) * a.geometry.sites;
    }
};

/// Describes the words of a plane that a block holds. Row 2 is the first row of the tile. The words of the
/// rows are consecutive, so the threads of a warp find their words in different banks.
struct Frame {
    std::uint32_t half, rows, rows_words, side_words;

    __device__ __forceinline__ explicit Frame(const TiledBlock& p)
        : half(p.half),
          rows(p.rows),
          rows_words(tiled_rows_words(p.half, p.rows)),
          side_words(tiled_side_words(p.rows)) {}
    /// Returns the offset of word f in shared memory. The words of four lattices have the order of
    /// SharedLattices: (f / 8, lattice, f % 8).
    __device__ __forceinline__ static std::uint32_t offset(std::uint32_t f) {
        return (f >> 3) * (8 * 16 * tiled_members) + (f & 7) * 16;
    }
    __device__ __forceinline__ std::uint32_t bytes() const { return offset(rows_words + 2 * side_words); }
    /// Returns the offset of the word at h, -1 to half, of a row.
    __device__ __forceinline__ std::uint32_t at(std::uint32_t row, std::int32_t h) const {
        if (h < 0) return offset(rows_words + row);
        if (h == static_cast<std::int32_t>(half)) return offset(rows_words + side_words + row);
        return offset(row * half + static_cast<std::uint32_t>(h));
    }
};

/// Reads the words of the frame, up to two per thread and plane.
class FrameReader {
  public:
    __device__ __forceinline__ FrameReader(const Geometry& g, const TiledBlock& p, std::uint32_t memory) {
        const Frame frame(p);
        const std::uint32_t high = p.rows + 4;
#pragma unroll
        for (std::uint32_t n = 0; n < most; ++n) {
            const std::uint32_t f = threadIdx.x + n * blockDim.x, s = f - high * p.half;
            const bool side = f >= high * p.half;
            const std::uint32_t row = side ? s % high : f / p.half;
            const std::int32_t h = side ? (s < high ? -1 : static_cast<std::int32_t>(p.half))
                                        : static_cast<std::int32_t>(f - row * p.half);
            there_[n] = f < high * (p.half + 2);
            shared_[n] = memory + frame.at(row, h);
            const std::uint32_t x = p.h0 + g.half + h, y = p.y0 + g.L + row - 2;
            device_[n] = g.half * (y >= 2 * g.L ? y - 2 * g.L
                                   : y >= g.L   ? y - g.L
                                                : y) +
                         (x >= 2 * g.half ? x - 2 * g.half
                          : x >= g.half   ? x - g.half
                                          : x);
        }
    }
    /// Reads the plane that begins at index `plane` of each lattice into shared memory, `at` bytes after the
    /// beginning of the first ring.
    __device__ __forceinline__ void read(const uint4* lattices, std::uint32_t plane, std::uint32_t sites,
                                         std::uint32_t count, std::uint32_t at) const {
#pragma unroll
        for (std::uint32_t n = 0; n < most; ++n) {
            if (!there_[n]) return;
            const std::uint32_t from = plane + device_[n], to = shared_[n] + at;
#pragma unroll
            for (std::uint32_t k = 0; k < tiled_members; ++k)
                if (k < count)
                    copy_past_l1(to + k * SharedLattices::slot_bytes, lattices + (from + k * sites));
        }
    }

  private:
    static constexpr std::uint32_t most = 2;
    std::uint32_t shared_[most], device_[most];
    bool there_[most];
};

/// Names the site of a thread. The first threads have the red sites of the rows of the tile and of the rows
/// below and above. The next threads have the red sites left or right of each row. The last threads have the
/// black sites of the tile.
struct TiledSite {
    std::uint32_t colour, h, y;  ///< in the lattice; if `beside`, h_in replaces h
    std::uint32_t row;           ///< row of the frame
    std::int32_t word;           ///< h in its row
    bool there, beside, own;  ///< there: the thread has a site; beside: left or right of the tile; own: in it

    __device__ __forceinline__ TiledSite(const Geometry& g, const TiledBlock& p) {
        const std::uint32_t in_rows = (p.rows + 2) * p.half,
                            reds = static_cast<std::uint32_t>(tiled_red(p.half, p.rows));
        std::uint32_t i = threadIdx.x;
        there = i < reds + p.half * p.rows;
        colour = i >= reds;
        beside = i >= in_rows && !colour;
        i = colour ? (there ? i - reds : 0) : beside ? i - in_rows : i;
        const std::uint32_t y_in = beside ? i : i / p.half;
        row = y_in + (beside || colour ? 2 : 1);
        word = beside ? 0 : static_cast<std::int32_t>(i - y_in * p.half);
        own = !beside && row >= 2 && row < p.rows + 2;
        y = p.y0 + row - 2 + g.L;
        y = y >= 2 * g.L ? y - 2 * g.L : y >= g.L ? y - g.L : y;
        h = p.h0 + static_cast<std::uint32_t>(word);
    }

    /// Returns h of the site in the lattice. If `beside` and `right`, the site is left of the tile.
    __device__ __forceinline__ std::uint32_t h_in(const Geometry& g, const TiledBlock& p, bool right) const {
        if (!beside) return h;
        if (right) return (p.h0 == 0 ? g.half : p.h0) - 1;
        return p.h0 + p.half == g.half ? 0 : p.h0 + p.half;
    }
    /// Returns offsets of words in a plane: of the site, of its second neighbour in the row, and of its
    /// neighbours in the rows above and below. The second neighbour is at h + 1 if `right`, otherwise at h -
    /// 1. The first neighbour is at h.
    __device__ __forceinline__ uint4 places(const Frame& frame, bool right) const {
        const auto half = static_cast<std::int32_t>(frame.half);
        const std::int32_t h_in = !beside ? word : right ? -1 : half;
        return {frame.at(row, h_in), frame.at(row, right ? h_in + 1 : h_in - 1), frame.at(row + 1, h_in),
                frame.at(row - 1, h_in)};
    }
};

/// Locates the rings of planes in shared memory. 32 bytes per thread follow the rings: TiledSite::places of
/// its site for both values of `right`.
struct TiledRings {
    std::uint32_t plane_bytes, ring_bytes, own, other, table;  ///< own, other: rings of the colours

    __device__ __forceinline__ TiledRings(const Frame& frame, const TiledSite& site, std::uint32_t memory)
        : plane_bytes(frame.bytes()),
          ring_bytes(tiled_ring * plane_bytes),
          own(memory + (site.colour ? ring_bytes : 0u)),
          other(memory + (site.colour ? 0u : ring_bytes)),
          table(memory + 2 * ring_bytes + 32 * threadIdx.x) {
        const SharedLattices shared{};
        shared.store(table, 0, site.places(frame, false));
        shared.store(table + 16, 0, site.places(frame, true));
    }

    /// Returns the addresses of the site and its neighbours if its plane has number `slot` in the rings.
    __device__ __forceinline__ SiteAddresses<SharedLattices> addresses(std::uint32_t slot, bool right) const {
        const uint4 places = SharedLattices{}.load(table + (right ? 16 : 0), 0);
        const std::uint32_t at = slot * plane_bytes,
                            up = at + plane_bytes == ring_bytes ? 0u : at + plane_bytes,
                            down = (at == 0 ? ring_bytes : at) - plane_bytes;
        const std::uint32_t here = other + at + places.x, side = other + at + places.y;
        SiteAddresses<SharedLattices> to;
        to.own = own + at + places.x;
        to.near[0] = right ? side : here;
        to.near[1] = other + at + places.z;
        to.near[2] = other + up + places.x;
        to.near[3] = right ? here : side;
        to.near[4] = other + at + places.w;
        to.near[5] = other + down + places.x;
        return to;
    }
};

/// Holds what an update needs in addition to the spins. It is loaded before the barrier that ends the
/// previous step.
template <int Share>
struct TiledUpdate {
    Neighbours n;
    uint4 bond[6];
    bool seam = false, last = false;  ///< whether the site is in the first or last plane, or in the last
    QuadRandom<Share> random;

    template <bool SlotQuads, class Chunks>
    __device__ __forceinline__ void prepare(const SweepArgs& a, const TiledBlock& held,
                                            const uint4* couplings, std::uint32_t colour, const Place& place,
                                            std::uint64_t sweep, const Chunks& chunks) {
        const Geometry& g = a.geometry;
        n = neighbours_of(g, colour, place);
        load_bonds(couplings, g, place.z, chunks);
        SiteDraw draw{chunks.number(g, place), held.replica(0), a.first_realization + held.column * 128,
                      sweep, a.seed};
        if constexpr (SlotQuads) {
            random.draw(draw, held.slot(0) / 4);
        } else {
            const std::uint32_t replicas = chunks.fresh(held.replicas);
            QuadRandom<Share> one;  // of one replica, which has at most three slots
#pragma unroll
            for (int k = 0; k < int(tiled_members); ++k) {
                draw.replica = replicas >> 8 * k & 255u;
                const std::uint32_t w = held.slot(k);
                if (k == 0 || w == 0) one.draw(draw, 0);
#pragma unroll
                for (int p = 0; p < QuadRandom<Share>::share_groups; ++p) {
                    const std::uint32_t low = w & 1 ? one.word[p][1] : one.word[p][0],
                                        high = w & 1 ? one.word[p][3] : one.word[p][2];
                    random.word[p][k] = w & 2 ? high : low;
                }
            }
        }
    }

    /// Loads the bonds of a site in plane z in memory. Bonds along z are +1, except for the seam, which is
    /// bond 5 of both planes that it binds.
    template <class Chunks>
    __device__ __forceinline__ void load_bonds(const uint4* couplings, const Geometry& g, std::uint32_t z,
                                               const Chunks& chunks) {
#pragma unroll
        for (unsigned d = 0; d < 2; ++d) {
            bond[d] = __ldg(couplings + (d * g.sites + n.own));
            bond[3 + d] = __ldg(couplings + (d * g.sites + n.site[3 + d]));
        }
        last = chunks.is_last(g, z);
        seam = last || chunks.is_first(g, z);
        bond[2] = bond[5] = {};
        if (seam) bond[5] = __ldg(couplings + (2 * g.sites + (last ? n.own : n.site[5])));
    }
};

}  // namespace psflip
