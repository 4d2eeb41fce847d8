#pragma once

#include <memory>

#include "sweep/host_ensemble.hpp"
#include "sweep/sites/large_lattice.hpp"
#include "sweep/sites/site_counts.hpp"

namespace psflip {

/// Holds large lattices (Lanes::sites), one for every realization, replica and slot. The shape gives their
/// tiles and hits. A step of a lattice is `hits` sweeps. The lattices are on the CPU or on a GPU; energies
/// for exchanges and measurements are in host memory. Exchanges move temperatures, not spins. Measurements
/// count differences in the words of the lattices (SiteCounter). Slabs use spins as words of realizations
/// instead.
///
/// In slabs, ranks share the updates of each lattice (LargeLattice), one lattice after the other. In d
/// dimensions, each rank has the words of whole lattices: 1/8 byte for a site, and d/8 bytes for its
/// couplings. At the start a rank also has all couplings, d bytes for a site. A rank sets and returns the
/// spins of its slab. For this, all words are sent to all ranks. If ranks share only the sweeps of squares
/// (share_sweeps_only), lattices are whole, and every rank sets and returns all spins.
class SiteEnsemble final : public HostEnsemble, public LatticeCounts {
  public:
    /// The couplings of a ferromagnet may be empty. Errors: as make_ising_ensemble and make_large_lattice;
    /// InputError for absent bonds.
    explicit SiteEnsemble(const BatchSetup& setup);

    /// Returns the backend that has the lattices.
    Backend backend() const override { return on_gpu_ ? Backend::cuda : Backend::cpu; }
    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void set_held_spins(const Spins& held) override;
    Spins held_spins() const override;
    /// first and count must be multiples of Shape::hits.
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) override;
    const std::int64_t* wide_energies() const override {
        return wide_energies_.empty() ? nullptr : wide_energies_.data();
    }
    LatticeCounts* lattice_counts() override { return shape_.is_slab() ? nullptr : this; }
    void count_differences(std::span<const ReplicaPair> pairs, bool diagonals, const Take& take) override;
    void synchronize() const override;
    std::string description() const override;

  private:
    void count_lattices() override;
    void set_start(std::span<const std::int8_t> couplings);
    /// Returns the sums of all lattices.
    std::vector<LatticeSums> sums() const;
    void fill_columns(std::uint64_t* columns) override;
    /// Returns a pointer to the couplings of a whole lattice, (direction, [z,] y, x), in `held`, or for slabs
    /// in `whole`. Collective.
    const std::int8_t* couplings_of(std::span<const std::int8_t> held, std::int64_t realization,
                                    std::vector<std::int8_t>& whole) const;
    /// Return the number of a site of the lattice among the own sites, or (held_site) among the sites of all
    /// held planes. The number is -1 if the site is not one of them.
    std::int64_t own_site(std::int64_t site) const;
    std::int64_t held_site(std::int64_t site) const;
    /// Numbers lattices: slots run fastest, then replicas.
    std::int64_t number(std::int64_t realization, int replica, int slot) const {
        return (realization * shape_.replicas + replica) * shape_.temperatures + slot;
    }
    struct NumberedLattice {
        std::int64_t realization;
        int replica, slot;
        int bit() const { return static_cast<int>(realization % 64); }  ///< in canonical words
    };
    NumberedLattice numbered(std::int64_t lattice) const {
        const std::int64_t pair = lattice / shape_.temperatures;
        return {pair / shape_.replicas, static_cast<int>(pair % shape_.replicas),
                static_cast<int>(lattice % shape_.temperatures)};
    }
    /// Returns the index of the first word of a lattice in site bits (lattice/site_bits.hpp).
    std::int64_t bits_begin(std::int64_t lattice) const;
    /// Returns the index of the first word of a lattice in the array of spins().
    std::int64_t canonical_offset(const NumberedLattice& lattice) const;
    /// Runs task(lattice) for all lattice numbers. If together_, threads share the lattices.
    template <class Task>
    void for_each_lattice(const Task& task) const;

    void count_stack(std::int64_t realization, int slot, std::span<const ReplicaPair> pairs, bool diagonals,
                     SiteCounter& counter, ThreadPool& threads, const Take& take) const;

    bool on_gpu_ = false;
    /// true: each thread works on another lattice. false: all threads work on one lattice after another.
    bool together_ = false;
    std::vector<std::unique_ptr<LargeLattice>> lattices_;
    std::vector<std::int64_t> wide_energies_;  ///< see lane_offset; empty if there are none
};

}  // namespace psflip
