#include <algorithm>
#include <optional>
#include <utility>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "slab/halo_way.hpp"
#include "slab/staged_halo_cuda.cuh"
#include "sweep/sites/large_lattice_memory.hpp"
#include "sweep/sites/site_planes.hpp"
#include "sweep/sites/sites_batch_cuda.cuh"
#include "sweep/sweep_rule.hpp"

namespace psflip {
namespace {

constexpr int threads = 256;

/// A thread for each word of 32 lanes.
__global__ void __launch_bounds__(threads)
    start_lattice(const __grid_constant__ LatticeStart start, std::uint32_t words, std::uint32_t* spins,
                  std::uint32_t* couplings) {
    const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
    if (i >= words) return;
    const std::int64_t word = i / lane_words;
    const int first = static_cast<int>(32 * (i % lane_words));
    spins[i] = start.spins(word, first);
    if (couplings == nullptr) return;
    std::uint32_t bits[3];
    start.couplings(word, first, bits);
#pragma unroll
    for (int d = 0; d < 3; ++d)
        if (d < start.lanes.dimension) couplings[static_cast<std::size_t>(d) * words + i] = bits[d];
}

/// If there are several ranks, each updates its planes of local indices. Kernels write halos into the memory
/// of the neighbours, or halos travel in messages between the launches.
class LargeLatticeCuda final : public LargeLattice {
  public:
    /// Takes a place of the batch. `first`: the lattice is the first one of its realization. way: how halos
    /// travel (halo_way), empty for one rank.
    LargeLatticeCuda(const LargeLatticeSetup& setup, int device, const std::string& kernel, Ranks& ranks,
                     const std::string& way, std::shared_ptr<SitesBatch> batch, std::uint32_t place,
                     bool first)
        : LargeLattice(setup, cuda_device_name(device) + (way.empty() ? "" : ", halos by " + way)),
          ranks_(ranks),
          planes_{lanes(), std::max(1, setup.tile), ranks.size()},
          rule_(sweep_rule(setup.model, false)),
          batch_(std::move(batch)),
          place_(place),
          first_(first) {
        set_args();
        const int begin = planes_.first(ranks.rank()), end = planes_.first(ranks.rank() + 1);
        part_ = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
        plan_ = planned(device, kernel);
        const auto words = static_cast<std::uint32_t>(lane_words * lanes().local_indices());
        launch(start_lattice, dim3(blocks_for(words, threads)), dim3(threads), 0, stream_,
               LatticeStart(setup), words, reinterpret_cast<std::uint32_t*>(args_.spins),
               first ? reinterpret_cast<std::uint32_t*>(couplings()) : nullptr);
        if (ranks.alone() || batch_->peers()) return;
        halo_.emplace(ranks,
                      CpuHalo::Memory{reinterpret_cast<std::byte*>(args_.spins), 1, 0, begin, end,
                                      [this](int colour, int plane) { return planes_.part(colour, plane); }},
                      way == "mpi");
    }

