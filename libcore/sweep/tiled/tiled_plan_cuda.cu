// Cuts a batch for the tiled kernel by a small cost model of all tiles, numbers of chunks and, for slabs,
// numbers of prisms that are cut.

#include <algorithm>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/stream.cuh"
#include "sweep/tiled/tiled_cuda.cuh"

namespace psflip {

namespace {

int pieces(std::int64_t n, int size) {
    return static_cast<int>((n + size - 1) / size);
}

/// Says how a batch is cut: a tile, and which prisms of tiles are cut into chunks (TiledCut).
struct CutPlan {
    TiledPlan tiles;
    int prisms = 0, cut = 0;
};

/// Returns the microseconds of a sweep: waves of blocks, times steps, times a step, at the 1.8 GHz that the
/// power limit of an H200 allows. Fitted to plans of whole lattices. A step takes 800 clocks. A site that a
/// block updates takes 8.55 with slot quads (30 timings of L = 34 to 64 with 24 temperatures, within 10%) and
/// 9.0 without; three timings of one temperature, which wastes random numbers, take 8 to 17% more. Tiles that
/// divide rows take more, most if their rows do not fill lines of 128 bytes. The wait for the first planes of
/// a piece takes 0.7 steps. n further packs add 2% n^2 with slot quads, without them 20% n.
double plan_cost(const CutPlan& cut_plan, int L, int planes, bool of_slab, int share, int together,
                 int multiprocessors) {
    const TiledPlan& plan = cut_plan.tiles;
    const int at_once = together * multiprocessors, uncut = cut_plan.prisms - cut_plan.cut;
    const int sites = tiled_red(plan.half, plan.rows) + plan.half * plan.rows;
    const double shape = 2 * plan.half == L ? 0.98 : plan.half % 8 == 0 ? 0.93 + 1.2 / plan.half : 1.15;
    const double step = 800.0 + (plan.has_slot_quads ? 8.55 : 9.0) * together * sites * shape;
    const double packs = 128.0 / share - 1, further = 1 + (plan.has_slot_quads ? 0.02 * packs : 0.2) * packs;
    const double extra_steps = tiled_last_steps - (of_slab ? 1 : 0) + 0.7;
    const auto steps = [&](std::int64_t blocks, int of_planes) {
        return static_cast<double>(pieces(blocks, at_once)) * (of_planes + extra_steps);
    };
    return (steps(uncut, planes) + steps(plan.blocks - uncut, pieces(planes, plan.chunks))) * step * further /
           1800;
}

CutPlan best_plan(const SweepArgs& args, const PlannedBatch& batch, const KernelRequest& request) {
    const int planes = static_cast<int>(args.geometry.depth), min_planes = batch.halo ? 2 : 1;
    const int share = batch.share, device = batch.device;
    const std::int64_t columns = batch.columns;
    int multiprocessors = 0, shared = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const int L = static_cast<int>(args.geometry.L), T = static_cast<int>(args.temperatures),
              replicas = static_cast<int>(args.replicas), members = static_cast<int>(tiled_members);
    std::size_t free_bytes = 0, all_bytes = 0;
    PSFLIP_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    constexpr std::size_t spare_bytes = std::size_t{1} << 30;
    const std::size_t words_per_site = replicas * T + 1,  // spins again, and their gauge
        wanted = static_cast<std::size_t>(columns) * words_per_site * args.geometry.sites * 16;
    CutPlan best, next;
    TiledPlan& plan = next.tiles;
    allow_tiled_shared(share, shared);
    // 32 bits number the words of the lattices of a block.
    const bool numbered = tiled_members * std::uint64_t{args.geometry.sites} <= std::uint64_t{1} << 32;
    if (share == 1 || !numbered || free_bytes < wanted + spare_bytes) return best;
    constexpr std::int64_t max_blocks = 0x7fffffff;
    plan.has_slot_quads = T >= members;
    plan.groups = plan.has_slot_quads ? replicas * pieces(T, members) : pieces(replicas * T, members);
    for (plan.half = 1; plan.half <= L / 2; ++plan.half)
        for (plan.rows = 1; plan.rows <= L; ++plan.rows) {
            const int sites = tiled_red(plan.half, plan.rows) + plan.half * plan.rows;
            plan.threads = (sites + 31) / 32 * 32;
            plan.shared_bytes = tiled_shared(plan.half, plan.rows, plan.threads);
            if (!request.allows(0, plan.half) || !request.allows(1, plan.rows) ||
                plan.threads > tiled_threads || plan.shared_bytes > shared ||
                (plan.half + 2) * (plan.rows + 4) > 2 * plan.threads)
                continue;
            const int together = tiled_blocks(share, plan, batch.halo != nullptr);
            const std::int64_t prisms =
                columns * plan.groups * pieces(L / 2, plan.half) * pieces(L, plan.rows);
            if (together == 0 || prisms > max_blocks) continue;
            next.prisms = static_cast<int>(prisms);
            for (plan.chunks = 1; plan.chunks <= planes / min_planes; ++plan.chunks) {
                if (!request.allows(2, plan.chunks)) continue;
                const auto consider = [&](int cut) {
                    const std::int64_t blocks = prisms + std::int64_t{plan.chunks - 1} * cut;
                    if (cut < 1 || cut > prisms || !request.allows(3, cut) || blocks > max_blocks) return;
                    next.cut = cut;
                    plan.blocks = static_cast<int>(blocks);
                    plan.cost =
                        plan_cost(next, L, planes, batch.halo != nullptr, share, together, multiprocessors);
                    // Long and short blocks read planes far apart. This cost 3% (L = 512, two H100).
                    if (cut < next.prisms) plan.cost *= 1.02;
                    if (best.prisms == 0 || plan.cost < best.tiles.cost) best = next;
                };
                consider(next.prisms);
                if (plan.chunks == 1 || !batch.halo || !batch.halo->by_peers()) continue;
                if (request.numbers[3] > 0) consider(request.numbers[3]);
                for (int cut = next.prisms; cut > 0; cut -= together * multiprocessors) consider(cut);
            }
        }
    return best;
}

/// Returns the name of a plan in the form of KernelRequest. Whole lattices have three numbers.
std::string name_of(const CutPlan& plan, bool of_slab) {
    const TiledPlan& tiles = plan.tiles;
    if (of_slab) return plan_text("tiled:", {tiles.half, tiles.rows, tiles.chunks, plan.cut});
    return plan_text("tiled:", {tiles.half, tiles.rows, tiles.chunks});
}

/// The kernel with its plan and the array that it sweeps into.
class TiledKernel final : public SweepKernel {
  public:
    TiledKernel(const SweepArgs& args, const PlannedBatch& batch, const CutPlan& plan)
        : SweepKernel(name_of(plan, batch.halo != nullptr),
                      period_microseconds(planned_args(args, batch), batch, plan.tiles.cost, 3)),
          share_(batch.share),
          plan_(plan.tiles),
          lattices_(batch.columns * args.replicas * args.temperatures),
          halo_(batch.halo) {
        if (!halo_) return;
        // Smaller slabs than the largest may have fewer chunks.
        const auto planes = static_cast<int>(halo_->own().planes);
        int chunks = std::min(plan_.chunks, planes / 2), end_planes = 0;
        // Messages travel while the planes between short ends are swept.
        if (const int between = planes - 2 * short_end; !halo_->by_peers() && between >= short_end) {
            end_planes = short_end;
            chunks = 2 + std::min(chunks, between / 2);
        }
        const auto word = [](int n) { return static_cast<std::uint32_t>(n); };
        cut_ = {word(plan.prisms), word(plan.cut), word(chunks), word(end_planes), !halo_->by_peers()};
    }

