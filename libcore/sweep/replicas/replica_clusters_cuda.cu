// Sweeps where lanes are (replica, slot) pairs of one realization: a cluster of blocks has the realization in
// shared memory, a block some planes, and does all sweeps between two exchanges.
//
//   device memory --spins and bonds of own planes, spins of the planes beside them--> shared memory
//   exchange; half sweeps, each: own rows --> copies of end planes to the neighbours --> barrier of the
//   cluster energies; shared memory --own planes--> device memory
//
// Per half sweep a barrier of the cluster stands where replica_sweeps waits for a counter in device memory,
// and spins are read 30 clocks away in place of some 300. The first numbers are drawn before the wait.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/error.hpp"
#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/replicas/replica_energies_cuda.cuh"
#include "sweep/replicas/replica_exchange_cuda.cuh"
#include "sweep/replicas/replica_kernels.hpp"
#include "sweep/replicas/replica_sweep_cuda.cuh"

namespace psflip {
namespace {

using Cluster = ClusterTiles<6>;

/// Planes of a block in shared memory as a slab: plane 0 is not used, so that colours are those of the
/// lattice; then the copy of the plane below, own planes, the copy of the plane above.
struct ClusterSlab {
    ReplicaLayout whole, held;
    std::uint32_t planes, first;  ///< own ones

    PSFLIP_HD ClusterSlab(const ReplicaLayout& layout, std::uint32_t blocks, std::uint32_t part)
        : whole(layout),
          held(layout),
          planes(static_cast<std::uint32_t>(layout.L) / blocks),
          first(part * planes) {
        held.depth = static_cast<int>(planes) + 3;
    }
    /// Vectors of four words in a plane of a colour.
    PSFLIP_HD std::uint32_t vectors() const {
        return static_cast<std::uint32_t>(whole.L * whole.row_stride() / 4);
    }
    PSFLIP_HD std::uint32_t vector(int colour, std::uint32_t plane) const {
        return static_cast<std::uint32_t>(held.row(colour, 0)) / 4 + plane * vectors();
    }
    /// The plane of the lattice.
    __device__ __forceinline__ std::uint32_t plane(std::uint32_t held_plane) const {
        const auto L = static_cast<std::uint32_t>(whole.L);
        return (first + held_plane + L - 2) % L;
    }
    PSFLIP_HD std::size_t spin_bytes() const { return 4 * static_cast<std::size_t>(held.lattice_words()); }
    PSFLIP_HD std::size_t bond_bytes() const { return static_cast<std::size_t>(held.lattice_words()); }
};

/// Planes begin, ..., end - 1 of the slab from an array with Bytes bytes for each word.
template <int Bytes>
__device__ __forceinline__ void load_planes(const ClusterSlab& slab, const void* from, std::uint32_t begin,
                                            std::uint32_t end, uint4* to) {
    const std::uint32_t each = slab.vectors() * Bytes / 4;
    for (int colour = 0; colour < 2; ++colour) {
        const uint4* const source =
            static_cast<const uint4*>(from) + slab.whole.row(colour, 0) * Bytes / sizeof(uint4);
        uint4* const there = to + slab.held.row(colour, 0) * Bytes / sizeof(uint4);
        for (std::uint32_t i = threadIdx.x; i < (end - begin) * each; i += replica_threads) {
            const std::uint32_t plane = i / each, rest = i - plane * each;
            there[(begin + plane) * each + rest] = source[slab.plane(begin + plane) * each + rest];
        }
    }
}

__device__ __forceinline__ void store_planes(const ClusterSlab& slab, const uint4* from, void* to) {
    const std::uint32_t each = slab.vectors();
    for (int colour = 0; colour < 2; ++colour) {
        uint4* const there = static_cast<uint4*>(to) + slab.whole.row(colour, 0) / 4 + slab.first * each;
        for (std::uint32_t i = threadIdx.x; i < slab.planes * each; i += replica_threads)
            there[i] = from[slab.vector(colour, 2) + i];
    }
}

/// A vector to the same place in the shared memory of another block.
__device__ __forceinline__ void store_to_rank(const uint4* here, std::uint32_t rank, const uint4& v) {
#if __CUDA_ARCH__ >= 900
    std::uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(here))), "r"(rank));
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
#else
    __trap();
#endif
}

/// End planes of a colour to the blocks above and below, by all threads of the block between barriers.
__device__ __forceinline__ void send_planes(const ClusterSlab& slab, int colour, uint4* spins,
                                            std::uint32_t part, std::uint32_t blocks) {
    const std::uint32_t each = slab.vectors(), above = part + 1 == blocks ? 0 : part + 1,
                        below = part == 0 ? blocks - 1 : part - 1;
    for (std::uint32_t i = threadIdx.x; i < 2 * each; i += replica_threads) {
        const bool up = i >= each;
        const std::uint32_t k = up ? i - each : i;
        const uint4 v = spins[slab.vector(colour, up ? slab.planes + 1 : 2) + k];
        store_to_rank(spins + slab.vector(colour, up ? 1 : slab.planes + 2) + k, up ? above : below, v);
    }
}

