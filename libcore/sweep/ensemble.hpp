// Declares the ensemble: the spins of one batch on one backend, their couplings and energies, and their
// sweeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lattice/spins.hpp"
#include "sweep/batch_setup.hpp"

namespace psflip {

/// Holds the spins, couplings and energies of one batch (realizations x replicas x temperatures) in the
/// memory of one backend, and sweeps them. Realizations of a share group share random numbers. Only one
/// thread at a time may call an ensemble.
///
/// If the shape is a slab, each rank has one slab of every lattice. All ranks must call collective functions
/// in the same order. When a collective function returns, only the nearer of the two halo planes on each side
/// is up to date.
class Ensemble {
  public:
    virtual ~Ensemble() = default;
    virtual Backend backend() const = 0;
    const Shape& shape() const { return shape_; }
    /// Returns 1 / (k_B T) of each slot, slot 0 the coldest.
    const std::vector<double>& betas() const { return betas_; }
    const Model& model() const { return model_; }
    /// Returns the seed of the study.
    std::uint64_t seed() const { return seed_; }
    /// Returns the key of the random numbers (random_key, model/model.hpp). For the plain glass in three
    /// dimensions, the key is the seed. For all other models, the key is mixed from seed, L and model.
    std::uint64_t key() const { return key_; }
    Ranks& ranks() const { return *ranks_; }

    /// Set or return the spins as programs keep them between sweeps and in files (lattice/spins.hpp), in host
    /// memory. Both functions wait for the device and are collective. A slab takes or returns its own planes
    /// only. This also holds with `lanes: sites`. There each rank stores the words of whole lattices but
    /// updates only some of them, so both functions send words between all ranks.
    virtual void set_held_spins(const Spins& held) = 0;
    virtual Spins held_spins() const = 0;

    /// Sweeps all lattices `count` times with the update of the model, red sites before black sites. The
    /// sweeps have the numbers first, ..., first + count - 1. With Shape::tile, each tile is updated
    /// Shape::hits times before its neighbours (sweep/sites). Update, lane coding, share and kind of spins
    /// select the streams of random numbers (random/purposes.hpp). May return before the work on the device
    /// is done. A slab waits for messages of other ranks. Collective. Errors: std::invalid_argument if first
    /// or count is not a multiple of Shape::hits.
    virtual void sweep(std::int64_t first, int count) = 0;
    /// Sets the inverse temperature of each slot from the next sweep on. Do not call it if temperatures
    /// exchange spins, because the tables of exchange keep the old temperatures. Errors: InputError if the
    /// number of values is not the number of slots, or if a value is negative or not finite. For vector spins
    /// and real couplings also InputError if a value is 0.
    void set_betas(const std::vector<double>& betas);

    /// Makes a Houdayer move in all realizations. Errors: std::logic_error if this kind of ensemble has no
    /// such moves (see check_houdayer).
    virtual void make_houdayer_move(const HoudayerMove& move);
    /// Returns the clusters and sites of all Houdayer moves of this ensemble, and 0 as HoudayerCounts::moves.
    /// Waits for the device.
    virtual HoudayerCounts houdayer_counts() const { return {shape_.realizations, shape_.temperatures}; }

    /// Sets whether later calls of sweep() sum the clusters of their last sweep (clusters/cluster_sums.hpp).
    /// Only the update swendsen-wang has such sums.
    void sum_clusters(bool summed) { sums_clusters_ = summed; }

    /// Computes the energies unless they are up to date. Exchanges of temperatures keep them up to date.
    /// Collective.
    virtual void compute_energies() = 0;
    /// Waits until all earlier work is done. Errors: EnvironmentError if the device failed.
    virtual void synchronize() const {}

    /// Returns backend, device and kernel, such as "cpu avx512, 2 threads" or "cuda NVIDIA H200, resident
    /// kernel".
    virtual std::string description() const = 0;
    /// Returns the number of CPU threads, or 0 on a GPU.
    virtual int threads() const { return 0; }

  protected:
    /// Takes over inverse temperatures that are already checked.
    virtual void put_betas(const std::vector<double>& betas) = 0;

    explicit Ensemble(const BatchSetup& setup)
        : shape_(setup.shape),
          betas_(setup.betas),
          seed_(setup.seed),
          model_(setup.model),
          key_(model_.random_key(seed_, shape_.L)),
          ranks_(setup.ranks) {}

