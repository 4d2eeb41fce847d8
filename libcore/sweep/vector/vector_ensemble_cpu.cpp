#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "sweep/vector/vector_ensemble.hpp"
#include "sweep/vector/vector_group.hpp"

namespace psflip {
namespace {

template <class T>
class VectorEnsembleCpu : public VectorEnsemble {
  public:
    VectorEnsembleCpu(const VectorSetup& setup, int threads, Ranks& ranks)
        : VectorEnsemble(setup, ranks),
          level_(simd_level()),
          kernels_(vector_kernels(level_)),
          pool_(threads),
          renewed_(static_cast<std::size_t>(setup.states())) {
        const std::int64_t width = states_of_group(setup);
        for (std::int64_t first = 0; first < setup.states(); first += width)
            groups_.emplace_back(setup, first, std::min(width, setup.states() - first));
        rows_ = std::int64_t{setup.L} * setup.own_planes();
        const auto groups = static_cast<std::int64_t>(groups_.size());
        // If there are enough groups, each does all sweeps by itself. Else threads share their rows. They
        // also do if ranks wait for each other after each colour.
        by_rows_ = !ranks.alone() || (pool_.threads() > 1 && groups < 4 * pool_.threads());
        chunks_ = by_rows_ ? std::min<std::int64_t>(rows_, (8 * pool_.threads() + groups - 1) / groups) : 1;
        constants_ = setup.constants<T>();
        terms_ = setup.terms();
    }

    Backend backend() const override { return Backend::cpu; }
    std::string description() const override {
        return fmt::format("cpu {}, {} threads", name(level_), pool_.threads());
    }
    void set_spins(const std::vector<double>& spins) override {
        check_spins(spins);
        for (auto& group : groups_) group.take(spins.data());
        for (int colour = 0; colour < 2; ++colour) exchange_halos(colour);
    }
    std::vector<double> spins() const override {
        std::vector<double> spins(
            static_cast<std::size_t>(setup_.states() * setup_.components() * setup_.own_sites()));
        for (const auto& group : groups_) group.put(spins.data());
        return spins;
    }
    void swap_states(const std::vector<StatePair>& pairs) override {
        const std::int64_t width = groups_.front().count();
        pool_.for_each(static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i, int) {
            const StatePair pair = pairs[static_cast<std::size_t>(i)];
            group(pair.first).swap(pair.first % width, group(pair.second), pair.second % width);
        });
    }
    HoudayerCounts houdayer_counts() const override { return houdayer_counts_; }

  private:
    void swap_clusters(const std::vector<StatePair>& pairs, std::int64_t completed) override {
        const std::int64_t width = groups_.front().count();
        std::vector<ClusterSearch> searches(static_cast<std::size_t>(pool_.threads()),
                                            ClusterSearch(setup_.L, setup_.depth()));
        std::vector<std::int64_t> sites(pairs.size());
        pool_.for_each(static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i, int thread) {
            const StatePair& pair = pairs[static_cast<std::size_t>(i)];
            sites[static_cast<std::size_t>(i)] =
                group(pair.first)
                    .swap_cluster(pair.first % width, group(pair.second), pair.second % width,
                                  first_of_cluster(pair, completed, key_),
                                  searches[static_cast<std::size_t>(thread)]);
        });
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const std::int64_t state = pairs[i].first;
            const auto at =
                static_cast<std::size_t>(setup_.realization(state) * setup_.slots() + setup_.slot(state));
            houdayer_counts_.clusters[at] += sites[i] > 0;
            houdayer_counts_.sites[at] += sites[i];
        }
    }
    VectorGroup<T>& group(std::int64_t state) {
        return groups_[static_cast<std::size_t>(state / groups_.front().count())];
    }
    std::vector<std::uint64_t> take_own_renewed() override {
        return std::exchange(renewed_, std::vector<std::uint64_t>(renewed_.size()));
    }
    std::vector<std::int64_t> own_sums() const override;
    void put_widths(const std::vector<double>& widths) override {
        for (auto& group : groups_) group.set_widths(widths);
    }
    void put_betas(const std::vector<double>&) override {
        for (auto& group : groups_) group.set_betas(setup_);
    }
    void put_field(double field) override { constants_.field = static_cast<T>(field); }
    void run_sweeps(VectorUpdate update, std::int64_t first, int count) override;
    /// Gets the planes of a colour next to the own planes from the neighbours.
    void exchange_halos(int colour);

    VectorTask<T> task_of(VectorGroup<T>& group, std::int64_t chunk) const {
        VectorTask<T> task{};
        task.group = group.view();
        task.constants = constants_;
        task.terms = terms_;
        task.components = setup_.components();
        const std::int64_t first = std::int64_t{setup_.L} * setup_.halo_planes();
        task.first_row = static_cast<int>(first + rows_ * chunk / chunks_);
        task.end_row = static_cast<int>(first + rows_ * (chunk + 1) / chunks_);
        task.key = key_;
        return task;
    }

    SimdLevel level_;
    const VectorKernels& kernels_;
    mutable ThreadPool pool_;
    mutable std::vector<VectorGroup<T>> groups_;
    std::vector<std::uint64_t> renewed_;  ///< (state)
    HoudayerCounts houdayer_counts_{setup_.realizations, setup_.slots()};
    std::int64_t rows_, chunks_;  ///< own rows; parts of them
    bool by_rows_;
    VectorConstants<T> constants_;
    VectorTerms terms_;
    std::uint64_t key_ = setup_.key();
};

}  // namespace

