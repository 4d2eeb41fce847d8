#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "slab/peer_halo_cuda.cuh"
#include "sweep/clusters/site_clusters_cuda.cuh"
#include "sweep/sites/large_lattice.hpp"
#include "sweep/sites/sites_cuda.cuh"
#include "sweep/sites/sites_graph_cuda.cuh"

namespace psflip {

/// Holds the device memory of lattices that are made together, for every realization, replica and slot, and
/// advances all of them. One launch updates a colour of all lattices. If lattices are small, each block does
/// all sweeps of one lattice.
class SitesBatch {
  public:
    /// first: setup of the first realization, replica 0 and slot 0. The other setups differ in these and in
    /// beta. kernel: "auto" or a text that requested_plan reads. peers: the ranks that write halos into each
    /// other's memory, or null; they must outlive the batch. Collective if `peers` is not null.
    SitesBatch(const LargeLatticeSetup& first, std::uint32_t realizations, std::uint32_t replicas,
               std::uint32_t slots, int device, const std::string& kernel, Ranks* peers);

    const Stream& stream() const { return stream_; }
    uint4* spins(std::uint32_t place) const {
        return spins_.data() + std::size_t{place} * 2 * args_.colour_words;
    }
    /// Returns null for a ferromagnet.
    uint4* couplings(std::uint32_t realization) const {
        return couplings_.data() + (realization - args_.first_realization) * args_.coupling_words;
    }
    const SitesShape& shape() const { return args_; }
    std::uint32_t lattices() const { return lattices_; }
    /// Returns whether one launch for all lattices saves time.
    bool is_small() const { return args_.colour_words <= 1u << 19 && lattices_ <= 65535; }
    /// Returns what makes cluster updates of any lattice of the batch, or null for other updates.
    const SiteClusters* clusters() const { return clusters_ ? &*clusters_ : nullptr; }
    /// Returns the halos that kernels write, or null if there are none.
    PeerHalo* peers() const { return peers_.get(); }
    /// Returns the links of the next launch, for the lattice at a place.
    PeerLinks next_links(std::uint32_t place) const {
        PeerLinks links = peers_->next_launch(0);
        for (PeerLinks::Neighbour& neighbour : links.at)
            neighbour.spins += std::size_t{place} * 2 * args_.colour_words;
        return links;
    }

    /// Sets the place of each lattice in device memory, (realization, replica, slot), and 1 / T of each slot.
    void set(const std::vector<std::uint32_t>& places, const std::vector<double>& betas);
    /// sums: as SiteClusters::update, for cluster updates.
    void advance(std::uint64_t first_sweep, int steps, ClusterSums* sums = nullptr);
    /// Returns unsatisfied bonds and spins +1 of each lattice, in the order of the places.
    std::vector<std::int64_t> sums();

  private:
    LatticeBlock block_of_each(int device) const;
    void set_betas(const std::vector<double>& betas);
    void launch_step(const TileColours& first, const StepNumbers* of_graph) const;

    LargeLatticeSetup setup_;
    SiteLanes lanes_;
    SweepRule rule_;
    Stream stream_;
    std::uint32_t lattices_;
    BatchArgs args_{};
    ClassArgs table_{};  ///< for the class rule
    ThreadPlan plan_;
    LatticeBlock block_{};  ///< does all steps of one lattice; with 0 threads: not used
    DeviceBuffer<uint4> spins_, couplings_;
    std::unique_ptr<PeerHalo> peers_;  ///< uses spins_
    std::optional<SiteClusters> clusters_;
    DeviceBuffer<std::uint32_t> place_;
    DeviceBuffer<unsigned long long> sums_;
    std::vector<std::uint32_t> places_;
    std::vector<double> betas_;
    /// By number of steps, and by the colour of the first tiles.
    std::map<std::pair<int, std::uint32_t>, std::unique_ptr<StepsGraph>> graphs_;
};

/// Reads the plan of a batch or a lattice from a text WORDSxROWS, such as "4x8" (ThreadPlan). With demons,
/// the rows are the rows of a chain. Errors: InputError for other texts and for plans that do not suit.
ThreadPlan requested_plan(const std::string& kernel, const SitesShape& shape, const SweepRule& rule,
                          int tile);

}  // namespace psflip
