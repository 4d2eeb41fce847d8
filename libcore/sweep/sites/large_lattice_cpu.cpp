#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/clusters/cluster_cpu.hpp"
#include "sweep/demon_rule.hpp"
#include "sweep/sites/large_lattice_memory.hpp"
#include "sweep/sites/site_packing.hpp"
#include "sweep/sites/site_planes.hpp"
#include "sweep/sites/sites_kernels.hpp"

namespace psflip {
namespace {

/// Holds one lattice as bits of sites, with the memory of its cluster updates.
struct ClusterSpins {
    ClusterLattice lattice;
    SiteBits bits;
    ClusterMemory memory;

    explicit ClusterSpins(const SiteLanes& lanes)
        : lattice(lanes.dimension, lanes.L), bits(lattice.words()), memory(lattice) {}
};

/// Lends ClusterSpins to lattices of one size, so that there are only as many as lattices at work.
class ClusterSpinsStore {
  public:
    std::unique_ptr<ClusterSpins> take(const SiteLanes& lanes) {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<ClusterSpins>(lanes);
        std::unique_ptr<ClusterSpins> last = std::move(free_.back());
        free_.pop_back();
        return last;
    }
    void give(std::unique_ptr<ClusterSpins> spins) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(spins));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<ClusterSpins>> free_;
};

/// Ranks, and threads of a rank, take slabs of local indices, of all subdomains.
class LargeLatticeCpu final : public LargeLattice {
  public:
    LargeLatticeCpu(const LargeLatticeSetup& setup, int threads, SimdLevel level, Ranks& ranks,
                    std::shared_ptr<ClusterSpinsStore> cluster_spins)
        : LargeLattice(setup,
                       fmt::format("cpu {}, {} thread{}", name(level), threads, threads == 1 ? "" : "s")),
          kernels_(kernels_of<SitesKernels>(level)),
          cluster_kernels_(kernels_of<ClusterKernels>(level)),
          cluster_spins_(std::move(cluster_spins)),
          ranks_(ranks),
          planes_{lanes(), std::max(1, setup.tile), ranks.size()},
          pool_(threads),
          rule_(sweep_rule(setup.model, false)),
          accept_(acceptance_table(setup.model, rule_, {setup.beta}, 1)),
          chains_(DemonChains::of(lanes().extent[1], lanes().extent[2], std::max(1, rule_.demon_sites))),
          spins_(static_cast<std::size_t>(2 * lanes().local_indices())) {
        start(LatticeStart(setup));
        for (const std::uint32_t odd : lanes().odd_lanes(planes_.edge).word) mixed_ = mixed_ || odd != 0;
        if (!ranks.alone())
            halo_.emplace(ranks, CpuHalo::Memory{
                                     reinterpret_cast<std::byte*>(spins_.data()), 1, 0,
                                     planes_.first(ranks.rank()), planes_.first(ranks.rank() + 1),
                                     [this](int colour, int plane) { return planes_.part(colour, plane); }});
    }

    void advance(int steps) override {
        if (rule_.has_clusters()) return advance_clusters(steps);
        const std::int64_t first = 2 * completed_, end = first + 2 * std::int64_t{steps};
        const std::int64_t together = pieces(edge()) == 1 && !halo_ ? end - first : 1;
        for (std::int64_t half = first; half < end; half += together) {
            update(half, together);
            if (halo_) exchange(half);
        }
        completed_ += steps;
    }
    std::vector<LatticeSums> advance_with_sums(int steps) override {
        std::vector<LatticeSums> series;
        for (int i = 0; i < steps; ++i) {
            advance(1);
            series.push_back(sums());
        }
        return series;
    }
    LatticeSums sums() const override {
        std::vector<SitesSumTask> tasks(static_cast<std::size_t>(pieces(1)));
        share_ranges(1, [&](const LocalRange& range, std::int64_t piece) {
            SitesSumTask& task = tasks[static_cast<std::size_t>(piece)];
            task = {&lanes(), spins_.data(), couplings(), range};
            kernels_.sum(task);
        });
        std::int64_t numbers[2] = {0, 0};  // unsatisfied bonds, spins that are up
        for (const SitesSumTask& task : tasks) {
            numbers[0] += task.unsatisfied;
            numbers[1] += task.up;
        }
        ranks_.sum(std::span(numbers));
        return lattice_sums(lanes(), numbers[0], numbers[1]);
    }
    void set_words(const std::vector<std::uint64_t>& words) override {
        std::copy(words.begin(), words.end(), spins_.begin());
    }
    std::vector<std::uint64_t> words() const override {
        std::vector<std::uint64_t> words(spins_.begin(), spins_.end());
        if (halo_) planes_.gather(ranks_, words);
        return words;
    }
    std::span<const std::uint64_t> look(std::vector<std::uint64_t>& buffer) const override {
        return halo_ ? LargeLattice::look(buffer) : std::span<const std::uint64_t>(spins_);
    }

