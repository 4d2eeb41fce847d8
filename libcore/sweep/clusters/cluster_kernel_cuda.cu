// Cluster updates of batches whose lanes are realizations. A block updates up to 8 lanes of the lattices of a
// replica and slot, one lane after the other. A warp has 32 sites with consecutive numbers.
//
// 1. The block loads spins once: for each site the spins of its lanes, and whether they equal the spins of
//    the next site along each axis. Absent bonds count as unequal.
// 2. For each lane it draws the bonds, and joins sites (cluster_labels_cuda.cuh). Runs of sites along x get
//    their label by bit operations. Bonds along y and z join runs, unless the bond to the left joins the same
//    two runs. Every site then reads the new spin of its root.
// 3. It flips the changed bits of the words of spins by atomic operations, because other blocks have the
//    other lanes of these words. A block reads only bits of its lanes, so the order of blocks has no effect.
// 4. If the step is summed, the block adds up each number of a cluster at its root: sites, cosines and
//    sines. Then it adds the squares. This is part of the work on each lane.
//
// A site needs 8.6 or 8.9 bytes: 4 for its label, 4 for spins, and bits of bonds and of ends. They are in
// shared memory if they fit, or labels alone are. Otherwise all arrays are in device memory, and each of
// these tasks is a launch for some lattices, so that many blocks work on each lattice.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "sweep/clusters/cluster_block_cuda.cuh"
#include "sweep/clusters/cluster_kernel_cuda.cuh"

namespace psflip {
namespace {

constexpr int max_threads = 1024, phase_threads = 256;

/// Says which arrays of a block are in shared memory.
enum class InShared { none, labels, all };

/// Counts the words of the arrays of a block.
struct ClusterWords {
    std::size_t bonds, sites;  ///< chunk_words for 32 sites; one word for each site

    ClusterWords(const Geometry& g, int directions)
        : bonds((g.sites + 31) / 32 * chunk_words(directions)),
          sites((g.sites + 31) / 32 * std::size_t{32}) {}
    std::size_t all() const { return bonds + 2 * sites; }
    std::size_t in_shared(InShared shared) const {
        return shared == InShared::all ? all() : shared == InShared::labels ? bonds + sites : 0;
    }
};

/// Updates clusters in shared memory, and sums them if Summed. Blocks take one task after the other.
template <int Directions, bool Wolff, InShared Where, bool Summed = false>
__global__ void __launch_bounds__(max_threads) update_clusters(const __grid_constant__ ClusterArgs a) {
    extern __shared__ std::uint32_t shared[];
    const std::uint32_t chunks = (a.geometry.sites + 31) / 32;
    std::uint32_t* const labels = shared + chunk_words(Directions) * chunks;
    std::uint32_t* const rest = labels + 32 * chunks;
    std::uint32_t* const rings = Where == InShared::all ? rest + 32 * chunks : rest;
    std::uint32_t* const packed = Where == InShared::all ? rest : a.memory + blockIdx.x * a.block_words;
    for (std::int64_t number = blockIdx.x; number < a.tasks; number += gridDim.x) {
        using Block = ClusterBlock<Directions, Wolff, false>;
        const Block block{a, ClusterLanes(a, number), shared, labels, packed, rings};
        block.load();
        __syncthreads();
        for (std::uint32_t lane = 0; lane < block.task.count(a); ++lane) {
            block.draw_bonds(lane);
            __syncthreads();
            block.join_sites();
            __syncthreads();
            block.set_changes(lane);
            __syncthreads();
            if constexpr (Summed) {
                auto* const own = static_cast<typename Block::Total*>(a.totals);
                block.add_sums(lane, own ? own + std::size_t{32} * chunks * blockIdx.x
                                         : rings + blockDim.x / 32 * WarpQueue<std::uint32_t>::size);
            }
        }
        block.store();
    }
}

/// Names what a launch does for the tasks of update_phase.
enum class ClusterPhase {
    load,
    draw_bonds,
    join_sites,
    set_changes,
    clear_totals,
    add_totals,
    add_squares,
    store
};

/// Does one phase of task first + blockIdx.y in device memory. number: of the totals.
template <int Directions, bool Wolff>
__global__ void __launch_bounds__(phase_threads)
    update_phase(const __grid_constant__ ClusterArgs a, std::int64_t first, ClusterPhase phase,
                 std::uint32_t lane, int number) {
    __shared__ std::uint32_t rings[phase_threads / 32 * WarpQueue<std::uint32_t>::size];
    const std::uint32_t chunks = (a.geometry.sites + 31) / 32;
    std::uint32_t* const bonds = a.memory + blockIdx.y * a.block_words;
    std::uint32_t* const labels = bonds + chunk_words(Directions) * chunks;
    using Block = ClusterBlock<Directions, Wolff, true>;
    const Block block{a,      ClusterLanes(a, first + blockIdx.y), bonds,
                      labels, labels + std::size_t{32} * chunks,   rings};
    const auto totals = [&] {
        return static_cast<typename Block::Total*>(a.totals) + std::size_t{32} * chunks * blockIdx.y;
    };
    if (lane >= block.task.count(a)) return;
    switch (phase) {
        case ClusterPhase::load:
            return block.load();
        case ClusterPhase::draw_bonds:
            return block.draw_bonds(lane);
        case ClusterPhase::join_sites:
            return block.join_sites();
        case ClusterPhase::set_changes:
            return block.set_changes(lane);
        case ClusterPhase::clear_totals:
            return block.clear_totals(totals());
        case ClusterPhase::add_totals:
            return block.add_totals(totals(), number);
        case ClusterPhase::add_squares:
            return block.add_squares(totals(), number, lane);
        case ClusterPhase::store:
            return block.store();
    }
}

using ClusterFunction = void (*)(ClusterArgs);
using PhaseFunction = void (*)(ClusterArgs, std::int64_t, ClusterPhase, std::uint32_t, int);

template <int Directions, bool Wolff>
ClusterFunction function_of(InShared where) {
    return where == InShared::all ? update_clusters<Directions, Wolff, InShared::all>
                                  : update_clusters<Directions, Wolff, InShared::labels>;
}
ClusterFunction function_of(const SweepRule& rule, InShared where) {
    const bool wolff = rule.wolff_clusters > 0;
    if (rule.degree == 4) return wolff ? function_of<2, true>(where) : function_of<2, false>(where);
    return wolff ? function_of<3, true>(where) : function_of<3, false>(where);
}
/// Returns the function that also sums clusters, of Swendsen-Wang.
template <int Directions>
ClusterFunction summing_function_of(InShared where) {
    return where == InShared::all ? update_clusters<Directions, false, InShared::all, true>
                                  : update_clusters<Directions, false, InShared::labels, true>;
}
PhaseFunction phase_function_of(const SweepRule& rule) {
    const bool wolff = rule.wolff_clusters > 0;
    if (rule.degree == 4) return wolff ? update_phase<2, true> : update_phase<2, false>;
    return wolff ? update_phase<3, true> : update_phase<3, false>;
}

/// Says where the arrays of a block are, and how many lanes and threads it has.
struct ClusterPlan {
    InShared where;
    int lanes, threads;