    void advance(int steps) override {
        if (rule_.has_clusters()) return update_clusters(steps);
        for (; in_graphs() && steps >= StepsGraph::max_steps; steps -= StepsGraph::max_steps)
            run(graphs_[first_colours_of(completed_).tiles], {});
        burst(steps);
    }
    LatticeSums sums() const override {
        sums_.zero(stream_);
        launch_sums(sums_.data());
        return downloaded(sums_).front();
    }
    std::vector<LatticeSums> advance_with_sums(int steps) override {
        if (steps == 0) return {};
        DeviceBuffer<unsigned long long> found(2 * static_cast<std::size_t>(steps), "sums");
        found.zero(stream_);
        int i = 0;
        for (; in_graphs() && steps - i >= StepsGraph::max_steps; i += StepsGraph::max_steps) {
            auto& graph = graphs_with_sums_[first_colours_of(completed_).tiles];
            run(graph, [&](unsigned long long* to) { launch_sums(to); });
            const auto& sums = graph->sums();
            PSFLIP_CUDA(cudaMemcpyAsync(found.data() + 2 * i, sums.data(), 8 * sums.size(),
                                        cudaMemcpyDeviceToDevice, stream_));
        }
        for (; i < steps; ++i) {
            burst(1);
            launch_sums(found.data() + 2 * i);
        }
        return downloaded(found);
    }
    void synchronize() override {
        PSFLIP_CUDA(cudaStreamSynchronize(stream_));
        check_peers();
    }
    void advance_all(Lattices all, int steps) override {
        if (!set_batch(all)) return LargeLattice::advance_all(all, steps);
        std::vector<ClusterSums> sums(cluster_sums() ? all.size() : 0);
        batch_->advance(next_sweep(), steps, sums.empty() ? nullptr : sums.data());
        for (std::size_t i = 0; i < sums.size(); ++i) *all[i]->cluster_sums() = sums[i];
        const std::int64_t completed = completed_ + steps;
        for (const auto& lattice : all) lattice->set_step(completed);
    }
    std::vector<LatticeSums> sums_of_all(Lattices all) const override {
        return set_batch(all) ? sums_of(batch_->sums()) : LargeLattice::sums_of_all(all);
    }

    bool shares_couplings() const override { return !first_; }
    void set_words(const std::vector<std::uint64_t>& words) override {
        copy(args_.spins, words.data(), words.size(), cudaMemcpyHostToDevice);
    }
    std::vector<std::uint64_t> words() const override {
        std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes().local_indices()));
        copy(words.data(), args_.spins, words.size(), cudaMemcpyDeviceToHost);
        check_peers();
        if (!ranks_.alone()) planes_.gather(ranks_, words);
        return words;
    }

