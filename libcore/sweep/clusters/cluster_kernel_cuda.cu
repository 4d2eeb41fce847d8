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
//
// A site needs 8.5 bytes in two and in three dimensions: 4 for its label, 4 for spins, and bits of bonds.
// They are in shared memory if they fit; otherwise spins, or all arrays, are in device memory.

#include <algorithm>
#include <bit>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "sweep/clusters/cluster_kernel_cuda.cuh"
#include "sweep/clusters/cluster_labels_cuda.cuh"

namespace psflip {
namespace {

constexpr int max_lanes = 8, max_threads = 1024;

/// Says which arrays of a block are in shared memory.
enum class Shared { none, labels, all };

struct ClusterArgs {
    Geometry geometry;
    std::uint32_t* spins;         ///< 32-bit words (column, replica, slot, site, word)
    const std::uint32_t* absent;  ///< (column, direction, site, word); null: no bond is absent
    std::uint32_t replicas, temperatures;
    std::uint32_t realizations, first_realization;
    std::uint32_t lanes;  ///< lanes of a block: 1, 2, 4 or 8
    std::int64_t tasks;   ///< (column, replica, slot, lanes)
    std::uint64_t key, step;
    std::uint32_t* memory;  ///< words of arrays that are not in shared memory, of all blocks
    std::size_t block_words;
    std::uint32_t thresholds[max_temperatures];
};

/// Counts the words of the arrays of a block.
struct ClusterWords {
    std::size_t bonds, sites;  ///< one word each for 32 sites and direction or new spin; one word per site

    ClusterWords(const Geometry& g, int directions)
        : bonds((g.sites + 31) / 32 * static_cast<unsigned>(directions + 1)),
          sites((g.sites + 31) / 32 * std::size_t{32}) {}
    std::size_t all() const { return bonds + 2 * sites; }
    std::size_t in_shared(Shared shared) const {
        return shared == Shared::all ? all() : shared == Shared::labels ? bonds + sites : 0;
    }
};

/// Holds the coordinates of a site.
struct ClusterSite {
    std::uint32_t x, y, z;

    __device__ __forceinline__ ClusterSite(const Geometry& g, std::uint32_t site) {
        const std::uint32_t row = corrected_quotient(site, g.L, g.L_reciprocal);
        x = site - row * g.L;
        z = corrected_quotient(row, g.L, g.L_reciprocal);
        y = row - z * g.L;
    }
    /// Returns the index of the site in memory.
    __device__ __forceinline__ std::uint32_t index(const Geometry& g) const {
        return ((x + y + z) & 1u) * g.colour_sites + g.plane * z + g.half * y + x / 2;
    }
    /// Returns whether the next site along an axis is the first one.
    __device__ __forceinline__ bool is_last(const Geometry& g, int d) const {
        return (d == 0 ? x : d == 1 ? y : z) + 1 == (d == 2 ? g.depth : g.L);
    }
    __device__ __forceinline__ ClusterSite next(const Geometry& g, int d) const {
        ClusterSite to = *this;
        (d == 0 ? to.x : d == 1 ? to.y : to.z) = is_last(g, d) ? 0 : (d == 0 ? x : d == 1 ? y : z) + 1;
        return to;
    }
};

template <int Directions, bool Wolff>
struct ClusterBlock {
    const ClusterArgs& a;
    std::uint32_t *bonds, *labels, *packed;  ///< packed: bytes of a site: spins, equal along x, y and z

    /// Returns the active bonds, or for Directions the new spins, of 32 sites.
    __device__ __forceinline__ std::uint32_t& bits(int direction, std::uint32_t chunk) const {
        return bonds[chunk * (Directions + 1) + static_cast<std::uint32_t>(direction)];
    }
    /// Calls use(site) for all sites. Warps take 32 sites at once, also beyond the last site.
    template <class Use>
    __device__ __forceinline__ void for_each_site(const Use& use) const {
        const std::uint32_t all = (a.geometry.sites + 31) / 32 * 32;
        for (std::uint32_t site = threadIdx.x; site < all; site += blockDim.x) use(site);
    }