    std::size_t shared_bytes(const ClusterWords& words) const {
        return sizeof(std::uint32_t) * (words.in_shared(where) + queue_words(threads));
    }
    static std::size_t queue_words(int threads) {
        return static_cast<std::size_t>(threads) / 32 * WarpQueue<std::uint32_t>::size;
    }

    std::string name() const {
        return where == InShared::none ? std::string("streaming")
                                       : plan_text("resident:", {lanes, threads / 32});
    }
};

class ClusterKernel final : public SweepKernel {
  public:
    ClusterKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                  const ClusterPlan& plan, double microseconds)
        : SweepKernel(plan.name(), microseconds), rule_(batch.rule), plan_(plan) {
        const ClusterWords words(args.geometry, batch.rule.degree / 2);
        args_.absent = reinterpret_cast<const std::uint32_t*>(table.absent);
        args_.realizations = static_cast<std::uint32_t>(batch.realizations);
        args_.lanes = static_cast<std::uint32_t>(plan.lanes);
        args_.tasks = std::int64_t{args.replicas} * args.temperatures *
                      ((batch.realizations + plan.lanes - 1) / plan.lanes);
        args_.block_words = words.all() - words.in_shared(plan.where);
        for (std::uint32_t t = 0; t < args.temperatures; ++t) args_.thresholds[t] = table.thresholds[t][0][0];
        if (plan.where == InShared::none) {
            constexpr std::int64_t sites_at_once = 1 << 22;  // their arrays fit into the L2 cache
            at_once_ = std::clamp<std::int64_t>(sites_at_once / args.geometry.sites, 1, 65535);
        } else if (plan.where == InShared::labels) {
            at_once_ = 2 * std::int64_t{cuda_multiprocessors(batch.device)};
        } else {
            at_once_ = 1 << 30;
        }
        at_once_ = std::min(at_once_, args_.tasks);
        totals_ = words.sites;
        multiprocessors_ = cuda_multiprocessors(batch.device);
        PSFLIP_CUDA(
            cudaDeviceGetAttribute(&available_, cudaDevAttrMaxSharedMemoryPerBlockOptin, batch.device));
        if (plan.where == InShared::none) return;
        shared_bytes_ = plan.shared_bytes(words);
        function_ = function_of(batch.rule, plan.where);
        allow_shared(function_, shared_bytes_);
    }

