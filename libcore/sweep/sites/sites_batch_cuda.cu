#include "sweep/sites/sites_batch_cuda.cuh"

#include <algorithm>
#include <cstdio>

#include "base/device.hpp"
#include "base/error.hpp"

namespace psflip {

ThreadPlan requested_plan(const std::string& kernel, const SitesShape& shape, const SweepRule& rule,
                          int tile) {
    ThreadPlan plan;
    const bool read = std::sscanf(kernel.c_str(), "%dx%u", &plan.words, &plan.rows) == 2;
    const bool some_words = plan.words == 1 || plan.words == 4 || (plan.words == 2 && tile > 0);
    if (rule.has_demons()) {
        const int rows = site_chains(shape, rule).rows;
        if (!read || !some_words || plan.rows != static_cast<std::uint32_t>(rows))
            throw InputError("the kernel '" + kernel + "' does not suit demons whose chains have " +
                             std::to_string(rows) + " rows; use 4x" + std::to_string(rows) + " or 1x" +
                             std::to_string(rows));
    } else if (!read || !some_words || plan.rows == 0 || shape.ny % plan.rows != 0) {
        throw InputError(
            "the kernel '" + kernel +
            "' does not suit a large lattice; use 4 or 1 words (in tiles also 2) and rows that divide " +
            std::to_string(shape.ny) + ", as in 4x8");
    }
    return plan;
}

namespace {

DeviceBuffer<uint4> spins_buffer(std::size_t words, bool for_peers) {
    return for_peers ? DeviceBuffer<uint4>::for_peers(words, "spins") : DeviceBuffer<uint4>(words, "spins");
}

}  // namespace

SitesBatch::SitesBatch(const LargeLatticeSetup& first, std::uint32_t realizations, std::uint32_t replicas,
                       std::uint32_t slots, int device, const std::string& kernel, Ranks* peers)
    : setup_(first),
      lanes_(first.model.dimension, first.L),
      rule_(sweep_rule(first.model, false)),
      lattices_(realizations * replicas * slots),
      spins_(spins_buffer(static_cast<std::size_t>(lanes_.local_indices()) * lattices_, peers != nullptr)),
      place_(lattices_, "places of lattices"),
      sums_(2 * std::size_t{lattices_}, "sums") {
    args_.row_words = static_cast<std::uint32_t>(lanes_.row_words());
    args_.ny = static_cast<std::uint32_t>(lanes_.extent[1]);
    args_.nz = static_cast<std::uint32_t>(lanes_.extent[2]);
    args_.colour_words = static_cast<std::uint32_t>(lanes_.colour_indices());
    std::copy(lanes_.step.begin(), lanes_.step.end(), args_.step);
    args_.seed = first.model.random_key(first.seed, first.L);
    args_.first_realization = first.realization;
    args_.replicas = replicas;
    args_.slots = slots;
    if (first.model.kind == ModelKind::edwards_anderson) {
        args_.coupling_words = static_cast<std::size_t>(lanes_.dimension * lanes_.local_indices());
        couplings_ = DeviceBuffer<uint4>(args_.coupling_words * realizations, "couplings");
    }
    args_.spins = spins_.data();
    args_.couplings = couplings_.data();
    args_.place = place_.data();
    if (peers) peers_ = std::make_unique<PeerHalo>(*peers, std::vector<uint4*>{spins_.data()});
    if (rule_.has_clusters()) {
        if (kernel != "auto")
            throw InputError("cluster updates of large lattices have one kernel; use --kernel auto");
        clusters_.emplace(lanes_, lattices_, rule_.wolff_clusters > 0, device);
        return;
    }
    if (kernel != "auto") {
        plan_ = requested_plan(kernel, args_, rule_, first.tile);
        return;
    }
    if (rule_.has_demons()) {
        plan_ = plan_sites_demons(args_, rule_, cuda_multiprocessors(device), lattices_);
        return;
    }
    plan_ = first.tile > 0 ? plan_sites_tiled(args_, first.model.dimension, first.tile,
                                              cuda_multiprocessors(device), lattices_)
                           : plan_sites_streaming(args_, cuda_multiprocessors(device), lattices_);
    block_ = block_of_each(device);
}

/// Returns the block of a lattice if blocks are faster than a launch for each colour, else no threads. The
/// microseconds of a sweep were fitted to bursts of ten of 48 and 384 lattices of L = 128 to 1024 in two
/// dimensions and 32 to 96 in three on one H200.
LatticeBlock SitesBatch::block_of_each(int device) const {
    if (!rule_.plain || setup_.tile > 0 || lattices_ == 1) return {};
    const LatticeBlock plan = plan_lattice_block(args_, device);
    if (plan.threads == 0) return {};
    const unsigned processors = static_cast<unsigned>(cuda_multiprocessors(device)),
                   at_once = 512 / plan.threads, wave = processors * at_once;
    const double flips = 256.0 * args_.colour_words, launches = 8.2 + 0.42e-6 * flips * lattices_;
    const auto blocks = [&](unsigned together) {
        return together == 0 ? 0 : 3.9 + 38.5e-6 * flips * together;
    };
    const double resident =
        lattices_ / wave * blocks(at_once) + blocks((lattices_ % wave + processors - 1) / processors);
    return resident < launches ? plan : LatticeBlock{};
}

void SitesBatch::set(const std::vector<std::uint32_t>& places, const std::vector<double>& betas) {
    if (places != places_) place_.upload(places_ = places, stream_.handle);
    if (betas != betas_) set_betas(betas);
}

void SitesBatch::set_betas(const std::vector<double>& betas) {
    betas_ = betas;
    graphs_.clear();
    if (has_classes(rule_)) {
        table_ = class_args(setup_.model, rule_, betas, nullptr, nullptr);
        return;
    }
    for (std::size_t slot = 0; slot < betas.size(); ++slot) {
        const auto thresholds = acceptance_table(setup_.model, rule_, {betas[slot]}, 1).thresholds;
        std::copy(thresholds.begin(), thresholds.end(), args_.thresholds[slot]);
    }
}

void SitesBatch::launch_step(const TileColours& first, const StepNumbers* of_graph) const {
    const BatchStep step{lattices_, of_graph, first};
    if (rule_.has_demons())
        launch_batch_demons(args_, rule_, plan_, step, stream_.handle);
    else if (!rule_.plain)
        launch_batch_class(args_, table_, rule_, step, stream_.handle);
    else if (setup_.tile == 0)
        launch_batch_streaming(args_, rule_.degree, plan_, step, stream_.handle);
    else
        launch_batch_tiled(args_, setup_.model.dimension, setup_.tile, plan_.words,
                           lanes_.odd_lanes(setup_.tile), setup_.hits, step, stream_.handle);
}

void SitesBatch::advance(std::uint64_t first_sweep, int steps, ClusterSums* sums) {
    if (clusters_) {
        const int each = std::max(1, rule_.wolff_clusters);
        const ClusterStep first{args_.seed, wolff_step(static_cast<std::int64_t>(first_sweep), each, 0), 0, 0,
                                args_.first_realization};
        return clusters_->update(args_, first, lattices_, std::int64_t{each} * steps, sums, stream_.handle);
    }
    if (block_.threads > 0)
        return launch_batch_resident(args_, rule_.degree, block_, lattices_, first_sweep, steps,
                                     stream_.handle);
    while (steps > 0) {
        const int n = std::min(steps, StepsGraph::max_steps);
        auto step = static_cast<std::int64_t>(first_sweep) / setup_.hits;
        const auto first = [&](std::int64_t of) { return TileColours::first(setup_.tile_order, of); };
        auto& graph = graphs_[{n, first(step).tiles}];
        if (!graph)
            graph = std::make_unique<StepsGraph>(
                stream_.handle, n, [&](const StepNumbers* numbers) { launch_step(first(step++), numbers); });
        graph->run({}, first_sweep, setup_.hits);
        first_sweep += static_cast<std::uint64_t>(n) * setup_.hits;
        steps -= n;
    }
}

std::vector<std::int64_t> SitesBatch::sums() {
    sums_.zero(stream_.handle);
    launch_batch_sums(args_, setup_.model.dimension, lattices_, sums_.data(), stream_.handle);
    std::vector<std::int64_t> found(sums_.size());
    sums_.download(found, stream_.handle);
    return found;
}

}  // namespace psflip
