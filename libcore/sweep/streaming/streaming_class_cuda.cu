// Kernels that update one colour by all rules except for the plain rule in three dimensions.
//
// A thread takes one site of one column and a range of (replica, slot). Bonds and absent bonds stay in
// registers while it walks over its lattices. A block keeps the table of planes of the bond count in shared
// memory.
//
// An update of 128 lanes takes 4 x 10 to 27 operations of three operands for the class rule (class_rule.hpp).
// A share group takes an addition and a multiply-add per threshold, and one read of the table per spin value.
// Memory is read and written as by the plain rule: 16 B own + 16 B other colour read, 16 B written.

#include "base/cuda_check.cuh"
#include "sweep/cuda/class_lattices_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"

namespace psflip {

namespace {

/// Updates a thread's site. Grid: x = sites of a colour / threads, y = group (`slots` slots of one replica),
/// z = column - first_column; for slabs see SlabColour.
template <class Update, class Work>
__device__ __forceinline__ void update_class(const SweepArgs& a, const typename Update::Rule::Args& table,
                                             const typename Update::Rule::Shared& shared,
                                             const StreamingColour& l, const Work& work) {
    using Rule = typename Update::Rule;
    const Geometry& g = a.geometry;
    const std::uint32_t i = work.i();
    if (i >= work.end()) return;
    const std::uint32_t column = l.first_column + work.column();
    const Place place = work.place(g, l.colour, i);
    const NearSites<Rule::degree> at(neighbours_of(g, l.colour, place));
    const typename Rule::Site site = Rule::site(a, table, column, at);

    const bool whole = l.slots >= a.temperatures;
    const std::uint32_t groups = (a.temperatures + l.slots - 1) / l.slots;
    const std::uint32_t end = whole ? a.replicas : work.group() / groups + 1;
    const std::uint32_t first_slot = whole ? 0 : work.group() % groups * l.slots;
    for (std::uint32_t replica = whole ? work.group() : work.group() / groups; replica < end;
         replica += work.groups()) {
        const SiteDraw d{work.number(place), replica, a.first_realization + column * 128, l.sweep, a.seed};
        uint4* const lattices =
            a.spins + ((static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures +
                       first_slot / 4 * 4) *
                          g.sites;
        Update::update(a, table, shared, GlobalSite<Rule::degree>{lattices, g.sites, at},
                       SlotRange{first_slot, min(first_slot + l.slots, a.temperatures)}, site, d);
        if constexpr (Work::sends)
            work.send(a, l.colour, (column * a.replicas + replica) * a.temperatures + first_slot,
                      min(l.slots, a.temperatures - first_slot), i);
    }
    work.done();
}

template <class Update>
__global__ void __launch_bounds__(slab_threads)
    streaming_class(const __grid_constant__ SweepArgs a,
                    const __grid_constant__ typename Update::Rule::Args table, const StreamingColour l) {
    __shared__ typename Update::Rule::Shared shared;
    Update::Rule::fill(shared, table);
    __syncthreads();
    update_class<Update>(a, table, shared, l, WholeColour<>(a.geometry));
}
template <class Update>
__global__ void __launch_bounds__(slab_threads)
    streaming_class_slab(const __grid_constant__ SweepArgs a,
                         const __grid_constant__ typename Update::Rule::Args table, const StreamingColour l,
                         const __grid_constant__ SlabLaunch slab) {
    __shared__ typename Update::Rule::Shared shared;
    Update::Rule::fill(shared, table);
    __syncthreads();
    update_class<Update>(a, table, shared, l, SlabColour<>(a.geometry, slab));
}

/// Returns the launches of one update.
template <class Update>
StreamingForms streaming_forms_of() {
    StreamingForms forms{};
    forms.whole = [](const SweepArgs& args, const ClassArgs& table, const StreamingColour& what, dim3 grid,
                     cudaStream_t stream) {
        launch(streaming_class<Update>, grid, dim3(slab_threads), 0, stream, args, table, what);
    };
    if constexpr (Update::Rule::degree == 6)
        forms.slab = [](const Halo& halo, const SweepArgs& args, const ClassArgs& table,
                        const StreamingColour& what, const SlabLaunch& slab, unsigned blocks,
                        cudaStream_t stream) {
            halo.launch_kernel(streaming_class_slab<Update>, dim3(blocks), dim3(slab_threads), 0, stream,
                               args, table, what, slab);
        };
    return forms;
}

}  // namespace

StreamingForms streaming_class_forms(const SweepRule& rule, int share) {
    return with_rule(rule, [share](auto of_sites) {
        return with_numbers(of_sites, share, [](auto update) {
            return streaming_forms_of<typename decltype(update)::type>();
        });
    });
}

}  // namespace psflip
