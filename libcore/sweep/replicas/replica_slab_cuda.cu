// Sweeps of slabs whose lanes are (replica, slot) pairs of one realization: one launch for each half sweep of
// all realizations, followed by the halos of its colour. A block has some own rows of one realization.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/kernel_request.hpp"
#include "sweep/replicas/replica_energies_cuda.cuh"
#include "sweep/replicas/replica_exchange_cuda.cuh"
#include "sweep/replicas/replica_halo_cuda.cuh"
#include "sweep/replicas/replica_kernels.hpp"
#include "sweep/replicas/replica_sweep_cuda.cuh"

namespace psflip {
namespace {

__device__ __forceinline__ std::int64_t realization_of_block(const ReplicaSweepArgs& a) {
    return blockIdx.x / static_cast<std::uint32_t>(a.cut.blocks);
}
__device__ __forceinline__ ReplicaShare share_of_part(const ReplicaSweepArgs& a, int words) {
    ReplicaShare share(a.view.layout, a.cut, words, a.view.layout.rows());
    const auto blocks = static_cast<std::uint32_t>(a.cut.blocks);
    const std::uint32_t each = (a.part.rows + blocks - 1) / blocks, end = a.part.first_row + a.part.rows;
    share.begin = min(a.part.first_row + blockIdx.x % blocks * each, end);
    share.end = min(share.begin + each, end);
    return share;
}

template <class Rule, int Words>
__global__ void __launch_bounds__(replica_threads, 2)
    replica_slab_sweep(const __grid_constant__ ReplicaSweepArgs a, std::uint64_t sweep, int colour) {
    extern __shared__ uint4 planes[];
    __shared__ typename ReplicaLeftovers<Rule>::Entries entries;
    if (threadIdx.x < 2) entries.count[threadIdx.x] = 0;
    const ReplicaThresholds<Rule> thresholds(planes, a.view);
    __syncthreads();
    const ReplicaLeftovers<Rule> leftovers{entries};
    const ReplicaShare share = share_of_part(a, Words);
    const ReplicaColumn column(a.view.layout, share.has_column(0) ? share.column * Words : 0u);
    std::uint32_t turn = 0;
    const ReplicaSweeper<Rule, Words, true> sweeper{
        a, share, thresholds, leftovers, realization_of_block(a), sweep, colour};
    sweeper.run(column, turn, [] {});
}

/// Exchanges spins of own planes and of halos.
__global__ void __launch_bounds__(replica_threads)
    replica_slab_exchange(const __grid_constant__ ReplicaSweepArgs a) {
    exchange_rows(a, ReplicaShare(a.view.layout, a.cut, 1, a.view.layout.rows()), realization_of_block(a));
}

template <class Rule>
__global__ void __launch_bounds__(replica_threads)
    replica_slab_energies(const __grid_constant__ ReplicaSweepArgs a) {
    count_energies<Rule>(a, share_of_part(a, 1), realization_of_block(a));
}

struct SlabKernels {
    void (*sweep)(ReplicaSweepArgs, std::uint64_t, int);
    void (*energies)(ReplicaSweepArgs);
};

template <class Rule>
SlabKernels slab_kernels_of(int words) {
    if constexpr (!Rule::has_field && !Rule::has_absent)
        if (words == 2) return {replica_slab_sweep<Rule, 2>, replica_slab_energies<Rule>};
    return {replica_slab_sweep<Rule, 1>, replica_slab_energies<Rule>};
}

SlabKernels slab_kernels(const SweepRule& rule, int words) {
    if (rule.plain) return slab_kernels_of<PlainReplicaRule<6>>(words);
    return with_class_rule<6>(rule, [&]<class Rule>() { return slab_kernels_of<Rule>(words); });
}

}  // namespace

ReplicaCut cut_replica_slab(const ReplicaLayout& layout, const ReplicaPart& part, std::int64_t realizations,
                            const SweepRule& rule, int device, const KernelRequest& wanted) {
    const KernelRequest request = wanted.kernel == "replicas" ? wanted : KernelRequest{};
    int multiprocessors = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ReplicaCut cut{1, static_cast<int>(realizations), 1};
    if (rule.plain && layout.words() % 2 == 0 && request.allows(2, 2)) cut.words = 2;
    const int columns = layout.row_words() / cut.words, rows_at_once = std::max(1, replica_threads / columns);
    const std::int64_t most = std::max<std::int64_t>(1, part.rows / rows_at_once),
                       room = (2 * multiprocessors + realizations - 1) / realizations;
    cut.blocks = static_cast<int>(request.numbers[0] > 0 ? request.numbers[0] : std::min(most, room));
    return cut;
}

void launch_replica_slab(const ReplicaSweepArgs& args, const SweepRule& rule, ReplicaHalo& halo,
                         cudaStream_t stream) {
    const SlabKernels kernels = slab_kernels(rule, args.cut.words);
    const dim3 blocks(static_cast<unsigned>(args.cut.blocks * args.realizations)), threads(replica_threads);
    if (args.mask) launch(replica_slab_exchange, blocks, threads, 0, stream, args);
    const std::size_t shared = replica_shared_bytes(args.view.layout, rule);
    PSFLIP_CUDA(cudaFuncSetAttribute(kernels.sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shared)));
    if (args.sweeps > 0) halo.ready(stream);
    for (std::int64_t half = 2 * args.first; half < 2 * (args.first + args.sweeps); ++half) {
        const auto colour = static_cast<int>(half % 2);
        launch(kernels.sweep, blocks, threads, shared, stream, args, static_cast<std::uint64_t>(half / 2),
               colour);
        halo.exchange(colour, stream);
    }
    if (args.count.energies) launch(kernels.energies, blocks, threads, 0, stream, args);
}

}  // namespace psflip