    __device__ void load(const std::uint32_t* spins, const std::uint32_t* absent, std::uint32_t first) const {
        const Geometry& g = a.geometry;
        const std::uint32_t mask = (1u << a.lanes) - 1;
        for_each_site([&](std::uint32_t site) {
            if (site >= g.sites) return;
            const ClusterSite at(g, site);
            const std::uint32_t index = at.index(g), own = spins[4 * std::size_t{index}];
            std::uint32_t bytes = own >> first & mask;
#pragma unroll
            for (int d = 0; d < Directions; ++d) {
                std::uint32_t equal = ~(own ^ spins[4 * std::size_t{at.next(g, d).index(g)}]);
                if (absent)
                    equal &= ~__ldg(absent + 4 * (std::size_t{static_cast<unsigned>(d)} * g.sites + index));
                bytes |= (equal >> first & mask) << 8 * (d + 1);
            }
            packed[site] = bytes;
        });
    }

    /// Draws the bonds of a lane. Runs of sites along x get labels.
    __device__ void draw_bonds(const ClusterStep& step, std::uint32_t threshold, std::uint32_t lane) const {
        const Geometry& g = a.geometry;
        const std::uint32_t in_warp = threadIdx.x % 32;
        for_each_site([&](std::uint32_t site) {
            const bool is_site = site < g.sites;
            const std::uint32_t equal = is_site ? packed[site] >> lane : 0;
            const RandomBlock numbers = cluster_numbers(step, site);
            std::uint32_t active[Directions + 1];
#pragma unroll
            for (int d = 0; d < Directions; ++d)
                active[d] = __ballot_sync(
                    ~0u, (equal >> 8 * (d + 1) & 1u) != 0 && is_bond_active(numbers, d, threshold));
            active[Directions] = __ballot_sync(~0u, is_new_spin_up(numbers));
            const bool last = ClusterSite(g, site).is_last(g, 0);
            labels[site] = site - in_warp + run_start(active[0] & ~__ballot_sync(~0u, last), in_warp);
            if (in_warp == 0)
#pragma unroll
                for (int d = 0; d <= Directions; ++d) bits(d, site / 32) = active[d];
        });
    }

    __device__ void join_sites() const {
        const Geometry& g = a.geometry;
        const std::uint32_t in_warp = threadIdx.x % 32;
        for_each_site([&](std::uint32_t site) {
            const std::uint32_t chunk = site / 32, along_x = bits(0, chunk);
            if (site >= g.sites) return;
            const ClusterSite at(g, site);
            if (along_x >> in_warp & 1) {
                if (at.x + 1 == g.L)
                    join<false>(labels, site, site - at.x);
                else if (in_warp == 31)
                    join<false>(labels, site, site + 1);
            }
            const bool has_left = in_warp > 0 && at.x > 0 && (along_x >> (in_warp - 1) & 1);
#pragma unroll
            for (int d = 1; d < Directions; ++d) {
                const std::uint32_t active = bits(d, chunk), stride = d == 1 ? g.L : g.L * g.L,
                                    length = d == 1 ? g.L : g.depth;
                if ((active >> in_warp & 1) == 0) continue;
                const std::uint32_t next = at.is_last(g, d) ? site - (length - 1) * stride : site + stride,
                                    left = next - 1;
                if (has_left && (active >> (in_warp - 1) & 1) && (bits(0, left / 32) >> left % 32 & 1))
                    continue;
                join<false>(labels, site, next);
            }
        });
    }

    /// Sets the bits of a lane in the first bytes: whether spins change.
    __device__ void set_changes(std::uint32_t seed, std::uint32_t lane) const {
        const std::uint32_t wolff_root = Wolff ? root_of(labels, seed) : 0;
        for_each_site([&](std::uint32_t site) {
            if (site >= a.geometry.sites) return;
            const std::uint32_t root = root_of(labels, site), old = packed[site];
            if constexpr (Wolff)
                packed[site] = (old & ~(1u << lane)) | (root == wolff_root ? 1u : 0u) << lane;
            else
                packed[site] = old ^ (bits(Directions, root / 32) >> root % 32 & 1u) << lane;
        });
    }

    __device__ void store(std::uint32_t* spins, std::uint32_t first) const {
        const Geometry& g = a.geometry;
        const std::uint32_t mask = (1u << a.lanes) - 1;
        for_each_site([&](std::uint32_t site) {
            if (site >= g.sites) return;
            const std::uint32_t changes = (packed[site] & mask) << first;
            if (changes != 0) atomicXor(spins + 4 * std::size_t{ClusterSite(g, site).index(g)}, changes);
        });
    }