  private:
    void temperature_changed() override {
        for (auto& graph : graphs_) graph.reset();
        for (auto& graph : graphs_with_sums_) graph.reset();
        args_.slot = setup().slot;
        set_temperature_args();
    }
    void set_coupling_words(int direction, const std::vector<std::uint64_t>& words) override {
        copy(couplings() + direction * lanes().local_indices(), words.data(), words.size(),
             cudaMemcpyHostToDevice);
    }
    void copy(void* to, const void* from, std::size_t words, cudaMemcpyKind kind) const {
        PSFLIP_CUDA(cudaMemcpyAsync(to, from, 8 * words, kind, stream_));
        PSFLIP_CUDA(cudaStreamSynchronize(stream_));
    }
    uint4* couplings() const { return batch_->couplings(setup().realization); }
    /// Sets the batch of all lattices, of which this is the first. Returns false if lattices are swept one
    /// after the other.
    bool set_batch(Lattices all) const {
        if (all.size() != batch_->lattices() || all.size() == 1 || !ranks_.alone() || !batch_->is_small())
            return false;
        std::vector<std::uint32_t> places;
        std::vector<double> betas;
        for (const auto& lattice : all) {
            places.push_back(static_cast<const LargeLatticeCuda&>(*lattice).place_);
            if (lattice->setup().slot == betas.size()) betas.push_back(lattice->setup().beta);
        }
        batch_->set(places, betas);
        return true;
    }
    ThreadPlan planned(int device, const std::string& kernel) const {
        if (rule_.has_clusters()) return {};
        if (kernel != "auto") return requested_plan(kernel, args_, rule_, setup().tile);
        const int multiprocessors = cuda_multiprocessors(device);
        if (rule_.has_demons()) return plan_sites_demons(args_, rule_, multiprocessors);
        if (setup().tile > 0)
            return plan_sites_tiled(args_, setup().model.dimension, setup().tile, multiprocessors);
        return ranks_.alone()
                   ? plan_sites_streaming(args_, multiprocessors)
                   : plan_sites_part(args_, setup().model.dimension, part_.planes, multiprocessors);
    }
    void set_args() {
        static_cast<SitesShape&>(args_) = batch_->shape();
        args_.spins = batch_->spins(place_);
        args_.couplings = couplings();
        args_.realization = setup().realization;
        args_.replica = setup().replica;
        args_.slot = setup().slot;
        set_temperature_args();
    }
    void set_temperature_args() {
        if (rule_.has_clusters())
            threshold_ = bond_threshold(setup().beta);
        else if (!has_classes(rule_))
            set_thresholds(args_, acceptance_table(setup().model, rule_, {setup().beta}, 1).thresholds);
        else
            table_ = class_args(setup().model, rule_, {setup().beta}, nullptr, nullptr);
    }
    std::uint64_t next_sweep() const { return static_cast<std::uint64_t>(completed_) * setup().hits; }
    void update_clusters(int steps) {
        const int each = std::max(1, rule_.wolff_clusters);
        const ClusterStep first{args_.seed, wolff_step(completed_, each, 0), args_.slot, args_.replica,
                                args_.realization};
        BatchArgs alone{args_, args_.spins, nullptr, 0, nullptr, args_.realization, 1, 1, {}};
        alone.thresholds[0][0] = threshold_;
        batch_->clusters()->update(alone, first, 1, std::int64_t{each} * steps, cluster_sums(), stream_);
        completed_ += steps;
    }
    /// Does some steps. Afterwards all halos are fresh for later work of the stream.
    void burst(int steps) {
        if (steps == 0) return;
        if (rule_.has_clusters()) return update_clusters(steps);
        if (batch_->peers()) batch_->peers()->ready(stream_);
        for (int i = 0; i < steps; ++i, ++completed_) launch_step(first_colours_of(completed_), nullptr);
        if (batch_->peers()) batch_->peers()->settle(stream_);
    }
    TileColours first_colours_of(std::int64_t step) const {
        return TileColours::first(setup().tile_order, step);
    }
    /// Launches both halves of a step. Halos are fresh for the next launch.
    void launch_step(const TileColours& first, const StepNumbers* of_graph) {
        for (std::uint32_t number = 0; number < 2; ++number) {
            const TileColours half{number ^ first.tiles, first.first_sites};
            if (halo_) {
                launch_with_messages(half);
                continue;
            }
            if (const PeerHalo* peers = batch_->peers()) {
                part_.by_peers = true, part_.early = peers->early();
                part_.links = batch_->next_links(place_);
            }
            launch_half(half, part(), stream_, of_graph);
        }
    }
    /// Without tiles, half.tiles is the colour of the sites.
    void launch_half(const TileColours& half, const SitesPart* part, cudaStream_t stream,
                     const StepNumbers* of_graph = nullptr) {
        const std::uint32_t colour = half.tiles;
        if (rule_.has_demons())
            launch_sites_demons(args_, rule_, plan_, colour, next_sweep(), stream, of_graph);
        else if (!rule_.plain)
            launch_sites_class(args_, table_, rule_, part, colour, next_sweep(), stream);
        else if (setup().tile == 0)
            launch_sites_streaming(args_, rule_.degree, plan_, part, colour, next_sweep(), stream, of_graph);
        else
            launch_sites_tiled(args_, setup().model.dimension, setup().tile, plan_.words,
                               lanes().odd_lanes(setup().tile), part, half, next_sweep(), setup().hits,
                               stream, of_graph);
    }
    /// Updates the outermost planes first, so that their messages travel while all other planes are updated.
    /// Tiles change both colours in each half.
    void launch_with_messages(const TileColours& half) {
        const std::vector<int> colours =
            setup().tile > 0 ? std::vector<int>{0, 1} : std::vector<int>{static_cast<int>(half.tiles)};
        const auto [first, planes] = std::pair{part_.first, part_.planes};
        const auto edge = static_cast<std::uint32_t>(planes_.edge);
        const auto launch_planes = [&](std::uint32_t begin, std::uint32_t count, cudaStream_t stream) {
            const SitesPart some{begin, count};
            launch_half(half, &some, stream);
        };
        const cudaStream_t ahead = halo_->begin(stream_);
        const bool has_middle = planes > 2 * edge;
        launch_planes(first, has_middle ? edge : planes, ahead);
        if (has_middle) launch_planes(first + planes - edge, edge, ahead);
        halo_->start(colours);
        if (has_middle) launch_planes(first + edge, planes - 2 * edge, stream_);
        halo_->finish(stream_);
    }
    const SitesPart* part() const { return ranks_.alone() ? nullptr : &part_; }
    void check_peers() const {
        if (batch_->peers()) batch_->peers()->check();
    }
    void launch_sums(unsigned long long* to) const {
        launch_sites_sums(args_, setup().model.dimension, part(), to, stream_);
    }
    /// Whether steps are so short that a launch for many of them is worth while.
    bool in_graphs() const {
        return !has_classes(rule_) && !rule_.has_clusters() && ranks_.alone() &&
               args_.colour_words <= 1u << 19;
    }
    void run(std::unique_ptr<StepsGraph>& graph, const std::function<void(unsigned long long*)>& sums) {
        if (!graph) {
            std::int64_t step = completed_;
            graph = std::make_unique<StepsGraph>(
                stream_, StepsGraph::max_steps,
                [&](const StepNumbers* numbers) { launch_step(first_colours_of(step++), numbers); }, sums);
        }
        graph->run(args_, next_sweep(), setup().hits);
        completed_ += StepsGraph::max_steps;
    }
    std::vector<LatticeSums> downloaded(const DeviceBuffer<unsigned long long>& found) const {
        std::vector<std::int64_t> numbers(found.size());
        found.download(numbers, stream_);
        check_peers();
        if (!ranks_.alone()) ranks_.sum(std::span(numbers));
        return sums_of(numbers);
    }
    std::vector<LatticeSums> sums_of(const std::vector<std::int64_t>& numbers) const {
        std::vector<LatticeSums> sums;
        for (std::size_t i = 0; i < numbers.size(); i += 2)
            sums.push_back(lattice_sums(lanes(), numbers[i], numbers[i + 1]));
        return sums;
    }

