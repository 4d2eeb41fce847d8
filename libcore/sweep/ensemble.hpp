#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lattice/spins.hpp"
#include "sweep/batch_setup.hpp"

namespace psflip {

/// The spins, couplings and energies of one batch (realizations x replicas x temperatures) in the memory of
/// one backend, and their sweeps. Lattices share no energies, but may share random numbers.
///
/// If the shape is a slab, each rank has one slab of every lattice. All ranks call functions marked
/// collective in the same order. Only the nearest halo planes are fresh when such a function returns.
class Ensemble {
  public:
    virtual ~Ensemble() = default;
    virtual Backend backend() const = 0;
    const Shape& shape() const { return shape_; }
    const std::vector<double>& betas() const { return betas_; }
    const Model& model() const { return model_; }
    std::uint64_t seed() const { return seed_; }
    /// Returns the key of the random numbers, Model::random_key.
    std::uint64_t key() const { return key_; }
    Ranks& ranks() const { return *ranks_; }

    /// Sets or returns the spins in the form that runs hold (lattice/spins.hpp). A slab has its own
    /// planes. set_held_spins is collective, held_spins is not.
    virtual void set_held_spins(const Spins& held) = 0;
    virtual Spins held_spins() const = 0;

    /// Does the checkerboard sweeps first to first + count - 1 of all lattices by the update of the
    /// model, red sites before black sites. Lane coding, share and kind of spins decide the purposes of
    /// the random numbers (random/purposes.hpp). May return before the work is done. Collective.
    virtual void sweep(std::int64_t first, int count) = 0;
    /// Sets the inverse temperature of each slot from the next sweep on. Do not call it if temperatures
    /// exchange spins: the tables of exchange keep the old temperatures. Errors: InputError unless every
    /// slot has a finite number, at least 0, and above 0 for vector spins and real couplings.
    void set_betas(const std::vector<double>& betas);

    /// Computes the energies if they do not belong to the spins yet. An exchange of spins also exchanges
    /// energies. Collective.
    virtual void compute_energies() = 0;
    /// Waits until all work so far is done. Errors: EnvironmentError if the device failed.
    virtual void synchronize() const {}

    /// Returns backend, device and kernel: "cpu avx512, 2 threads" or "cuda NVIDIA H200, resident
    /// kernel".
    virtual std::string description() const = 0;
    /// Returns the number of CPU threads, or 0 on a GPU.
    virtual int threads() const { return 0; }

  protected:
    /// Takes over checked inverse temperatures.
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

/// An ensemble of Ising spins with couplings +1, -1 or 0, whose words hold many spins.
class IsingEnsemble : public Ensemble {
  public:
    /// Spins in the canonical form of state files: uint64 (replica, temperature, pack64, z, y, x), without z
    /// in two dimensions. Bit b of pack64 p is the batch's realization 64 p + b; bit 1 is spin +1. Bits
    /// beyond the last realization are 0. A slab has its own planes, (.., w, v, u) in coordinates of the site
    /// order. set_spins is collective, spins is not.
    virtual void set_spins(const std::vector<std::uint64_t>& canonical) = 0;
    virtual std::vector<std::uint64_t> spins() const = 0;
    void set_held_spins(const Spins& held) override { set_spins(held.bits); }
    Spins held_spins() const override { return {spins()}; }

    /// Returns the energies of the bonds Eb = -sum J s s of whole lattices after compute_energies, in
    /// units of Shape::energy_unit: int32 (replica, temperature, realization). Not for lattices with
    /// has_wide_energies. In a field h the energy is E = Eb - h M.
    virtual std::vector<std::int32_t> energies() const = 0;
    /// Returns the magnetisations M = sum s of whole lattices in a field, in the order of energies(), or
    /// an empty vector without a field.
    virtual std::vector<std::int32_t> magnetisations() const { return {}; }

  protected:
    using Ensemble::Ensemble;
};

/// Makes the ensemble of the setup: an IsingEnsemble, or a VectorBatch if BatchSetup::vectors is set. Errors:
/// as make_ising_ensemble or VectorBatch.
std::unique_ptr<Ensemble> make_ensemble(const BatchSetup& setup);
/// Makes the ensemble of Ising spins on the chosen backend. All spins are -1 until set_spins. Collective if
/// the shape is a slab. Realizations with equal couplings need share 1, because shared random numbers make
/// copies of them. Errors: as check_batch; InputError for absent bonds in lattices that are too large for
/// them; EnvironmentError if the backend is not available or memory does not suffice.
std::unique_ptr<IsingEnsemble> make_ising_ensemble(const BatchSetup& setup);

/// Checks a shape: L is even and in the range of config/limits.hpp for its dimension and lane coding; numbers
/// of temperatures and replicas, share, order and slab exist; first_realization is a multiple of max(share,
/// 32). Errors: InputError.
void check_shape(const Shape& shape);
/// Checks that the lattice is small enough for absent bonds (limits::largest_diluted_L). Errors: InputError.
void check_absent_bonds(const Shape& shape);
/// Checks a setup of Ising spins. Errors: InputError as check_shape and set_betas, for a model of another
/// dimension, and for vector spins and real couplings, which VectorBatch simulates.
void check_batch(const BatchSetup& setup);

/// Returns the requested backend or, for auto, one that works. Errors: as make_ising_ensemble.
Backend choose_backend(const BackendChoice& choice);

}  // namespace psflip
