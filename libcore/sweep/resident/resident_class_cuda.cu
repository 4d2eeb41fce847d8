// Bursts of sweeps by all rules but the plain one in three dimensions, with the lattices of several
// temperatures in the shared memory of a block, or their slabs in that of the blocks of a cluster: spins
// leave and enter device memory once per burst.
//
//   device memory --pending exchange--> shared memory: lattices of neighbouring slots of one stack
//   per sweep and colour: bonds of a site -> registers -> the site in some fours of slots
//   after the last sweep: --> device memory; energies and magnetisations by bit-sliced counters
//
// Threads of a block are (part of the fours, site of a colour): small lattices have several parts. A slab has
// some layers: z planes, in two dimensions rows. Neighbours in the next layer of another slab are read from
// the other block's shared memory.

#include <type_traits>

#include "sweep/cuda/class_numbers_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/resident/resident_block_cuda.cuh"

namespace psflip {

namespace {

/// A site of a slab: in the lattice, as its couplings are numbered, and in the slab.
template <int Degree>
struct LayerSite {
    std::uint32_t standard;  ///< number in standard order
    NearSites<Degree> in_lattice, in_slab;
    bool first, last;  ///< in the slab's first or last layer
};

/// The sites of one colour of a slab. Neighbours in the next layers have the same place in theirs, so that
/// those beyond an end of the slab are at the other end of the next one.
template <int Degree, bool Clustered>
struct LayerColour {
    const Geometry& g;
    const Layers& slab;
    std::uint32_t colour, first;  ///< first: number of the slab's first site in the lattice
    std::uint32_t own, other;     ///< added to positions in the slab to get those in the lattice

    __device__ __forceinline__ LayerColour(const SweepArgs& a, const Layers& of_slab,
                                           const ResidentBlock& held, std::uint32_t c)
        : g(a.geometry),
          slab(of_slab),
          colour(c),
          first(held.first_plane * of_slab.layer),
          own(slab_offset(a.geometry, of_slab, c, held.first_plane)),
          other(slab_offset(a.geometry, of_slab, 1 - c, held.first_plane)) {}

