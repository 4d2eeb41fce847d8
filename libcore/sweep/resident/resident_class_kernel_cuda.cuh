#pragma once

// Carries out bursts of sweeps by all rules, except for the plain rule in three dimensions. The lattices of
// several temperatures stay in the shared memory of a block, or their slabs in the shared memory of a cluster
// of blocks. A burst reads the spins from device memory and writes them back once.
//
//   device memory --pending exchange--> shared memory: lattices of neighbouring slots of one stack
//   per sweep and colour: bonds of a site -> registers -> the site in some slot quads
//   after the last sweep: --> device memory; energies and magnetisations by counters in bit planes
//
// A thread has one site of a colour and some slot quads. In small lattices several threads share the quads of
// a site. A slab consists of layers: z planes or, in two dimensions, rows. Neighbours in another slab are
// read from the shared memory of its block.

#include <type_traits>

#include "sweep/cuda/class_lattices_cuda.cuh"
#include "sweep/resident/resident_independent_cuda.cuh"
#include "sweep/resident/resident_layers_cuda.cuh"

namespace psflip {

/// Returns the j-th site of a slab. The sites of its first and last layer come last, because other blocks
/// read these.
__device__ __forceinline__ std::uint32_t inner_first(const Layers& slab, std::uint32_t j) {
    const std::uint32_t inner = slab.depth > 2 ? (slab.depth - 2) * slab.layer : 0;
    return j < inner ? j + slab.layer : j < inner + slab.layer ? j - inner : j;
}

/// Updates the sites of one colour. `row` threads have one site each and take one part of the slot quads.
/// Threads wait for other blocks once, before the first site with neighbours in another block.
template <class Update, bool Clustered>
__device__ __forceinline__ void update_colour(
    const SweepArgs& a, const typename Update::Rule::Args& rule, const typename Update::Rule::Shared& shared,
    const Layers& slab, const ResidentBlock& held,
    typename BlockLattices<Clustered, Update::Rule::degree>::Type& block, std::uint32_t colour,
    std::uint64_t sweep) {
    using Rule = typename Update::Rule;
    using Block = BlockLattices<Clustered, Rule::degree>;
    bool waited = false;
    const std::uint32_t row = (slab.colour_sites + 31) / 32 * 32;
    const std::uint32_t parts = max(1u, blockDim.x / row);
    const LayerColour<Rule::degree, Clustered> sites(a, slab, held, colour);
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x; task < row * parts; task += blockDim.x) {
        // Equal in all threads of a warp, because a row consists of whole warps.
        const std::uint32_t part = __shfl_sync(~0u, task / row, 0), j = task - part * row;
        const std::uint32_t i = Clustered ? inner_first(slab, j) : j;
        const bool valid = j < slab.colour_sites;
        const LayerSite<Rule::degree> s = sites.site(valid ? i : 0);
        if (Clustered && !waited && __any_sync(~0u, s.first || s.last)) {
            Block::wait();
            waited = true;
        }
        if (!valid) continue;
        Block::at_layer(block, s.first, s.last);
        const SiteDraw d{s.standard, held.replica, a.first_realization + held.column * 128, sweep, a.seed};
        Update::update(a, rule, shared, SharedSite(block, s.in_slab, held.first_slot),
                       SlotRange{held.first_slot, held.end_slot, part, parts},
                       Rule::site(a, rule, held.column, s.in_lattice), d);
    }
    if (!waited) Block::wait();
}

template <class Update>
inline constexpr int resident_class_threads =
    std::is_same_v<typename Update::Rule, PlanarRule> ? planar_threads : resident_threads;

/// Grid: x = (stack * groups + slot group) * blocks of a cluster + slab.
template <class Update, bool Clustered>
__global__ void __launch_bounds__(resident_class_threads<Update>)
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
    Block::arrive();
    for (int s = 0; s < burst.count; ++s)
#pragma unroll 1
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            update_colour<Update, Clustered>(a, rule, shared, slab, held, block, colour,
                                             static_cast<std::uint64_t>(burst.first + s));
            Block::arrive();
        }
    Block::wait();
    store_block(a, slab, held, lattices);
    if (!burst.energy) return;
    count_slots<Rule::degree, Rule::absent_bonds, Clustered>(a, table, slab, held, burst, block);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

/// Sweeps whole lattices with a random number for every spin (share 1), as resident_cuda.cu.
template <class Rule>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_class_independent(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                               const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                               const __grid_constant__ SweepBurst burst) {
    const typename Rule::Args& args = table;
    sweep_independent<Rule>(
        a, args, plan, slab, burst,
        [&](const ResidentBlock& held) {
            if (burst.energy) start_counts(a, table, held, burst);
        },
        [&](const ResidentBlock& held, SharedLattices& block) {
            if (burst.energy)
                count_slots<Rule::degree, Rule::absent_bonds, false>(a, table, slab, held, burst, block);
        });
}

/// Returns the kernel of a rule for share 1. It has no form with clusters, because random numbers take far
/// more time than device memory.
template <class Rule>
ResidentForms independent_forms() {
    return {reinterpret_cast<const void*>(resident_class_independent<Rule>), nullptr};
}

/// Returns the kernels of one update.
template <class Update>
ResidentForms resident_forms_of() {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    using Shared = typename Update::Rule::Shared;
    constexpr int fixed = std::is_empty_v<Shared> ? 0 : static_cast<int>(sizeof(Shared));
    return {of(resident_class<Update, false>), of(resident_class<Update, true>), fixed,
            resident_class_threads<Update>};
}

/// Returns the kernels of one rule.
template <class Rule>
ResidentForms resident_rule_forms(std::type_identity<Rule> rule, int share) {
    if constexpr (!std::is_same_v<Rule, PlanarRule>)
        if (share == 1) return independent_forms<IndependentClass<Rule>>();
    return with_numbers(rule, share,
                        [](auto update) { return resident_forms_of<typename decltype(update)::type>(); });
}

}  // namespace psflip