template <class Rule, int Words>
__global__ void __launch_bounds__(replica_threads, 2)
    replica_clusters(const __grid_constant__ ReplicaSweepArgs a) {
    extern __shared__ uint4 memory[];
    __shared__ typename ReplicaLeftovers<Rule>::Entries entries;
    const auto blocks = static_cast<std::uint32_t>(a.cut.blocks), part = blockIdx.x % blocks;
    const std::int64_t realization = blockIdx.x / blocks;
    const ClusterSlab slab(a.view.layout, blocks, part);
    uint4 *const spins = memory, *const bonds = spins + slab.spin_bytes() / sizeof(uint4),
                 *const absent = bonds + slab.bond_bytes() / sizeof(uint4),
                 *const planes = Rule::has_absent ? absent + slab.bond_bytes() / sizeof(uint4) : absent;
    const ReplicaThresholds<Rule> thresholds(planes, a.view);
    if (threadIdx.x < 2) entries.count[threadIdx.x] = 0;
    const std::int64_t from = realization * a.view.layout.lattice_words();
    load_planes<4>(slab, a.view.spins + from, 1, slab.planes + 3, spins);
    load_planes<1>(slab, a.view.bonds + from, 2, slab.planes + 2, bonds);
    if constexpr (Rule::has_absent) load_planes<1>(slab, a.view.absent + from, 2, slab.planes + 2, absent);

    ReplicaSweepArgs mine = a;
    mine.view.layout = slab.held;
    mine.view.spins = reinterpret_cast<std::uint32_t*>(spins);
    mine.view.bonds = reinterpret_cast<const std::uint8_t*>(bonds);
    mine.view.absent = reinterpret_cast<const std::uint8_t*>(absent);
    mine.view.first_realization = a.view.first_realization + static_cast<std::uint32_t>(realization);
    mine.part.plane = slab.plane(0);
    const auto L = static_cast<std::uint32_t>(a.view.layout.L);
    ReplicaShare share(mine.view.layout, a.cut, Words);
    share.begin = L;
    share.end = (slab.planes + 3) * L;
    __syncthreads();
    if (a.mask) exchange_rows(mine, share, realization, 0);
    share.begin = 2 * L;
    share.end = (slab.planes + 2) * L;
    Cluster::arrive();

    const ReplicaLeftovers<Rule> leftovers{entries};
    const ReplicaColumn column(mine.view.layout, share.has_column(0) ? share.column * Words : 0u);
    std::uint32_t turn = 0;
#pragma unroll 1
    for (int half = 0; half < 2 * a.sweeps; ++half) {
        const ReplicaSweeper<Rule, Words, true, true> sweeper{
            mine, share, thresholds, leftovers, 0, static_cast<std::uint64_t>(a.first + half / 2), half % 2};
        sweeper.run(column, turn, [] { Cluster::wait(); });
        __syncthreads();
        send_planes(slab, half % 2, spins, part, blocks);
        Cluster::arrive();
    }
    Cluster::wait();
    if (a.sweeps > 0 || a.mask) store_planes(slab, spins, a.view.spins + from);
    if (!a.count.energies) return;
    ReplicaShare words(mine.view.layout, a.cut, 1);
    words.begin = share.begin;
    words.end = share.end;
    count_energies<Rule>(mine, words, realization, 0);
}

using Kernel = void (*)(ReplicaSweepArgs);

Kernel cluster_kernel(const SweepRule& rule, int words) {
    if (rule.plain)
        return words == 2 ? replica_clusters<PlainReplicaRule<6>, 2>
                          : replica_clusters<PlainReplicaRule<6>, 1>;
    if (rule.field)
        return rule.absent ? replica_clusters<ClassReplicaRule<6, true, true>, 1>
                           : replica_clusters<ClassReplicaRule<6, true, false>, 1>;
    return rule.absent ? replica_clusters<ClassReplicaRule<6, false, true>, 1>
                       : replica_clusters<ClassReplicaRule<6, false, false>, 1>;
}

std::size_t shared_bytes(const ReplicaLayout& layout, const SweepRule& rule, int blocks) {
    const ClusterSlab slab(layout, static_cast<std::uint32_t>(blocks), 0);
    return slab.spin_bytes() + (rule.absent ? 2 : 1) * slab.bond_bytes() + replica_shared_bytes(layout, rule);
}

}  // namespace

ReplicaCut cut_replica_clusters(const ReplicaLayout& layout, std::int64_t realizations, const SweepRule& rule,
                                int device, const KernelRequest& request) {
    const int blocks = std::max(1, request.number[0]), words = request.number[2] > 0 ? request.number[2]
                                                               : rule.plain && layout.words() % 2 == 0 ? 2
                                                                                                       : 1;
    int most = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const std::size_t fixed = 30 << 10;  // at most, of leftovers, energies and exchanges
    if (layout.dimension != 3 || layout.L % (2 * blocks) != 0 || blocks > 8 || layout.words() % words != 0 ||
        words > (rule.plain ? 2 : 1) ||
        shared_bytes(layout, rule, blocks) + fixed > static_cast<std::size_t>(most))
        throw InputError("the lattice does not suit the kernel 'clusters' with " + std::to_string(blocks) +
                         " blocks and " + std::to_string(words) + " words");
    return {blocks, static_cast<int>(realizations), words, true};
}

void launch_replica_clusters(const ReplicaSweepArgs& args, const SweepRule& rule, cudaStream_t stream) {
    const Kernel kernel = cluster_kernel(rule, args.cut.words);
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(args.cut.blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(args.cut.blocks * args.realizations));
    config.blockDim = dim3(replica_threads);
    config.dynamicSmemBytes = shared_bytes(args.view.layout, rule, args.cut.blocks);
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(config.dynamicSmemBytes)));
    PSFLIP_CUDA(cudaLaunchKernelEx(&config, kernel, args));
}

}  // namespace psflip
