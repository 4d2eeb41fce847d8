#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "slab/ranks.hpp"
#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// Describes one lattice whose subdomains are the lanes of a word. SiteLanes has sizes and layout.
struct LargeLatticeSetup {
    Model model{.kind = ModelKind::ferromagnet, .dimension = 2};  ///< without absent bonds
    int L = 0;                                                    ///< as SiteLanes
    double beta = 0.4;                                            ///< 0 or more
    std::uint64_t seed = 1;         ///< the key of all numbers is Model::random_key
    std::uint32_t realization = 0;  ///< for couplings and random numbers; below max_packs
    std::uint32_t replica = 0, slot = 0;
    bool start_up = false;  ///< all spins are +1 at the start; otherwise they are random
    /// Edge of the tiles of a double checkerboard (Weigel, arXiv:1101.1427); 0: the plain checkerboard. It is
    /// a power of two up to 64 (in three dimensions up to 8) that divides the extents of the subdomains.
    /// Sweeps are twice as fast if subdomains have an even number of tiles along each axis. A step updates
    /// all tiles of one colour, each `hits` times (red sites, then black sites). Then it updates all tiles of
    /// the other colour in this way. Any number of hits has the same equilibrium.
    int tile = 0;
    int hits = 1;  ///< 1 without tiles
    /// With `reversed`, an even step and the odd step after it obey detailed balance together. Every order
    /// has the same equilibrium.
    TileOrder tile_order = TileOrder::fixed;

    double flips_of_step() const {
        return static_cast<double>(L) * L * (model.dimension == 3 ? L : 1) * hits;
    }
};

/// Holds exact sums over a lattice.
struct LatticeSums {
    std::int64_t bonds = 0;          ///< -sum_<ij> J_ij s_i s_j: the energy without a field
    std::int64_t magnetisation = 0;  ///< sum_i s_i
    bool operator==(const LatticeSums&) const = default;
};

/// Checks a setup. Errors: InputError, with possible values, for a setup out of range.
void check_large_lattice(const LargeLatticeSetup& setup);

/// Holds one large lattice on one backend and updates it. Every backend and number of threads gives equal
/// spins. Hit h of step s has the sweep number hits s + h. Every spin has its own random number, of purpose
/// site_bits (random/purposes.hpp), so spins differ from other lane codings. Couplings and the random start
/// are equal in all codings.
///
/// With demons, a chain ends where its subdomain ends: DemonChains of extent[1] rows and extent[2] planes, in
/// local indices. Each lane has different demons, of purpose site_demon.
///
/// Several ranks share the updates. Each rank has some planes of local indices across the last axis, rows in
/// two dimensions, in all subdomains. In every half step, it receives the neighbouring planes. Each rank
/// holds the words of all local indices. All calls are collective, from the thread that uses the ranks. All
/// ranks pass the same arguments, for whole lattices.
class LargeLattice {
  public:
    using Lattices = std::span<const std::unique_ptr<LargeLattice>>;

    virtual ~LargeLattice() = default;
    const LargeLatticeSetup& setup() const { return setup_; }
    const SiteLanes& lanes() const { return lanes_; }
    const std::string& device() const { return device_; }

    /// Does `steps` steps. May return before the work is done.
    virtual void advance(int steps) = 0;
    virtual LatticeSums sums() const = 0;
    /// Does `steps` steps and returns the sums after each.
    virtual std::vector<LatticeSums> advance_with_sums(int steps) = 0;
    virtual void synchronize() {}
    /// Advances all lattices of make_large_lattices, of which this is the first, in their order. Lattices of
    /// a realization may have changed places if they have the slots and temperatures of their new places.
    virtual void advance_all(Lattices all, int steps);
    virtual std::vector<LatticeSums> sums_of_all(Lattices all) const;

    /// Sets where advance() and advance_all() write the sums of the clusters of their last step, in host
    /// memory; null: nowhere. Only the update swendsen-wang has such sums.
    void sum_clusters(ClusterSums* sums) { cluster_sums_ = sums; }
    ClusterSums* cluster_sums() const { return cluster_sums_; }
    /// Sets the number of the next step, which is 0 at the start.
    void set_step(std::int64_t step) { completed_ = step; }
    /// Sets the temperature and the slot of the random numbers from the next step on.
    void set_temperature(std::uint32_t slot, double beta);

    /// Set or return the spins as words (word, half) of lanes(), with a set bit for +1. Half h has the lanes
    /// 64 h, ..., 64 h + 63.
    virtual void set_words(const std::vector<std::uint64_t>& words) = 0;
    virtual std::vector<std::uint64_t> words() const = 0;
    /// Returns the words for reading, valid until the next step. The result refers to the memory of the
    /// lattice if that is host memory, and otherwise to `buffer`.
    virtual std::span<const std::uint64_t> look(std::vector<std::uint64_t>& buffer) const {
        return buffer = words();
    }
    /// Set or return the spins +1 or -1, ([z,] y, x), of lattices of up to 2^31 sites.
    void set_spins(const std::vector<std::int8_t>& spins);
    std::vector<std::int8_t> spins() const;
    /// Returns whether the lattice uses the couplings of another lattice that was made with it.
    virtual bool shares_couplings() const { return false; }
    /// Replaces the couplings of the realization by others: +1 or -1, (direction, [z,] y, x). Errors:
    /// InputError for other values, and for -1 in a ferromagnet.
    void set_couplings(const std::int8_t* couplings);

  protected:
    LargeLattice(const LargeLatticeSetup& setup, std::string device)
        : setup_(setup), lanes_(setup.model.dimension, setup.L), device_(std::move(device)) {}

    virtual void temperature_changed() = 0;
    /// Sets the couplings of a direction, in the order of words(), with a set bit for J = -1. Only lattices
    /// with couplings (not ferromagnets) get this call.
    virtual void set_coupling_words(int direction, const std::vector<std::uint64_t>& words) = 0;

    std::int64_t completed_ = 0;  ///< completed steps

  private:
    LargeLatticeSetup setup_;
    SiteLanes lanes_;
    std::string device_;
    ClusterSums* cluster_sums_ = nullptr;
};

/// Checks that the ranks can share a lattice. Errors: InputError if a rank would have no plane of local
/// indices, or no whole tiles.
void check_site_ranks(const SiteLanes& lanes, int tile, int ranks);

/// Makes a lattice on the chosen backend. The ranks must outlive it. Collective. Errors: as
/// check_large_lattice and check_site_ranks; InputError for several ranks with demons or cluster updates;
/// InputError on GPUs for tiles in a field or with the heat bath. InputError as choose_backend and halo_way.
/// EnvironmentError as make_ising_ensemble and halo_way.
std::unique_ptr<LargeLattice> make_large_lattice(const BackendChoice& choice, const LargeLatticeSetup& setup,
                                                 Ranks& ranks = single_rank());

/// Makes one lattice for every realization, replica and slot. `setups` are (realization, replica, slot),
/// slots fastest; realizations are consecutive, replicas and slots begin at 0. They differ only in these
/// numbers and in beta, which belongs to the slot. Collective. Errors: as make_large_lattice; InputError for
/// setups that do not have this form.
std::vector<std::unique_ptr<LargeLattice>> make_large_lattices(const BackendChoice& choice,
                                                               const std::vector<LargeLatticeSetup>& setups,
                                                               Ranks& ranks = single_rank());

}  // namespace psflip
