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
/// memory of one backend, and sweeps them. Lattices may share random numbers, but not energies. One thread at
/// a time may call an ensemble.
///
/// If the shape is a slab, each rank has one slab of every lattice. All ranks call collective functions in
/// the same order. Only the nearest halo planes are fresh when such a function returns.
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
    /// Returns the key of the random numbers (Model::random_key). For the plain glass in three dimensions,
    /// the key is the seed. For all other models, the key is mixed from seed, L and model.
    std::uint64_t key() const { return key_; }
    Ranks& ranks() const { return *ranks_; }

    /// Set or return the spins in the form that runs hold (lattice/spins.hpp), in host memory. Both functions
    /// wait for the device. A slab has its own planes. Both functions are collective, because vector spins
    /// and lattices of `lanes: sites` are gathered from all ranks.
    virtual void set_held_spins(const Spins& held) = 0;
    virtual Spins held_spins() const = 0;

    /// Does the checkerboard sweeps number first, ..., first + count - 1 of all lattices by the update of the
    /// model, red sites before black sites. With Shape::tile, each tile is updated Shape::hits times in turn
    /// (sweep/sites), and first and count must be multiples of Shape::hits. Update, lane coding, share and
    /// kind of spins select the streams of random numbers (random/purposes.hpp). May return before the work
    /// on the device is done. A slab waits for messages of other ranks. Collective. Errors:
    /// std::invalid_argument if first or count is not a multiple of Shape::hits.
    virtual void sweep(std::int64_t first, int count) = 0;
    /// Sets the inverse temperature of each slot from the next sweep on. Do not call it if temperatures
    /// exchange spins, because the tables of exchange keep the old temperatures. Errors: InputError if the
    /// number of values is not the number of slots, or if a value is negative or not finite. For vector spins
    /// and real couplings also InputError if a value is 0.
    void set_betas(const std::vector<double>& betas);

    /// Computes the energies unless they are up to date. An exchange of spins also exchanges
    /// energies. Collective.
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
    /// Makes a Houdayer move in all realizations. Errors: std::logic_error if the ensemble has none (see
    /// check_batch).
    virtual void move_clusters(const HoudayerMove& move);
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
/// Collective if the shape is a slab. Errors: as make_ising_ensemble or VectorBatch.
std::unique_ptr<Ensemble> make_ensemble(const BatchSetup& setup);
/// Makes the ensemble of Ising spins on the chosen backend. All spins are -1 until set_spins. Collective if
/// the shape is a slab. Realizations with equal couplings need share 1, because shared random numbers make
/// copies of them.
/// Errors: as check_batch; InputError for absent bonds in lattices that are too large for them;
/// EnvironmentError if the backend is not available or memory does not suffice.
std::unique_ptr<IsingEnsemble> make_ising_ensemble(const BatchSetup& setup);

/// Checks a shape. L must be even and in the range of config/limits.hpp for its dimension and lane coding.
/// Numbers of temperatures and replicas, share, order and slab must be possible. first_realization must be a
/// multiple of max(share, 32). Errors: InputError.
void check_shape(const Shape& shape);
/// Checks that lattices are small enough for absent bonds (limits::max_diluted_L). Errors: InputError.
void check_absent_bonds(const Shape& shape);
/// Checks a setup of Ising spins. Errors: InputError as check_shape, check_model, check_absent_bonds and
/// set_betas, and in these cases:
/// - the model has another dimension than the shape;
/// - spins are vectors or couplings are real numbers, which VectorBatch simulates;
/// - the update is demon, and demon_sites is not possible, share is above 1, bonds are absent that the model
///   does not have, a slab or the sliced order is wanted, or a coding other than Lanes::realizations has a
///   field or absent bonds;
/// - the update is swendsen-wang or wolff, and a coupling is -1, or share above 1, Lanes::replicas, a slab,
///   another site order or tiles are wanted;
/// - Houdayer moves are wanted, and there is one replica, another coding than Lanes::realizations, a slab or
///   the sliced order.
void check_batch(const BatchSetup& setup);

/// Returns the requested backend or, for auto, the one that works. Errors: as make_ising_ensemble.
Backend choose_backend(const BackendChoice& choice);

}  // namespace psflip
