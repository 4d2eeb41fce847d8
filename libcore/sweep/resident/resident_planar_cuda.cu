// Carries out bursts of sweeps by the plain rule in two dimensions, with one random number for 32, 64 or 128
// realizations. Lattices lie in shared memory as in resident_class_kernel_cuda.cuh, and in the gauge of
// LatticeGauge: bonds along y are +1, except for the bonds between the last row and the first.
//
// A thread marches through a strip of rows. It has one place of each row, in the four temperatures of a slot
// quad. Sites of the two colours with equal places in adjacent rows are neighbours, and so are the two sites
// of one place. So a word of the other colour serves three updates: as the neighbour in the next row, in the
// same row and in the row before. An update of 128 lanes takes:
//
//   shared memory   3 reads and 1 write of 16 bytes, and 2 reads / rows of a strip
//   couplings       2 / 4 reads of 16 bytes
//   rule            4 x 8 logic operations, acceptance 2 per share group, Philox 1/4 call per share group

#include "sweep/cuda/exchange_step_cuda.cuh"
#include "sweep/resident/resident_layers_cuda.cuh"

namespace psflip {

namespace {

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

/// Updates one colour of the sites of a thread.
template <int Share, bool Clustered>
struct StripUpdate {
    using Block = BlockLattices<Clustered, 4>;
    static constexpr int up = 1, down = 3;  ///< directions

    const SweepArgs& a;
    const Layers& slab;
    const ResidentBlock& held;
    typename Block::Type& lattices;
    const uint4* bonds;  ///< (direction, site) of the column, in the gauge
    const Strip& strip;
    std::uint32_t colour;
    std::uint64_t sweep;

    __device__ __forceinline__ void run() const {
        if (strip.quad * 4 >= held.first_slot && strip.quad * 4 + 4 <= held.end_slot)
            march([](int) { return true; });
        else
            march([&](int k) {
                return strip.quad * 4 + k >= held.first_slot && strip.quad * 4 + k < held.end_slot;
            });
    }

  private:
    /// Returns the number of the first site of a colour, in the slab or in the lattice from the slab on.
    __device__ __forceinline__ std::uint32_t in_slab(std::uint32_t c) const {
        return c ? slab.colour_sites : 0u;
    }
    __device__ __forceinline__ std::uint32_t in_lattice(std::uint32_t c) const {
        return (c ? a.geometry.colour_sites : 0u) + held.first_plane * a.geometry.half;
    }
    __device__ __forceinline__ std::uint32_t address(std::uint32_t site) const {
        return lattices.address(site, slot());
    }
    /// Returns the first slot of the quad, relative to the first slot of the block.
    __device__ __forceinline__ std::int32_t slot() const {
        return static_cast<std::int32_t>(strip.quad * 4 - held.first_slot);
    }

    /// has(k): whether the block holds the k-th slot of the quad.
    template <class Has>
    __device__ __forceinline__ void march(Has has) const {
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
        for (std::uint32_t row = strip.begin; row < strip.end; ++row) update_row(row, below, here, has);
    }