    __device__ void update(std::int64_t task) const {
        const Geometry& g = a.geometry;
        const std::uint32_t groups = 128 / a.lanes;
        const auto group = static_cast<std::uint32_t>(task % groups);
        const auto lattice = static_cast<std::size_t>(task / groups);
        const auto slot = static_cast<std::uint32_t>(lattice % a.temperatures);
        const auto stack = static_cast<std::uint32_t>(lattice / a.temperatures);
        const std::uint32_t column = stack / a.replicas, replica = stack - column * a.replicas,
                            lane = group * a.lanes, in_batch = 128 * column + lane;
        if (in_batch >= a.realizations) return;
        std::uint32_t* const spins = a.spins + 4 * lattice * g.sites + lane / 32;
        const std::uint32_t* const absent =
            a.absent ? a.absent + 4 * std::size_t{column} * Directions * g.sites + lane / 32 : nullptr;
        load(spins, absent, lane % 32);
        const std::uint32_t lanes = min(a.lanes, a.realizations - in_batch);
        for (std::uint32_t i = 0; i < a.lanes; ++i) {
            if (i >= lanes) {
                clear(i);
                continue;
            }
            const ClusterStep step{a.key, a.step, slot, replica, a.first_realization + in_batch + i};
            draw_bonds(step, a.thresholds[slot], i);
            __syncthreads();
            join_sites();
            __syncthreads();
            set_changes(Wolff ? wolff_seed(step, g.sites) : 0, i);
            __syncthreads();
        }
        store(spins, lane % 32);
    }
    /// Leaves the spins of a lane without a realization unchanged.
    __device__ void clear(std::uint32_t lane) const {
        for_each_site([&](std::uint32_t site) {
            if (site < a.geometry.sites) packed[site] &= ~(1u << lane);
        });
    }
};

/// Blocks take one task after the other.
template <int Directions, bool Wolff, Shared Where>
__global__ void __launch_bounds__(max_threads) update_clusters(const __grid_constant__ ClusterArgs a) {
    extern __shared__ std::uint32_t shared[];
    const std::uint32_t chunks = (a.geometry.sites + 31) / 32;
    const std::size_t bonds = std::size_t{Directions + 1} * chunks, sites = std::size_t{32} * chunks;
    std::uint32_t* const memory = Where == Shared::all ? nullptr : a.memory + blockIdx.x * a.block_words;
    std::uint32_t* const first = Where == Shared::none ? memory : shared;
    const ClusterBlock<Directions, Wolff> block{a, first, first + bonds,
                                                Where == Shared::labels ? memory : first + bonds + sites};
    for (std::int64_t task = blockIdx.x; task < a.tasks; task += gridDim.x) {
        block.update(task);
        __syncthreads();
    }
}

using ClusterFunction = void (*)(ClusterArgs);

template <int Directions, bool Wolff>
ClusterFunction function_of(Shared where) {
    switch (where) {
        case Shared::all:
            return update_clusters<Directions, Wolff, Shared::all>;
        case Shared::labels:
            return update_clusters<Directions, Wolff, Shared::labels>;
        default:
            return update_clusters<Directions, Wolff, Shared::none>;
    }
}

ClusterFunction function_of(const SweepRule& rule, Shared where) {
    const bool wolff = rule.wolff_clusters > 0;
    if (rule.degree == 4) return wolff ? function_of<2, true>(where) : function_of<2, false>(where);
    return wolff ? function_of<3, true>(where) : function_of<3, false>(where);
}

struct ClusterPlan {
    Shared where;
    int lanes, threads;