std::unique_ptr<VectorEnsemble> make_vector_ensemble_cpu(const VectorSetup& setup, int threads,
                                                         Ranks& ranks) {
    if (setup.precision != Precision::twofold)
        return std::make_unique<VectorEnsembleCpu<float>>(setup, threads, ranks);
    return std::make_unique<VectorEnsembleCpu<double>>(setup, threads, ranks);
}

namespace {

template <class T>
void VectorEnsembleCpu<T>::run_sweeps(VectorUpdate update, std::int64_t first, int count) {
    const auto groups = static_cast<std::int64_t>(groups_.size());
    std::vector<std::vector<std::uint64_t>> renewed(static_cast<std::size_t>(groups * chunks_));
    struct HalfSweep {
        std::int64_t sweep;
        int colour, tile_colour;
    };
    const auto half_sweep = [&](std::int64_t i, const HalfSweep& half) {
        VectorGroup<T>& group = groups_[static_cast<std::size_t>(i / chunks_)];
        AlignedVector<LaneOf<T>> of_columns(static_cast<std::size_t>(group.stride()));
        VectorTask<T> task = task_of(group, i % chunks_);
        task.update = update, task.colour = half.colour, task.sweep = static_cast<std::uint64_t>(half.sweep);
        task.tile = setup_.tile, task.tile_colour = half.tile_colour;
        task.renewed = of_columns.data();
        kernels_.sweep(task);
        auto& to = renewed[static_cast<std::size_t>(i)];
        to.resize(static_cast<std::size_t>(group.count()));
        group.add_by_state(of_columns.data(), to.data());
    };
    const auto in_order = [&](const auto& f) {
        for (std::int64_t sweep = first; sweep < first + count; sweep += setup_.hits) {
            const FirstColours begin = first_colours(setup_.tile_order, sweep / setup_.hits);
            for (int tiles = 0; tiles < (setup_.tile > 0 ? 2 : 1); ++tiles)
                for (int hit = 0; hit < setup_.hits; ++hit)
                    for (int colour = 0; colour < 2; ++colour)
                        f(HalfSweep{sweep + hit, colour ^ begin.sites, tiles ^ begin.tiles});
        }
    };
    if (by_rows_)
        in_order([&](const HalfSweep& half) {
            pool_.for_each(groups * chunks_, [&](std::int64_t i, int) { half_sweep(i, half); });
            exchange_halos(half.colour);
        });
    else
        pool_.for_each(groups, [&](std::int64_t i, int) {
            in_order([&](const HalfSweep& half) { half_sweep(i, half); });
        });
    if (update == VectorUpdate::over_relaxation) return;
    for (std::int64_t i = 0; i < groups * chunks_; ++i) {
        const std::int64_t state = groups_[static_cast<std::size_t>(i / chunks_)].first();
        const auto& of = renewed[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < of.size(); ++k) renewed_[static_cast<std::size_t>(state) + k] += of[k];
    }
}

template <class T>
void VectorEnsembleCpu<T>::exchange_halos(int colour) {
    if (!setup_.is_slab()) return;
    const int first = setup_.halo_planes(), end = first + setup_.own_planes();
    const auto for_each_part = [&](int plane, auto f) {
        for (auto& group : groups_)
            for (int k = 0; k < setup_.components(); ++k) f(group.plane(k, colour, plane));
    };
    std::vector<T> to_below, to_above;
    for_each_part(first, [&](auto part) { to_below.insert(to_below.end(), part.begin(), part.end()); });
    for_each_part(end - 1, [&](auto part) { to_above.insert(to_above.end(), part.begin(), part.end()); });
    std::vector<T> from_below(to_below.size()), from_above(to_above.size());
    ranks().start_exchange({std::as_bytes(std::span(to_below)), std::as_bytes(std::span(to_above)),
                            std::as_writable_bytes(std::span(from_below)),
                            std::as_writable_bytes(std::span(from_above))});
    ranks().finish_exchange();
    auto below = from_below.begin(), above = from_above.begin();
    const auto put = [](auto part, auto& from) {
        std::copy_n(from, part.size(), part.begin());
        from += std::ssize(part);
    };
    for_each_part(first - 1, [&](auto part) { put(part, below); });
    for_each_part(end, [&](auto part) { put(part, above); });
}

template <class T>
std::vector<std::int64_t> VectorEnsembleCpu<T>::own_sums() const {
    const auto tasks = static_cast<std::int64_t>(groups_.size()) * chunks_;
    std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(tasks));  // (task)(sum, state)
    pool_.for_each(tasks, [&](std::int64_t i, int) {
        VectorGroup<T>& group = groups_[static_cast<std::size_t>(i / chunks_)];
        AlignedVector<std::uint64_t> of_columns(static_cast<std::size_t>(vector_sums * group.stride()));
        const VectorTask<T> rows = task_of(group, i % chunks_);
        kernels_.sums({rows, units_, of_columns.data()});
        auto& to = found[static_cast<std::size_t>(i)];
        to.resize(static_cast<std::size_t>(vector_sums * group.count()));
        for (int sum = 0; sum < vector_sums; ++sum)
            group.add_by_state(of_columns.data() + sum * group.stride(), to.data() + sum * group.count());
    });
    // Subtract the offset that each number brought.
    const auto sites = static_cast<std::uint64_t>(setup_.own_sites());
    const std::uint64_t energy = sites * RealTraits<double>::bits(units_.energy.offset());
    const std::uint64_t half = sites / 2 * RealTraits<double>::bits(units_.magnetisation.offset());
    std::vector<std::int64_t> integers(static_cast<std::size_t>(setup_.states() * vector_sums));
    for (const auto& group : groups_)
        for (std::int64_t k = 0; k < group.count(); ++k) {
            std::int64_t* const of_state = integers.data() + (group.first() + k) * vector_sums;
            const auto g = static_cast<std::int64_t>(&group - groups_.data());
            for (int sum = 0; sum < vector_sums; ++sum) {
                if (sum >= energy_sums && (sum - energy_sums) % 3 >= setup_.components()) continue;
                std::uint64_t total = 0u - (sum < energy_sums ? energy : half);
                for (std::int64_t c = 0; c < chunks_; ++c)
                    total += found[static_cast<std::size_t>(g * chunks_ + c)]
                                  [static_cast<std::size_t>(sum * group.count() + k)];
                of_state[sum] = static_cast<std::int64_t>(total);
            }
        }
    return integers;
}

}  // namespace
}  // namespace psflip