    Shape shape_;
    std::vector<double> betas_;
    std::uint64_t seed_;
    Model model_;
    std::uint64_t key_;
    Ranks* ranks_;
    bool sums_clusters_ = false;
};

/// Holds Ising spins with couplings +1, -1 or 0. A word holds many spins; the lane coding says which.
class IsingEnsemble : public Ensemble {
  public:
    /// Set or return the spins in the canonical form of state files: uint64 (replica, temperature, pack64, z,
    /// y, x), without z in two dimensions. Bit b of pack64 p is the batch's realization 64 p + b, and a set
    /// bit is spin +1. Bits beyond the last realization are 0. In a slab the array holds its own planes only,
    /// with the axes (.., w, v, u) of the site order. set_spins is collective. spins is collective with
    /// Lanes::sites only.
    virtual void set_spins(const std::vector<std::uint64_t>& canonical) = 0;
    virtual std::vector<std::uint64_t> spins() const = 0;
    void set_held_spins(const Spins& held) override { set_spins(held.bits); }
    Spins held_spins() const override { return {spins()}; }

    /// Returns the energies of the bonds Eb = -sum J s s of whole lattices after compute_energies: int32
    /// (replica, temperature, realization), in units of Shape::energy_unit. In a field h the energy is E = Eb
    /// - h M. Do not call it for lattices with has_wide_energies.
    virtual std::vector<std::int32_t> energies() const = 0;
    /// Returns the magnetisations M = sum s of whole lattices in a field after compute_energies: int32
    /// (replica, temperature, realization). The vector is empty without a field.
    virtual std::vector<std::int32_t> magnetisations() const { return {}; }

  protected:
    using Ensemble::Ensemble;
};

/// Makes the ensemble of the setup: a VectorBatch if BatchSetup::vectors is set, otherwise an IsingEnsemble.
/// Collective. Errors: as make_ising_ensemble or VectorBatch.
std::unique_ptr<Ensemble> make_ensemble(const BatchSetup& setup);
/// Makes the ensemble of Ising spins on the chosen backend. All spins are -1 until set_spins. Collective if
/// the shape is a slab. Realizations with equal couplings need share 1, because shared random numbers would
/// make them copies of each other.
/// Errors: as check_batch and choose_backend. InputError for couplings that the lanes do not allow, for
/// absent bonds in lattices that are too large for them, and for a kernel, halo or number of ranks that does
/// not suit the batch. EnvironmentError if the backend fails or memory does not suffice.
std::unique_ptr<IsingEnsemble> make_ising_ensemble(const BatchSetup& setup);

/// Checks a shape. Errors: InputError if a number is out of range, and in these cases:
/// - L is odd, or not a multiple of limits::site_lanes_multiple with Lanes::sites;
/// - with share 1 and Lanes::realizations, a rank holds more than 2^28 sites of a lattice;
/// - with Lanes::replicas, a whole lattice has more than 2^28 sites, or the words of a realization (all
///   replicas and slots) number more than 2^32;
/// - with has_wide_energies (lattice/site_bits.hpp), there are several temperatures;
/// - lanes are not realizations, and share is above 1 or the site order is not the standard order;
/// - the site order is bitwise and L is not a power of two;
/// - lattices of two dimensions have slabs, or a site order other than the standard order;
/// - the first plane or the number of planes of a slab is odd;
/// - first_realization is not a multiple of max(share, 32).
void check_shape(const Shape& shape);
/// Checks that lattices are small enough for absent bonds (limits::max_diluted_L). Errors: InputError.
void check_absent_bonds(const Shape& shape);
/// Checks a setup of Ising spins. Errors: InputError as check_shape, check_model, check_absent_bonds and
/// set_betas, and in these cases:
/// - the model has another dimension than the shape;
/// - spins are vectors or couplings are real numbers, which VectorBatch simulates;
/// - with the update demon: demon_sites is out of range, share is above 1, the shape is a slab, the order is
///   sliced, or a bond is absent in a model without absent bonds;
/// - with the update demon and lanes that are not realizations: the model has a field or absent bonds;
/// - with the updates swendsen-wang and wolff: a coupling is -1, share is above 1, lanes are replicas, the
///   shape is a slab or has tiles, or the order is not the standard order;
/// - check_houdayer refuses Houdayer moves.
void check_batch(const BatchSetup& setup);
/// Checks that Houdayer moves are possible, if the setup wants them. Errors: InputError for one replica,
/// vector spins, Lanes::sites, several ranks or an order that is not the standard order. For real couplings
/// also for open boundaries, and for Lanes::replicas also for absent bonds.
void check_houdayer(const BatchSetup& setup);

/// Returns the requested backend. For auto, returns the GPU if it works, otherwise the CPU. Errors:
/// InputError for an unknown backend, and for the halos `peer` and `mpi` if the backend is the CPU;
/// EnvironmentError if cuda is requested and does not work.
Backend choose_backend(const BackendChoice& choice);

}  // namespace psflip