    std::string name() const {
        return where == Shared::none ? std::string("streaming")
                                     : plan_text("resident:", {lanes, threads / 32});
    }
};

class ClusterKernel final : public SweepKernel {
  public:
    ClusterKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                  const ClusterPlan& plan, double microseconds)
        : SweepKernel(plan.name(), microseconds),
          rule_(batch.rule),
          plan_(plan),
          function_(function_of(batch.rule, plan.where)),
          absent_(reinterpret_cast<const std::uint32_t*>(table.absent)) {
        const ClusterWords words(args.geometry, batch.rule.degree / 2);
        shared_bytes_ = sizeof(std::uint32_t) * words.in_shared(plan.where);
        if (shared_bytes_ > 0)
            PSFLIP_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(function_),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared_bytes_)));
        args_.realizations = static_cast<std::uint32_t>(batch.realizations);
        args_.lanes = static_cast<std::uint32_t>(plan.lanes);
        args_.tasks = batch.columns * args.replicas * args.temperatures * (column_lanes / plan.lanes);
        args_.block_words = words.all() - words.in_shared(plan.where);
        for (std::uint32_t t = 0; t < args.temperatures; ++t) args_.thresholds[t] = table.thresholds[t][0][0];
        max_blocks_ = 1 << 30;
        if (args_.block_words == 0) return;
        constexpr std::size_t max_words = std::size_t{1} << 27;
        max_blocks_ = static_cast<std::int64_t>(std::clamp<std::size_t>(
            max_words / args_.block_words, 1, 2 * static_cast<unsigned>(cuda_multiprocessors(batch.device))));
        max_blocks_ = std::min(max_blocks_, args_.tasks);
    }

    void prepare(const SweepArgs&, cudaStream_t) override {
        if (args_.block_words > 0)
            memory_ = {args_.block_words * static_cast<std::size_t>(max_blocks_), "labels of clusters"};
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        ClusterArgs a = args_;
        a.geometry = args.geometry;
        a.spins = reinterpret_cast<std::uint32_t*>(args.spins);
        a.absent = absent_;
        a.replicas = args.replicas;
        a.temperatures = args.temperatures;
        a.first_realization = args.first_realization;
        a.key = args.seed;
        a.memory = memory_.data();
        const auto blocks = static_cast<unsigned>(std::min(a.tasks, max_blocks_));
        const int steps = std::max(1, rule_.wolff_clusters);
        a.step = wolff_step(burst.first, steps, 0);
        for (std::int64_t i = 0; i < std::int64_t{steps} * burst.count; ++i, ++a.step)
            launch(function_, dim3(blocks), dim3(static_cast<unsigned>(plan_.threads)), shared_bytes_,
                   part.stream, a);
    }

  private:
    static constexpr int column_lanes = 128;

    SweepRule rule_;
    ClusterPlan plan_;
    ClusterFunction function_;
    const std::uint32_t* absent_;
    std::size_t shared_bytes_;
    std::int64_t max_blocks_;
    ClusterArgs args_{};
    DeviceBuffer<std::uint32_t> memory_;
};

/// Returns the microseconds of a sweep on one H200.
double sweep_microseconds(const SweepArgs& args, const PlannedBatch& batch, const ClusterPlan& plan) {
    const double spins = static_cast<double>(args.geometry.sites) * args.temperatures * args.replicas *
                         static_cast<double>(batch.realizations);
    const double blocks = static_cast<double>(args.temperatures * args.replicas) *
                          static_cast<double>(batch.realizations) / plan.lanes;
    const double full = std::max(1.0, 264.0 / blocks);  // blocks that would fill the device
    return std::max(1, batch.rule.wolff_clusters) *
           (5 + 20e-6 * spins * full * (1 + 0.1 / plan.lanes) * (plan.where == Shared::none ? 4 : 1));
}

}  // namespace

std::unique_ptr<SweepKernel> plan_clusters(const SweepArgs& args, const ClassArgs& table,
                                           const PlannedBatch& batch, const KernelRequest& request) {
    if (!batch.rule.has_clusters() || !batch.has_whole_lattices() || request.plans > 1) return nullptr;
    const ClusterWords words(args.geometry, batch.rule.degree / 2);
    int available = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, batch.device));
    const auto fits = [&](Shared where) {
        return sizeof(std::uint32_t) * words.in_shared(where) <= static_cast<std::size_t>(available);
    };
    Shared where = fits(Shared::all) ? Shared::all : fits(Shared::labels) ? Shared::labels : Shared::none;
    if (where == Shared::none ? !request.takes("streaming") : !request.takes("resident")) {
        if (request.kernel != "streaming") return nullptr;
        where = Shared::none;
    }
    const int chunks = static_cast<int>((args.geometry.sites + 31) / 32),
              warps = chunks < 512 ? std::clamp(chunks / 4, 1, 16) : 32;
    std::unique_ptr<SweepKernel> best;
    for (int lanes = max_lanes; lanes >= 1; lanes /= 2) {
        if (!request.allows(0, lanes)) continue;
        const ClusterPlan plan{where, lanes, 32 * (request.numbers[1] > 0 ? request.numbers[1] : warps)};
        if (plan.threads > max_threads) return nullptr;
        auto kernel = std::make_unique<ClusterKernel>(
            args, table, batch, plan,
            period_microseconds(args, batch, sweep_microseconds(args, batch, plan)));
        if (!best || kernel->microseconds() < best->microseconds()) best = std::move(kernel);
    }
    return best;
}

}  // namespace psflip