    template <class Has>
    __device__ __forceinline__ void update_row(std::uint32_t row, uint4 (&below)[4], uint4 (&here)[4],
                                               Has has) const {
        const Geometry& g = a.geometry;
        const std::uint32_t y = held.first_plane + row, parity = (colour + y) & 1u;
        const std::uint32_t right = strip.i + 1 == g.half ? 0u : strip.i + 1,
                            left = strip.i == 0 ? g.half - 1 : strip.i - 1;
        const std::uint32_t at = row * g.half + strip.i, beside = row * g.half + (parity ? right : left);
        const std::uint32_t own = in_lattice(colour), other = in_lattice(1 - colour);
        const uint4 bond[2] = {__ldg(bonds + (parity ? own + at : other + beside)),
                               __ldg(bonds + (parity ? other : own) + at)};
        const bool last = row + 1 == slab.depth;
        QuadRandom<Share> random;
        random.draw({2 * strip.i + parity + g.L * y, held.replica, a.first_realization + held.column * 128,
                     sweep, a.seed},
                    strip.quad);
        Block::at_layer(lattices, false, last);
        const std::uint32_t next = lattices.near_address(
                                up, in_slab(1 - colour) + (last ? 0u : at - strip.i + g.half) + strip.i,
                                slot()),
                            mine = address(in_slab(colour) + at),
                            side = address(in_slab(1 - colour) + beside);
        uint4 above[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (has(k)) above[k] = lattices.load_near(up, next, k);
        if (y + 1 == g.L) {
            const uint4 seam = __ldg(bonds + g.sites + own + at);
#pragma unroll
            for (int k = 0; k < 4; ++k) above[k] = turned(above[k], seam);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (!has(k)) continue;
            const uint4 spins = lattices.load(mine, k), near = lattices.load(side, k);
            uint4 result;
            PlanarAcceptance<DeviceWord> accept;
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                if (w * 32 % Share == 0)
                    accept = accepted(strip.quad * 4 + k, random.word[w * 32 / Share][k]);
                word_ref(result, w) =
                    updated_spin_gauged(word_of(spins, w), word_of(above[k], w), word_of(below[k], w),
                                        {word_of(near, w), word_of(here[k], w)},
                                        {word_of(bond[0], w), word_of(bond[1], w)}, accept)
                        .bits;
            }
            lattices.store(mine, k, result);
            below[k] = here[k];
            here[k] = above[k];
        }
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

/// Adds the counts of a block to the energies. A warp takes the bonds of some red sites in two slots.
template <bool Clustered>
struct StripEnergy {
    using Block = BlockLattices<Clustered, 4>;
    static constexpr std::uint32_t together = 2, max_sites = 7;  ///< slots; red sites of a thread
    static constexpr int up = 1, down = 3;                       ///< directions

    const SweepArgs& a;
    const Layers& slab;
    const ResidentBlock& held;
    typename Block::Type& lattices;
    const uint4* bonds;  ///< (direction, site) of the column, in the gauge

    /// Adds the counts to energy (stack, slot, lane). All threads of the block must call it.
    __device__ __forceinline__ void add(std::int32_t* energy) const {
        const std::uint32_t pieces = (slab.colour_sites + 32 * max_sites - 1) / (32 * max_sites),
                            piece = (slab.colour_sites + pieces - 1) / pieces,
                            groups = (held.slots() + together - 1) / together;
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < groups * pieces; task += blockDim.x / 32) {
            const std::uint32_t begin = task / groups * piece, slot = together * (task % groups);
            BitCounter<DeviceWord, planes_for(4 * max_sites)> counter[together][4];
#pragma unroll
            for (auto& of_slot : counter)
#pragma unroll
                for (auto& of_word : of_slot) of_word.clear();
#pragma unroll 1
            for (std::uint32_t i = begin + threadIdx.x % 32; i < min(begin + piece, slab.colour_sites);
                 i += 32)
                add_site(i, slot, counter);
#pragma unroll
            for (std::uint32_t k = 0; k < together; ++k) {
                const int4 n = warp_lane_counts(counter[k]);
                if (slot + k < held.slots())
                    add_counts(energy + (held.first_lattice(a) + slot + k) * 128 + threadIdx.x % 32 * 4, n,
                               2);
            }
        }
    }

  private:
    template <class Counters>
    __device__ __forceinline__ void add_site(std::uint32_t i, std::uint32_t slot, Counters& counter) const {
        const Geometry& g = a.geometry;
        const std::uint32_t row = quotient(i, g.half_reciprocal), h = i - row * g.half,
                            y = held.first_plane + row, parity = y & 1u, right = h + 1 == g.half ? 0u : h + 1,
                            left = h == 0 ? g.half - 1 : h - 1, beside = i - h + (parity ? right : left),
                            black = slab.colour_sites, in_lattice = held.first_plane * g.half;
        const bool first = row == 0, last = row + 1 == slab.depth;
        const uint4* const red_bonds = bonds + in_lattice;
        const uint4* const black_bonds = red_bonds + g.colour_sites;
        const uint4 bond[2] = {__ldg(parity ? red_bonds + i : black_bonds + beside),
                               __ldg((parity ? black_bonds : red_bonds) + i)};
        uint4 over{}, under{};
        if (y == 0) under = __ldg(bonds + g.sites + g.colour_sites + g.last_row + h);
        if (y + 1 == g.L) over = __ldg(red_bonds + g.sites + i);
        Block::at_layer(lattices, first, last);
        const auto at = static_cast<std::int32_t>(slot);
        const std::uint32_t own = lattices.address(i, at), side = lattices.address(black + beside, at),
                            same = lattices.address(black + i, at),
                            above = lattices.near_address(up, black + (last ? h : i + g.half), at),
                            below = lattices.near_address(
                                down, black + (first ? slab.colour_sites - g.half + h : i - g.half), at);
#pragma unroll
        for (std::uint32_t k = 0; k < together; ++k) {
            const std::uint32_t n = slot + k < held.slots() ? k : 0u;
            const uint4 spins = lattices.load(own, n),
                        near[4] = {lattices.load(side, n), lattices.load(same, n),
                                   lattices.load_near(up, above, n), lattices.load_near(down, below, n)};
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                const DeviceWord s = word_of(spins, w);
                counter[k][w].add({xor3(s, word_of(near[0], w), word_of(bond[0], w)),
                                   xor3(s, word_of(near[1], w), word_of(bond[1], w)),
                                   xor3(s, word_of(near[2], w), word_of(over, w)),
                                   xor3(s, word_of(near[3], w), word_of(under, w))});
            }
        }
    }
};

/// Holds the strips of a block, and sweeps them.
template <int Share, bool Clustered>
struct StripBlock {
    using Block = BlockLattices<Clustered, 4>;

