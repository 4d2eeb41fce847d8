// Counts energies and magnetisations of all Ising models per realization by bit-sliced counters, as
// bond_count_cuda.cu does for the plain rule in three dimensions. A warp takes 256 red sites, whose bonds are
// all bonds, and as many black sites. It adds its counters with shuffles, and its counts to the counts of the
// lattice.

#include "base/cuda_check.cuh"
#include "lattice/site_orders_cuda.cuh"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"

namespace psflip {

namespace {

constexpr int count_warps = 8;
constexpr std::uint32_t sites_of_warp = 32 * model_count_sites;

__global__ void start_counts(const __grid_constant__ ModelCountArgs a, std::int32_t* energy,
                             std::int32_t* magnetisation) {
    const std::size_t lattice = blockIdx.x, at = lattice * 128 + threadIdx.x;
    energy[at] = -a.bonds[lattice / a.per_column * 128 + threadIdx.x];
    if (magnetisation) magnetisation[at] = -static_cast<std::int32_t>(a.geometry.sites);
}

/// Counts the red sites begin + (thread of the warp), ... < end of lattice blockIdx.x, and as many black
/// sites.
template <int Degree, bool Absent, class Order>
__device__ __forceinline__ void count_sites(const ModelCountArgs& a, std::uint32_t begin, std::uint32_t end,
                                            std::int32_t* energy, std::int32_t* magnetisation) {
    const Geometry& g = a.geometry;
    const uint4* const lattice = a.spins + static_cast<std::size_t>(blockIdx.x) * g.sites;
    const std::size_t column = static_cast<std::size_t>(blockIdx.x / a.per_column) * (Degree / 2) * g.sites;
    ModelCounter<Degree, Absent> counter;
    counter.clear();
#pragma unroll 1
    for (std::uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
        const NearSites<Degree> at(neighbours_of(g, 0, Order::place(g, 0, i)));
        counter.add(g, NearSpins<Degree>(lattice, at), lattice[g.colour_sites + i], at, a.couplings + column,
                    a.absent + column);
    }
    counter.finish(static_cast<std::size_t>(blockIdx.x) * 128, energy, magnetisation, 2 / a.unit);
}

/// Returns the first red site of a warp. Grid: x = lattices, y and z = groups of count_warps * sites_of_warp
/// red sites.
__device__ __forceinline__ std::uint32_t first_site_of_warp() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * count_warps + threadIdx.x / 32) * sites_of_warp;
}

template <int Degree, bool Absent>
__global__ void __launch_bounds__(32 * count_warps)
    model_count(const __grid_constant__ ModelCountArgs a, std::int32_t* energy, std::int32_t* magnetisation) {
    const std::uint32_t begin = first_site_of_warp(),
                        end = min(begin + sites_of_warp, a.geometry.colour_sites);
    if (begin >= end) return;
    count_sites<Degree, Absent, StandardOrder>(a, begin, end, energy, magnetisation);
}

/// Counts the own planes of a slab.
template <bool Absent>
__global__ void __launch_bounds__(32 * count_warps)
    slab_model_count(const __grid_constant__ ModelCountArgs a, const OwnPlanes own, std::int32_t* energy,
                     std::int32_t* magnetisation) {
    const std::uint32_t begin = own.begin(a.geometry) + first_site_of_warp(),
                        end = min(begin + sites_of_warp, own.end(a.geometry));
    if (begin >= end) return;
    count_sites<6, Absent, ExactOrder>(a, begin, end, energy, magnetisation);
}

}  // namespace

void count_model(const ModelCountArgs& args, std::int32_t* energy, std::int32_t* magnetisation,
                 cudaStream_t stream) {
    launch(start_counts, dim3(args.lattices), dim3(128), 0, stream, args, energy, magnetisation);
    const auto kernel = args.degree == 6 ? (args.absent ? model_count<6, true> : model_count<6, false>)
                                         : (args.absent ? model_count<4, true> : model_count<4, false>);
    launch(kernel,
           task_grid(args.lattices, blocks_for(args.geometry.colour_sites, count_warps * sites_of_warp)),
           dim3(32 * count_warps), 0, stream, args, energy, magnetisation);
}

void count_model_of_slab(const ModelCountArgs& args, const OwnPlanes& own, bool first, std::int32_t* energy,
                         std::int32_t* magnetisation, cudaStream_t stream) {
    ModelCountArgs whole = args;
    whole.geometry = make_geometry(static_cast<int>(args.geometry.L));
    const std::size_t bytes = std::size_t{args.lattices} * 128 * sizeof(std::int32_t);
    if (first) {
        launch(start_counts, dim3(args.lattices), dim3(128), 0, stream, whole, energy, magnetisation);
    } else {
        PSFLIP_CUDA(cudaMemsetAsync(energy, 0, bytes, stream));
        if (magnetisation) PSFLIP_CUDA(cudaMemsetAsync(magnetisation, 0, bytes, stream));
    }
    launch(
        args.absent ? slab_model_count<true> : slab_model_count<false>,
        task_grid(args.lattices, blocks_for(own.planes * args.geometry.plane, count_warps * sites_of_warp)),
        dim3(32 * count_warps), 0, stream, args, own, energy, magnetisation);
}

}  // namespace psflip