    Ranks& ranks_;
    SitePlanes planes_;
    SweepRule rule_;
    std::shared_ptr<SitesBatch> batch_;
    cudaStream_t stream_ = batch_->stream().handle;
    std::uint32_t place_;
    bool first_;
    ThreadPlan plan_;
    mutable DeviceBuffer<unsigned long long> sums_{2, "sums"};
    SitesArgs args_{};
    ClassArgs table_{};                                            ///< of the class rule
    std::uint32_t threshold_ = 0;                                  ///< bond_threshold of cluster updates
    std::unique_ptr<StepsGraph> graphs_[2], graphs_with_sums_[2];  ///< (first tiles of the first step)
    SitesPart part_{};                                             ///< all planes if there is one rank
    std::optional<PlaneHalo> halo_;                                ///< if halos travel in messages
};

}  // namespace

std::vector<std::unique_ptr<LargeLattice>> make_large_lattices_cuda(
    const std::vector<LargeLatticeSetup>& setups, const BackendChoice& choice, Ranks& ranks) {
    const LargeLatticeSetup &setup = setups.front(), &last = setups.back();
    if (!setup.model.plain() && setup.tile > 0)
        throw InputError("GPUs have no tiles in a field or with the heat bath; use --backend cpu");
    const int device = chosen_device(choice.device);
    const std::string way = ranks.alone()
                                ? std::string()
                                : halo_way(ranks, choice.halo, [&] { return peer_hindrance(ranks, device); });
    const std::uint32_t realizations = last.realization - setup.realization + 1,
                        replicas = last.replica - setup.replica + 1, slots = last.slot - setup.slot + 1;
    const auto batch = std::make_shared<SitesBatch>(setup, realizations, replicas, slots, device,
                                                    choice.kernel, way == "peer" ? &ranks : nullptr);
    std::vector<std::unique_ptr<LargeLattice>> lattices;
    for (const LargeLatticeSetup& mine : setups) {
        const auto place = static_cast<std::uint32_t>(lattices.size());
        lattices.push_back(std::make_unique<LargeLatticeCuda>(mine, device, choice.kernel, ranks, way, batch,
                                                              place, place % (replicas * slots) == 0));
    }
    return lattices;
}

}  // namespace psflip
