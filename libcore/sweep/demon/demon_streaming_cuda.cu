// Sweeps one colour by demons from device memory.

#include "sweep/demon/demon_chain_cuda.cuh"

namespace psflip {

namespace {

/// Grid: x = chains, y = (replica, group of Slots slots from first_slot on), z = column - first_column.
template <int Degree, int Slots>
__global__ void __launch_bounds__(streaming_demon_threads)
    demon_streaming(const __grid_constant__ SweepArgs a, const __grid_constant__ DemonLaunch l) {
    __shared__ DemonTable tables[Slots];
    const std::uint32_t groups = gridDim.y / a.replicas, replica = blockIdx.y / groups;
    const DemonStack stack{l.first_column + blockIdx.z, replica,
                           l.first_slot + (blockIdx.y - replica * groups) * Slots, 0};
    fill_tables(a, stack.first_slot, Slots, tables);
    __syncthreads();
    const unsigned number = blockIdx.x * streaming_demon_threads + threadIdx.x;
    if (number >= l.sizes.number) return;
    const std::size_t lattice =
        (static_cast<std::size_t>(stack.column) * a.replicas + replica) * a.temperatures + stack.first_slot;
    serve_chain<Degree, Slots>(
        a, l, number, l.colour, l.first_sweep, stack, tables,
        DeviceSlots<Slots>(a.geometry, reinterpret_cast<char*>(a.spins + lattice * a.geometry.sites)),
        DeviceBonds(a.geometry, column_couplings<Degree>(a, stack.column)));
}

template <int Degree>
DemonKernelFunction kernel_of(int slots) {
    return slots == 1   ? demon_streaming<Degree, 1>
           : slots == 2 ? demon_streaming<Degree, 2>
                        : demon_streaming<Degree, 4>;
}

}  // namespace

DemonKernelFunction streaming_demons(int degree, int slots) {
    return degree == 6 ? kernel_of<6>(slots) : kernel_of<4>(slots);
}

}  // namespace psflip
