// Sweeps one colour by demons of models with a field or absent bonds, from device memory.

#include "sweep/demon/demon_model_chain_cuda.cuh"

namespace psflip {

namespace {

/// Grid: as demon_streaming.
template <int Degree, bool Absent, bool Field, int Slots>
__global__ void __launch_bounds__(streaming_demon_threads)
    demon_model_streaming(const __grid_constant__ SweepArgs a, const __grid_constant__ DemonLaunch l,
                          const __grid_constant__ DemonModel model) {
    using Rule = DemonRule<Degree, Absent, Field>;
    __shared__ ModelTables<Rule> tables[Slots];
    const std::uint32_t groups = gridDim.y / a.replicas, replica = blockIdx.y / groups;
    const DemonStack stack{l.first_column + blockIdx.z, replica,
                           l.first_slot + (blockIdx.y - replica * groups) * Slots, 0};
    fill_model_tables(a, model, stack.first_slot, Slots, tables);
    __syncthreads();
    const unsigned number = blockIdx.x * streaming_demon_threads + threadIdx.x;
    if (number >= l.sizes.number) return;
    const Geometry& g = a.geometry;
    const std::size_t lattice =
        (static_cast<std::size_t>(stack.column) * a.replicas + replica) * a.temperatures + stack.first_slot;
    const auto bonds = [&](const uint4* words, unsigned direction) {
        return reinterpret_cast<const char*>(
            words + (static_cast<std::size_t>(stack.column) * (Degree / 2) + direction) * g.sites);
    };
    DeviceArrays<Absent ? 4 : 2> flat{{16 * g.half}, {bonds(a.couplings, 0), bonds(a.couplings, 1)}};
    DeviceArrays<Absent ? 2 : 1> steep{{16 * g.half}, {bonds(a.couplings, Degree / 2 - 1)}};
    if constexpr (Absent) {
        flat.arrays[2] = bonds(model.absent, 0);
        flat.arrays[3] = bonds(model.absent, 1);
        steep.arrays[1] = bonds(model.absent, Degree / 2 - 1);
    }
    serve_model_chain<Degree, Slots, Absent, Field>(
        a, l, model, number, l.colour, l.first_sweep, stack, tables,
        DeviceSlots<Slots>(g, reinterpret_cast<char*>(a.spins + lattice * g.sites)), flat, steep);
}

template <int Degree, int Slots>
DemonModelFunction kernel_of(const SweepRule& rule) {
    return !rule.absent  ? demon_model_streaming<Degree, false, true, Slots>
           : !rule.field ? demon_model_streaming<Degree, true, false, Slots>
                         : demon_model_streaming<Degree, true, true, Slots>;
}

}  // namespace

DemonModelFunction streaming_model_demons(const SweepRule& rule, int slots) {
    if (rule.degree == 6) return slots == 4 ? kernel_of<6, 4>(rule) : kernel_of<6, 1>(rule);
    return slots == 4 ? kernel_of<4, 4>(rule) : kernel_of<4, 1>(rule);
}

}  // namespace psflip