    void prepare(const SweepArgs&, cudaStream_t) override {
        if (args_.block_words > 0)
            memory_ = {args_.block_words * static_cast<std::size_t>(at_once_), "labels of clusters"};
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        ClusterArgs a = args_;
        a.geometry = args.geometry;
        a.spins = reinterpret_cast<std::uint32_t*>(args.spins);
        a.replicas = args.replicas;
        a.temperatures = args.temperatures;
        a.first_realization = args.first_realization;
        a.key = args.seed;
        a.keys = RoundKeys::of(args.seed);
        a.memory = memory_.data();
        const int steps = std::max(1, rule_.wolff_clusters);
        a.step = wolff_step(burst.first, steps, 0);
        for (std::int64_t i = 0; i < std::int64_t{steps} * burst.count; ++i, ++a.step) {
            if (burst.clusters && i + 1 == burst.count) {
                step_with_sums(a, burst.clusters, part.stream);
            } else if (!function_) {
                step_in_phases(a, part.stream);
            } else {
                launch(function_, dim3(static_cast<unsigned>(at_once_)),
                       dim3(static_cast<unsigned>(plan_.threads)), shared_bytes_, part.stream, a);
            }
        }
    }

  private:
    static void allow_shared(ClusterFunction function, std::size_t bytes) {
        const auto* const kernel = reinterpret_cast<const void*>(function);
        cudaFuncAttributes now{};
        PSFLIP_CUDA(cudaFuncGetAttributes(&now, kernel));
        // Another ensemble may launch this kernel with more memory.
        if (now.maxDynamicSharedSizeBytes < static_cast<int>(bytes))
            PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(bytes)));
    }

    /// Totals are in shared memory if they fit there.
    void step_with_sums(ClusterArgs a, ClusterSums* sums, cudaStream_t stream) {
        const std::int64_t lattices =
            std::int64_t{a.replicas} * a.temperatures * ((a.realizations + 127) / 128) * 128;
        PSFLIP_CUDA(
            cudaMemsetAsync(sums, 0, static_cast<std::size_t>(lattices) * sizeof(ClusterSums), stream));
        if (fourier_.size() == 0) {
            const auto table = fixed_fourier_table(static_cast<int>(a.geometry.L));
            fourier_ = {table.size(), "Fourier table"};
            fourier_.upload(table, stream);
        }
        a.sums = sums;
        a.fourier = fourier_.data();
        const std::size_t shared = shared_bytes_ + sizeof(std::uint32_t) * totals_;
        const bool in_shared = function_ != nullptr && shared <= static_cast<std::size_t>(available_);
        const std::int64_t blocks =
            in_shared || !function_ ? at_once_ : std::min<std::int64_t>(at_once_, 4 * multiprocessors_);
        if (!in_shared) {
            const std::size_t numbers = totals_ * static_cast<std::size_t>(blocks);
            if (of_clusters_.size() == 0) of_clusters_ = {numbers, "totals of clusters"};
            a.totals = of_clusters_.data();
        }
        if (!function_) return step_in_phases(a, stream);
        const ClusterFunction function =
            rule_.degree == 4 ? summing_function_of<2>(plan_.where) : summing_function_of<3>(plan_.where);
        allow_shared(function, in_shared ? shared : shared_bytes_);
        launch(function, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(plan_.threads)),
               in_shared ? shared : shared_bytes_, stream, a);
    }
    void step_in_phases(const ClusterArgs& a, cudaStream_t stream) const {
        const unsigned blocks = blocks_for(a.geometry.sites, 4 * phase_threads);
        for (std::int64_t first = 0; first < a.tasks; first += at_once_) {
            const dim3 grid(blocks, static_cast<unsigned>(std::min(at_once_, a.tasks - first))),
                block(phase_threads);
            const auto start = [&](ClusterPhase phase, std::uint32_t lane, int number = 0) {
                launch(phase_function_of(rule_), grid, block, 0, stream, a, first, phase, lane, number);
            };
            start(ClusterPhase::load, 0);
            for (std::uint32_t lane = 0; lane < a.lanes; ++lane) {
                for (const auto phase :
                     {ClusterPhase::draw_bonds, ClusterPhase::join_sites, ClusterPhase::set_changes})
                    start(phase, lane);
                for (int number = 0; a.sums && number < 1 + rule_.degree; ++number)
                    for (const auto phase :
                         {ClusterPhase::clear_totals, ClusterPhase::add_totals, ClusterPhase::add_squares})
                        start(phase, lane, number);
            }
            start(ClusterPhase::store, 0);
        }
    }

    SweepRule rule_;
    ClusterPlan plan_;
    ClusterFunction function_ = nullptr;  ///< null: update_phase
    std::size_t shared_bytes_ = 0;
    std::int64_t at_once_;  ///< tasks: blocks in shared memory, or tasks of a launch of a phase
    ClusterArgs args_{};
    DeviceBuffer<std::uint32_t> memory_;
    std::size_t totals_ = 0;                   ///< numbers of a block or task
    int multiprocessors_ = 0, available_ = 0;  ///< available_: bytes of shared memory of a block
    DeviceBuffer<std::int32_t> fourier_;
    DeviceBuffer<unsigned long long> of_clusters_;  ///< ClusterArgs::totals
};