    bool is_gauged() const override { return true; }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>& spins, const SweepBurst& burst,
               const StreamPart& part) override {
        if (halo_) return sweep_slab(args, spins, burst, part.stream);
        if (swept_.size() == 0) swept_ = {spins.size(), "spins after a sweep"};
        for (int i = 0; i < burst.count; ++i) {
            launch_tiled(args, share_, plan_, burst.first + i, swept_.data(), part.stream);
            std::swap(spins, swept_);
            args.spins = spins.data();
        }
    }

  private:
    void sweep_slab(SweepArgs& args, DeviceBuffer<uint4>& spins, const SweepBurst& burst,
                    cudaStream_t stream) {
        if (swept_.size() == 0) {
            swept_ = DeviceBuffer<uint4>::for_peers(spins.size(), "spins after a sweep");
            arrays_ = {spins.data(), swept_.data()};
        }
        if (halo_->by_peers()) halo_->peers(arrays_).ready(stream);
        for (int i = 0; i < burst.count; ++i) {
            sweep_slab_once(args, burst.first + i, stream);
            std::swap(spins, swept_);
            args.spins = spins.data();
        }
        if (halo_->by_peers()) halo_->peers(arrays_).settle(stream);
    }
    void sweep_slab_once(const SweepArgs& args, std::int64_t sweep, cudaStream_t stream) {
        TiledSlab slab{halo_->own(), cut_, 0, halo_->by_peers(), {}};
        const auto launch = [&](std::uint32_t first, std::uint32_t blocks, cudaStream_t in) {
            slab.first_block = first;
            launch_tiled_slab(*halo_, args, share_, plan_, slab, static_cast<int>(blocks), sweep,
                              swept_.data(), in);
        };
        if (slab.by_peers) {
            slab.peers = halo_->peers(arrays_).next_launch(swept_.data() == arrays_[0] ? 0 : 1);
            return launch(0, cut_.blocks(), stream);
        }
        const std::uint32_t ends = cut_.end_blocks();
        cudaStream_t ahead = halo_->staged().begin(stream);
        launch(0, ends, ahead);
        // Blocks of the other planes take milliseconds. They would keep the ends from starting.
        ends_swept_.order(ahead, stream);
        halo_->staged().start({args.geometry, swept_.data(), lattices_},
                              {{0, 1, true, true}, {1, 2, true, true}});
        if (ends < cut_.blocks()) launch(ends, cut_.blocks() - ends, stream);
        halo_->staged().finish(stream);
    }

    int share_;
    TiledPlan plan_;
    /// Planes of the chunks at the ends of a slab whose halos travel in messages: those that neighbours need.
    static constexpr int short_end = halo_depth;
    TiledCut cut_{};  ///< of slabs
    std::int64_t lattices_;
    Halo* halo_;
    DeviceBuffer<uint4> swept_;
    std::vector<uint4*> arrays_;  ///< of slabs: both
    Event ends_swept_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_tiled(const SweepArgs& args, const PlannedBatch& batch,
                                        const KernelRequest& request) {
    if (!batch.rule.cubic_plain() || !request.takes("tiled")) return nullptr;
    CutPlan plan = best_plan(planned_args(args, batch), batch, request);
    if (batch.halo) {
        const bool all = batch.halo->ranks().maximum(plan.prisms == 0 ? 1 : 0) == 0;
        plan = agreed_plan(batch, all ? plan : CutPlan{});
    }
    if (plan.prisms == 0) return nullptr;
    return std::make_unique<TiledKernel>(args, batch, plan);
}

}  // namespace psflip