    /// The i-th.
    __device__ __forceinline__ LayerSite<Degree> site(std::uint32_t i) const {
        const Place place = place_of(g, colour, Clustered ? first + i : i);
        const NearSites<Degree> at(neighbours_of(g, colour, place));
        LayerSite<Degree> s{standard_site(g, place), at, at, false, false};
        if constexpr (Clustered) {
            constexpr int up = Degree / 2 - 1, down = Degree - 1;
            s.first = i < slab.layer;
            s.last = i + slab.layer >= slab.colour_sites;
            s.in_slab.own -= own;
#pragma unroll
            for (int k = 0; k < Degree; ++k)
                if (k != up && k != down) s.in_slab.near[k] -= other;
            const std::uint32_t same = (colour ? 0u : slab.colour_sites) + i;
            s.in_slab.near[up] = s.last ? same + slab.layer - slab.colour_sites : same + slab.layer;
            s.in_slab.near[down] = s.first ? same + slab.colour_sites - slab.layer : same - slab.layer;
        }
        return s;
    }
};

/// Energies and magnetisations of slots without their counts, by the first block of a cluster.
__device__ __forceinline__ void start_counts(const SweepArgs& a, const ClassArgs& table,
                                             const ResidentBlock& held, const SweepBurst& burst) {
    if (held.rank != 0) return;
    const std::size_t first = held.first_lattice(a) * 128;
    for (std::uint32_t i = threadIdx.x; i < held.slots() * 128; i += blockDim.x) {
        burst.energy[first + i] = -table.bonds[held.column * 128 + i % 128];
        if (burst.magnetisation)
            burst.magnetisation[first + i] = -static_cast<std::int32_t>(a.geometry.sites);
    }
}

/// Adds the counts of a slab, by all threads of the block.
template <class Rule, bool Clustered>
__device__ __forceinline__ void count_slots(const SweepArgs& a, const ClassArgs& table, const Layers& slab,
                                            const ResidentBlock& held, const SweepBurst& burst,
                                            typename BlockLattices<Clustered, Rule::degree>::Type& block) {
    constexpr int degree = Rule::degree;
    constexpr std::uint32_t piece = 32 * model_count_sites;
    const std::uint32_t pieces = (slab.colour_sites + piece - 1) / piece;
    const std::size_t column = static_cast<std::size_t>(held.column) * (degree / 2) * a.geometry.sites;
    const LayerColour<degree, Clustered> reds(a, slab, held, 0);
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x / 32; task < held.slots() * pieces; task += blockDim.x / 32) {
        const std::uint32_t k = task / pieces, begin = (task - k * pieces) * piece;
        ModelCounter<degree, Rule::absent_bonds> counter;
        counter.clear();
#pragma unroll 1
        for (std::uint32_t i = begin + threadIdx.x % 32; i < min(begin + piece, slab.colour_sites); i += 32) {
            const LayerSite<degree> s = reds.site(i);
            BlockLattices<Clustered, degree>::at_layer(block, s.first, s.last);
            counter.add(a.geometry, SharedSite(block, s.in_slab, 0).load(k),
                        block.load(block.address(slab.colour_sites + i, 0), k), s.in_lattice,
                        a.couplings + column, table.absent + column);
        }
        counter.finish((held.first_lattice(a) + k) * 128, burst.energy, burst.magnetisation);
    }
}

/// The sites of one colour in a sweep. A row is as many threads as one part of the fours takes.
template <class Update, bool Clustered>
__device__ __forceinline__ void update_colour(
    const SweepArgs& a, const typename Update::Rule::Args& rule, const typename Update::Rule::Shared& shared,
    const Layers& slab, const ResidentBlock& held,
    typename BlockLattices<Clustered, Update::Rule::degree>::Type& block, std::uint32_t colour,
    std::uint64_t sweep) {
    using Rule = typename Update::Rule;
    const std::uint32_t row = (slab.colour_sites + 31) / 32 * 32;
    const std::uint32_t parts = max(1u, blockDim.x / row);
    const LayerColour<Rule::degree, Clustered> sites(a, slab, held, colour);
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x; task < row * parts; task += blockDim.x) {
        const std::uint32_t part = task / row, i = task - part * row;
        if (i >= slab.colour_sites) continue;
        const LayerSite<Rule::degree> s = sites.site(i);
        BlockLattices<Clustered, Rule::degree>::at_layer(block, s.first, s.last);
        const SiteDraw d{s.standard, held.replica, a.first_realization + held.column * 128, sweep, a.seed};
        Update::update(a, rule, shared, SharedSite(block, s.in_slab, held.first_slot),
                       SlotRange{held.first_slot, held.end_slot, part, parts},
                       Rule::site(a, rule, held.column, s.in_lattice), d);
    }
}

template <class Update>
inline constexpr int most_threads =
    std::is_same_v<typename Update::Rule, PlanarRule> ? planar_threads : resident_threads;

/// Grid: x = (stack * groups + group of slots) * blocks of a cluster + slab.
template <class Update, bool Clustered>
__global__ void __launch_bounds__(most_threads<Update>)
    resident_class(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                   const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                   const __grid_constant__ SweepBurst burst) {
    using Rule = typename Update::Rule;
    using Block = BlockLattices<Clustered, Rule::degree>;
    extern __shared__ uint4 memory[];
    __shared__ typename Rule::Shared shared;
    const typename Rule::Args rule(table);
    Rule::fill(shared, rule);
    const ResidentBlock held(a, plan, slab);
    const SharedLattices lattices = SharedLattices::at(memory, held.slots());
    typename Block::Type block = Block::make(lattices, plan, held);
    load_block(a, slab, held, burst.pending, lattices);
    if (burst.energy) start_counts(a, table, held, burst);
    Block::barrier();
    for (int s = 0; s < burst.count; ++s)
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            update_colour<Update, Clustered>(a, rule, shared, slab, held, block, colour,
                                             static_cast<std::uint64_t>(burst.first + s));
            Block::barrier();
        }
    store_block(a, slab, held, lattices);
    if (!burst.energy) return;
    count_slots<Rule, Clustered>(a, table, slab, held, burst, block);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

}  // namespace

ResidentForms resident_class_forms(const SweepRule& rule, int share) {
    return with_update(rule, share, [](auto chosen) -> ResidentForms {
        using Update = typename decltype(chosen)::Update;
        const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
        using Shared = typename Update::Rule::Shared;
        constexpr int fixed = std::is_empty_v<Shared> ? 0 : static_cast<int>(sizeof(Shared));
        if constexpr (Update::clustered)
            return {of(resident_class<Update, false>), of(resident_class<Update, true>), fixed,
                    most_threads<Update>};
        else
            return {of(resident_class<Update, false>), nullptr, fixed, most_threads<Update>};
    });
}

}  // namespace psflip