    const SweepArgs& a;
    const Layers& slab;
    ResidentBlock held;
    SharedLattices lattices;
    typename Block::Type block;
    Strip strip;
    const uint4* bonds;

    __device__ __forceinline__ StripBlock(const SweepArgs& args, const ResidentPlan& plan,
                                          const Layers& of_block, uint4* memory)
        : a(args),
          slab(of_block),
          held(args, plan, of_block),
          lattices(SharedLattices::at(memory, held.slots())),
          block(Block::make(lattices, plan, held)),
          strip(args.geometry, of_block, plan, held),
          bonds(kept(args.couplings + static_cast<std::size_t>(held.column) * 2 * args.geometry.sites)) {}

    /// Sweeps `count` times. Block::arrive() must come before, and Block::wait() after it.
    __device__ __forceinline__ void sweep(std::int64_t first, int count) {
#pragma unroll 1
        for (int half = 0; half < 2 * count; ++half) {
            const bool waits = Clustered && __any_sync(~0u, strip.boundary);
            if (waits) Block::wait();
            if (strip.active)
                StripUpdate<Share, Clustered>{
                    a,     slab,  held,      block,
                    bonds, strip, half % 2u, static_cast<std::uint64_t>(first + half / 2)}
                    .run();
            if (!waits) Block::wait();
            Block::arrive();
        }
    }
    __device__ __forceinline__ void add_energies(std::int32_t* energy) {
        StripEnergy<Clustered>{a, slab, held, block, bonds}.add(energy);
    }
};

/// Grid: x = (stack * groups + slot group) * blocks of a cluster + slab.
template <int Share, bool Clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_strips(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                    const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                    const __grid_constant__ SweepBurst burst) {
    using Block = BlockLattices<Clustered, 4>;
    extern __shared__ uint4 memory[];
    StripBlock<Share, Clustered> strips(a, plan, slab, memory);
    load_block(a, slab, strips.held, burst.pending, strips.lattices);
    if (burst.energy) start_counts(a, table, strips.held, burst);
    Block::arrive();
    strips.sweep(burst.first, burst.count);
    Block::wait();
    store_block(a, slab, strips.held, strips.lattices);
    if (!burst.energy) return;
    strips.add_energies(burst.energy);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

constexpr int pairs_of_slots = max_temperatures / 2,
              fixed_bytes = pairs_of_slots * sizeof(uint4);  ///< static shared memory of strip_periods

/// Exchanges the spins of the pairs of slots from `parity` on, in a block that holds all slots. All threads
/// of the block must call it.
__device__ __forceinline__ void exchange_in_block(const ExchangeArgs& e, const Layers& slab,
                                                  const ResidentBlock& held, const SharedLattices& lattices,
                                                  std::int32_t parity) {
    __shared__ uint4 masks[pairs_of_slots];
    const std::uint32_t pairs = (e.temperatures - parity) / 2, pieces = (slab.sites + 31) / 32;
    const std::size_t first = static_cast<std::size_t>(held.stack) * exchange_steps(e.temperatures) + parity;
    if (threadIdx.x < pairs)
        masks[threadIdx.x] = __ldcg(reinterpret_cast<const uint4*>(e.mask) + first + threadIdx.x);
    __syncthreads();
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x / 32; task < pairs * pieces; task += blockDim.x / 32) {
        const std::uint32_t pair = task / pieces, i = (task - pair * pieces) * 32 + threadIdx.x % 32;
        if (i >= slab.sites) continue;
        const std::uint32_t at = lattices.address(i, static_cast<std::int32_t>(2 * pair) + parity);
        uint4 cold = lattices.load(at, 0), hot = lattices.load(at, 1);
        exchange_words(cold, hot, masks[pair]);
        lattices.store(at, 0, cold);
        lattices.store(at, 1, hot);
    }
}

/// Does `periods` periods: burst.count sweeps and an exchange. A block, or a cluster, has all slots of a
/// stack. Grid: x = stack * blocks of a cluster + slab.
template <int Share, bool Clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    strip_periods(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                  const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                  const __grid_constant__ SweepBurst burst, const __grid_constant__ ExchangeArgs exchange,
                  const int periods) {
    using Block = BlockLattices<Clustered, 4>;
    extern __shared__ uint4 memory[];
    StripBlock<Share, Clustered> strips(a, plan, slab, memory);
    const ResidentBlock& held = strips.held;
    load_block(a, slab, held, {}, strips.lattices);
    const std::uint32_t warps = blockDim.x / 32, ranks = static_cast<std::uint32_t>(plan.cluster),
                        steps = 4 * exchange_steps(exchange.temperatures);
#pragma unroll 1
    for (int period = 0; period < periods; ++period) {
        start_counts(a, table, held, burst);
        Block::arrive();
        const std::int64_t first = burst.first + static_cast<std::int64_t>(period) * burst.count;
        strips.sweep(first, burst.count);
        Block::wait();
        strips.add_energies(burst.energy);
        Block::barrier();
        const std::int64_t completed = first + burst.count;
        const auto parity = static_cast<std::int32_t>(completed / burst.count % 2);
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32 * ranks + held.rank; task < steps; task += warps * ranks)
            decide_step<false>(exchange, held.stack, task / 4, task % 4 * 32 + threadIdx.x % 32,
                               static_cast<std::uint64_t>(completed), parity);
        Block::barrier();
        exchange_in_block(exchange, slab, held, strips.lattices, parity);
    }
    __syncthreads();
    store_block(a, slab, held, strips.lattices);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

}  // namespace

ResidentForms resident_planar_forms(int share) {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    return with_share(share, [of](auto n) -> ResidentForms {
        return {of(resident_strips<n.value, false>), of(resident_strips<n.value, true>), fixed_bytes};
    });
}

ResidentForms resident_period_forms(int share) {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    return with_share(share, [of](auto n) -> ResidentForms {
        return {of(strip_periods<n.value, false>), of(strip_periods<n.value, true>), fixed_bytes};
    });
}

}  // namespace psflip
