#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "base/stream.cuh"
#include "slab/plane_halo_cuda.cuh"
#include "sweep/sites/large_lattice_memory.hpp"
#include "sweep/sites/site_planes.hpp"
#include "sweep/sites/sites_cuda.cuh"
#include "sweep/sites/sites_graph_cuda.cuh"
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

/// Bits of the four planes of a digit of a threshold.
ThresholdBits digit_bits(std::uint32_t threshold, int digit) {
    const std::uint32_t bits = threshold >> (28 - 4 * digit) & 15;
    return {bits >> 3, bits >> 2 & 1, bits >> 1 & 1, bits & 1};
}

void set_thresholds(SitesArgs& args, const std::vector<std::uint32_t>& t) {
    for (int digit = 0; digit < all_digits; ++digit) {
        args.c4[digit] = digit_bits(t[0], digit);
        args.c8[digit] = digit_bits(t[1], digit);
        args.c12[digit] = digit_bits(t.size() > 2 ? t[2] : 0, digit);
        if (digit >= full_digits) continue;
        args.counts[digit] = 0;
        for (std::size_t i = 0; i < t.size(); ++i)
            if (t[i] >> (28 - 4 * digit) & 15) args.counts[digit] = static_cast<int>(i) + 1;
    }
}

/// Of several ranks, each updates its planes of positions, launch after launch, with halos in between.
class LargeLatticeCuda final : public LargeLattice {
  public:
    LargeLatticeCuda(const LargeLatticeSetup& setup, int device, const std::string& kernel, Ranks& ranks)
        : LargeLattice(setup, cuda_device_name(chosen_device(device))),
          ranks_(ranks),
          planes_{lanes(), std::max(1, setup.tile), ranks.size()},
          rule_(sweep_rule(setup.model, false)),
          spins_(static_cast<std::size_t>(lanes().positions()), "spins") {
        if (setup.model.kind == ModelKind::edwards_anderson)
            couplings_ = DeviceBuffer<uint4>(spins_.size() * static_cast<std::size_t>(setup.model.dimension),
                                             "couplings");
        set_args();
        if (kernel != "auto")
            plan_ = asked_plan(kernel);
        else
            plan_ = setup.tile > 0 ? plan_sites_tiled(args_, cuda_multiprocessors(device))
                                   : plan_sites_streaming(args_, cuda_multiprocessors(device));
        const auto words = static_cast<std::uint32_t>(lane_words * lanes().positions());
        launch(start_lattice, dim3(blocks_for(words, threads)), dim3(threads), 0, stream_.handle,
               LatticeStart(setup), words, reinterpret_cast<std::uint32_t*>(spins_.data()),
               reinterpret_cast<std::uint32_t*>(couplings_.data()));
        if (ranks.alone()) return;
        const int first = planes_.first(ranks.rank()), end = planes_.first(ranks.rank() + 1);
        part_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)};
        halo_.emplace(ranks,
                      CpuHalo::Memory{reinterpret_cast<std::byte*>(spins_.data()), 1, 0, first, end,
                                      [this](int colour, int plane) { return planes_.part(colour, plane); }});
    }

    void advance(int steps) override {
        for (; in_graphs() && steps >= StepsGraph::steps; steps -= StepsGraph::steps) run(graph_, {});
        for (; steps > 0; --steps) step();
    }
    LatticeSums sums() const override {
        sums_.zero(stream_.handle);
        launch_sums(sums_.data());
        return downloaded(sums_).front();
    }
    std::vector<LatticeSums> advance_with_sums(int steps) override {
        if (steps == 0) return {};
        DeviceBuffer<unsigned long long> found(2 * static_cast<std::size_t>(steps), "sums");
        found.zero(stream_.handle);
        int i = 0;
        for (; in_graphs() && steps - i >= StepsGraph::steps; i += StepsGraph::steps) {
            run(graph_with_sums_, [&](unsigned long long* to) { launch_sums(to); });
            const auto& sums = graph_with_sums_->sums();
            PSFLIP_CUDA(cudaMemcpyAsync(found.data() + 2 * i, sums.data(), 8 * sums.size(),
                                        cudaMemcpyDeviceToDevice, stream_.handle));
        }
        for (; i < steps; ++i) {
            step();
            launch_sums(found.data() + 2 * i);
        }
        return downloaded(found);
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }

    void set_words(const std::vector<std::uint64_t>& words) override { spins_.upload(words, stream_.handle); }
    std::vector<std::uint64_t> words() const override {
        std::vector<std::uint64_t> words(2 * spins_.size());
        spins_.download(words, stream_.handle);
        if (halo_) planes_.gather(ranks_, words);
        return words;
    }

  private:
    void temperature_changed() override {
        graph_.reset();
        graph_with_sums_.reset();
        args_.slot = setup().slot;
        set_temperature_args();
    }
    void set_coupling_words(int direction, const std::vector<std::uint64_t>& words) override {
        PSFLIP_CUDA(cudaMemcpyAsync(couplings_.data() + direction * lanes().positions(), words.data(),
                                    8 * words.size(), cudaMemcpyHostToDevice, stream_.handle));
        PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle));
    }
    void set_args() {
        args_.spins = spins_.data();
        args_.couplings = couplings_.data();
        args_.row_words = static_cast<std::uint32_t>(lanes().row_words());
        args_.ny = static_cast<std::uint32_t>(lanes().extent[1]);
        args_.nz = static_cast<std::uint32_t>(lanes().extent[2]);
        args_.colour_words = static_cast<std::uint32_t>(lanes().colour_positions());
        std::copy(lanes().step.begin(), lanes().step.end(), args_.step);
        args_.seed = setup().model.random_key(setup().seed, setup().L);
        args_.realization = setup().realization;
        args_.replica = setup().replica;
        args_.slot = setup().slot;
        set_temperature_args();
    }
    void set_temperature_args() {
        if (rule_.plain)
            set_thresholds(args_, acceptance_table(setup().model, rule_, {setup().beta}, 1).thresholds);
        else
            table_ = class_args(setup().model, rule_, {setup().beta}, nullptr, nullptr);
    }
    /// "4x8": words, rows.
    ThreadPlan asked_plan(const std::string& kernel) const {
        ThreadPlan plan;
        const bool read = std::sscanf(kernel.c_str(), "%dx%u", &plan.words, &plan.rows) == 2;
        if (!read || (plan.words != 1 && plan.words != 4 && (plan.words != 2 || setup().tile == 0)) ||
            plan.rows == 0 || args_.ny % plan.rows != 0)
            throw InputError("kernel '" + kernel +
                             "' of a large lattice: 4 or 1 words, in tiles also 2, by rows that divide " +
                             std::to_string(args_.ny) + ", as in 4x8");
        return plan;
    }
    std::uint64_t next_sweep() const { return static_cast<std::uint64_t>(completed_) * setup().hits; }
    void step() {
        if (halo_)
            step_of_part();
        else
            launch_step(nullptr);
        ++completed_;
    }
    /// Behind a half of a step halos are fresh: with tiles both colours have changed.
    void step_of_part() {
        for (std::uint32_t half = 0; half < 2; ++half) {
            if (!rule_.plain)
                launch_sites_class_part(args_, table_, rule_, part_, half, next_sweep(), stream_.handle);
            else if (setup().tile == 0)
                launch_sites_streaming_part(args_, part_, plan_.rows, half, next_sweep(), stream_.handle);
            else
                launch_sites_tiled_part(args_, setup().tile, lanes().odd_lanes(setup().tile), part_, half,
                                        next_sweep(), setup().hits, stream_.handle);
            for (int colour = 0; colour < 2; ++colour)
                if (setup().tile > 0 || colour == static_cast<int>(half))
                    halo_->exchange(colour, stream_.handle);
        }
    }
    void launch_step(const StepNumbers* of_graph) {
        if (!rule_.plain) return launch_sites_class(args_, table_, rule_, next_sweep(), stream_.handle);
        if (setup().tile == 0)
            return launch_sites_streaming(args_, rule_.degree, plan_, next_sweep(), stream_.handle, of_graph);
        for (std::uint32_t colour = 0; colour < 2; ++colour)
            launch_sites_tiled(args_, setup().model.dimension, setup().tile, plan_.words,
                               lanes().odd_lanes(setup().tile), colour, next_sweep(), setup().hits,
                               stream_.handle, of_graph);
    }
    void launch_sums(unsigned long long* to) const {
        if (halo_)
            launch_sites_sums_part(args_, part_, to, stream_.handle);
        else
            launch_sites_sums(args_, setup().model.dimension, to, stream_.handle);
    }
    /// Whether steps are so short that a launch for many of them is worth while.
    bool in_graphs() const { return rule_.plain && !halo_ && args_.colour_words <= 1u << 19; }
    void run(std::unique_ptr<StepsGraph>& graph, const std::function<void(unsigned long long*)>& sums) {
        if (!graph)
            graph = std::make_unique<StepsGraph>(
                stream_.handle, [this](const StepNumbers* numbers) { launch_step(numbers); }, sums);
        graph->run(args_, next_sweep(), setup().hits);
        completed_ += StepsGraph::steps;
    }
    std::vector<LatticeSums> downloaded(const DeviceBuffer<unsigned long long>& found) const {
        std::vector<std::int64_t> numbers(found.size());
        found.download(numbers, stream_.handle);
        if (halo_) ranks_.sum(std::span(numbers));
        std::vector<LatticeSums> sums;
        for (std::size_t i = 0; i < numbers.size(); i += 2)
            sums.push_back(lattice_sums(lanes(), numbers[i], numbers[i + 1]));
        return sums;
    }

    Stream stream_;
    Ranks& ranks_;
    SitePlanes planes_;
    SweepRule rule_;
    ThreadPlan plan_;
    DeviceBuffer<uint4> spins_, couplings_;
    mutable DeviceBuffer<unsigned long long> sums_{2, "sums"};
    SitesArgs args_{};
    ClassArgs table_{};  ///< of the class rule
    std::unique_ptr<StepsGraph> graph_, graph_with_sums_;
    SitesPart part_{};  ///< of several ranks
    std::optional<PlaneHalo> halo_;
};

}  // namespace

std::unique_ptr<LargeLattice> make_large_lattice_cuda(const LargeLatticeSetup& setup, int device,
                                                      const std::string& kernel, Ranks& ranks) {
    if (!setup.model.plain() && setup.tile > 0)
        throw InputError("tiles in a field or with the heat bath are for the CPU: take --backend cpu");
    if (!ranks.alone() && setup.model.dimension != 3)
        throw InputError("several ranks on GPUs share lattices of three dimensions; take --backend cpu");
    return std::make_unique<LargeLatticeCuda>(setup, device, kernel, ranks);
}

}  // namespace psflip