  private:
    /// Converts the spins to bits of sites and back.
    void advance_clusters(int steps) {
        std::unique_ptr<ClusterSpins> own = cluster_spins_->take(lanes());
        const ClusterLattice& lattice = own->lattice;
        const std::span<std::uint64_t> sites(own->bits.data(), static_cast<std::size_t>(lattice.words()));
        bits_of_words(lanes(), spins_, sites, pool_);
        sweep_clusters(cluster_kernels_,
                       {.lattice = lattice,
                        .rule = rule_,
                        .step = {.key = setup().model.random_key(setup().seed, setup().L),
                                 .step = 0,
                                 .slot = setup().slot,
                                 .replica = setup().replica,
                                 .realization = setup().realization},
                        .threshold = accept_.thresholds.front(),
                        .spins = own->bits.data(),
                        .present = nullptr,
                        .first = completed_,
                        .count = steps,
                        .sums = cluster_sums()},
                       own->memory, pool_);
        words_of_bits(lanes(), sites, spins_, pool_);
        cluster_spins_->give(std::move(own));
        completed_ += steps;
    }
    void temperature_changed() override {
        accept_ = acceptance_table(setup().model, rule_, {setup().beta}, 1);
    }
    void set_coupling_words(int direction, const std::vector<std::uint64_t>& words) override {
        std::copy(words.begin(), words.end(), couplings_.begin() + 2 * direction * lanes().local_indices());
    }
    const std::uint64_t* couplings() const { return couplings_.empty() ? nullptr : couplings_.data(); }

    void start(const LatticeStart& start) {
        const std::int64_t indices = lanes().local_indices();
        const bool glass = setup().model.kind == ModelKind::edwards_anderson;
        if (glass) couplings_.resize(static_cast<std::size_t>(2 * lanes().dimension * indices));
        share_out(pool_, 2 * indices, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t half = begin; half < end; ++half)
                for (int shift = 0; shift < 64; shift += 32) {
                    const std::int64_t word = half / 2;
                    const int first = static_cast<int>(64 * (half % 2)) + shift;
                    spins_[static_cast<std::size_t>(half)] |=
                        std::uint64_t{start.up ? ~0u : start.spins(word, first)} << shift;
                    if (!glass) continue;
                    std::uint32_t bits[3];
                    start.couplings(word, first, bits);
                    for (int d = 0; d < lanes().dimension; ++d)
                        couplings_[static_cast<std::size_t>(2 * d * indices + half)] |= std::uint64_t{bits[d]}
                                                                                        << shift;
                }
        });
    }

    /// Calls work(range, piece) for slabs of local indices across the last axis, cut at multiples of `edge`.
    void share_ranges(int edge, const std::function<void(const LocalRange&, std::int64_t)>& work) const {
        const int axis = lanes().dimension - 1, first = planes_.first(ranks_.rank());
        const std::int64_t own = planes_.own(ranks_.rank()), layers = (own + edge - 1) / edge,
                           n = pieces(edge);
        pool_.for_each(n, [&](std::int64_t piece, int) {
            LocalRange range{{0, 0, 0}, {lanes().extent[0], lanes().extent[1], lanes().extent[2]}};
            range.begin[axis] = first + static_cast<int>(piece * layers / n) * edge;
            range.end[axis] = first + static_cast<int>(std::min(own, (piece + 1) * layers / n * edge));
            work(range, piece);
        });
    }
    std::int64_t pieces(int edge) const {
        const std::int64_t layers = (planes_.own(ranks_.rank()) + edge - 1) / edge;
        return pool_.threads() == 1 || (edge > 1 && mixed_)
                   ? 1
                   : std::min<std::int64_t>(layers, 8 * pool_.threads());
    }
    /// Returns the number of planes across the last axis of a tile or of a chain of demons.
    int edge() const {
        if (rule_.has_demons()) return lanes().dimension == 3 ? chains_.planes : chains_.rows;
        return planes_.edge;
    }
    /// Behind a half of a step: with tiles both colours have changed.
    void exchange(std::int64_t half) {
        for (int colour = 0; colour < 2; ++colour) {
            if (setup().tile == 0 && colour != half % 2) continue;
            halo_->start(colour);
            halo_->finish(colour);
        }
    }
    void update(std::int64_t first_half, std::int64_t halves) {
        SitesTask task{};
        task.lanes = &lanes();
        task.spins = spins_.data();
        task.couplings = couplings();
        task.key = setup().model.random_key(setup().seed, setup().L);
        task.realization = setup().realization;
        task.replica = setup().replica;
        task.slot = setup().slot;
        task.thresholds = accept_.thresholds.data();
        task.always = accept_.always.data();
        task.rule = rule_;
        task.tile = setup().tile;
        task.hits = setup().hits;
        task.tile_order = setup().tile_order;
        task.first_half = first_half;
        task.halves = halves;
        share_ranges(edge(), [&](const LocalRange& range, std::int64_t) {
            SitesTask mine = task;
            mine.range = range;
            kernels_.update(mine);
        });
    }

    const SitesKernels& kernels_;
    const ClusterKernels& cluster_kernels_;
    std::shared_ptr<ClusterSpinsStore> cluster_spins_;
    Ranks& ranks_;
    SitePlanes planes_;
    mutable ThreadPool pool_;
    SweepRule rule_;
    AcceptanceTable accept_;
    DemonChains chains_;
    AlignedVector<std::uint64_t> spins_, couplings_;
    std::optional<CpuHalo> halo_;  ///< of several ranks
    bool mixed_ =
        false;  ///< neighbouring tiles of local indices are at work at once, in different subdomains
};

}  // namespace

std::vector<std::unique_ptr<LargeLattice>> make_large_lattices_cpu(
    const std::vector<LargeLatticeSetup>& setups, int threads, Ranks& ranks) {
    const auto cluster_spins = std::make_shared<ClusterSpinsStore>();
    std::vector<std::unique_ptr<LargeLattice>> lattices;
    for (const LargeLatticeSetup& setup : setups)
        lattices.push_back(std::make_unique<LargeLatticeCpu>(
            setup, threads > 0 ? threads : available_threads(), simd_level(), ranks, cluster_spins));
    return lattices;
}

}  // namespace psflip