/// Returns the microseconds of a sweep on one H200. A batch that does not fill the device with warps takes
/// longer. Arrays in device memory take four times as long as arrays in shared memory.
double sweep_microseconds(const SweepArgs& args, const PlannedBatch& batch, const ClusterPlan& plan) {
    const double spins = static_cast<double>(args.geometry.sites) * args.temperatures * args.replicas *
                         static_cast<double>(batch.realizations);
    const double blocks = static_cast<double>(args.temperatures * args.replicas) *
                          static_cast<double>(batch.realizations) / plan.lanes;
    const double full = std::max(1.0, 32.0 * 6400 / (blocks * plan.threads));  // warps that fill the device
    return std::max(1, batch.rule.wolff_clusters) *
           (5 + 20e-6 * spins * full * (1 + 0.1 / plan.lanes) * (plan.where == InShared::none ? 4 : 1));
}

/// Returns the warps of a block: one for four times 32 sites, up to 16. If a multiprocessor would have fewer
/// than three blocks, a block has up to 32 warps. available: bytes of shared memory.
int warps_of_block(const SweepArgs& args, const PlannedBatch& batch, const ClusterWords& words,
                   int available) {
    const int chunks = static_cast<int>((args.geometry.sites + 31) / 32),
              warps = std::clamp(chunks / 4, 1, 16);
    const double lattices =
        static_cast<double>(args.temperatures * args.replicas) * static_cast<double>(batch.realizations);
    const bool large =
                   3.0 * static_cast<double>(ClusterPlan{InShared::all, 1, 32 * warps}.shared_bytes(words)) >
                   available,
               few = lattices < 2.0 * cuda_multiprocessors(batch.device);
    return large || few ? std::clamp(chunks, warps, max_threads / 32) : warps;
}

}  // namespace

std::unique_ptr<SweepKernel> plan_clusters(const SweepArgs& args, const ClassArgs& table,
                                           const PlannedBatch& batch, const KernelRequest& request) {
    if (!batch.rule.has_clusters() || !batch.has_whole_lattices() || request.plans > 1) return nullptr;
    const ClusterWords words(args.geometry, batch.rule.degree / 2);
    int available = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, batch.device));
    const int warps =
        request.numbers[1] > 0 ? request.numbers[1] : warps_of_block(args, batch, words, available);
    if (32 * warps > max_threads) return nullptr;
    const auto fits = [&](InShared where) {
        return ClusterPlan{where, 1, 32 * warps}.shared_bytes(words) <= static_cast<std::size_t>(available);
    };
    const InShared where = request.kernel == "streaming" ? InShared::none
                           : fits(InShared::all)         ? InShared::all
                           : fits(InShared::labels)      ? InShared::labels
                                                         : InShared::none;
    if (!request.takes(where == InShared::none ? "streaming" : "resident")) return nullptr;
    std::unique_ptr<SweepKernel> best;
    for (int lanes = max_cluster_lanes; lanes >= 1; lanes /= 2) {
        if (!request.allows(0, lanes)) continue;
        const ClusterPlan plan{where, lanes, 32 * warps};
        auto kernel = std::make_unique<ClusterKernel>(
            args, table, batch, plan,
            period_microseconds(args, batch, sweep_microseconds(args, batch, plan)));
        if (!best || kernel->microseconds() < best->microseconds()) best = std::move(kernel);
    }
    return best;
}

}  // namespace psflip
