#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lattice/spins.hpp"
#include "sweep/batch_setup.hpp"

namespace psflip {

/// The spins, couplings and energies of one batch in the memory of one backend, and their sweeps.
/// Realizations x replicas x temperatures, all independent of one another between exchanges.
///
/// Where the shape is a slab, each of the ranks has one of the slabs of every lattice, and functions marked
/// collective are called by all of them, in the same order. The nearest planes of the halos are fresh
/// whenever such a function returns.
class Ensemble {
  public:
    virtual ~Ensemble() = default;
    virtual Backend backend() const = 0;
    const Shape& shape() const { return shape_; }
    const std::vector<double>& betas() const { return betas_; }
    const Model& model() const { return model_; }
    std::uint64_t seed() const { return seed_; }
    /// Of the random numbers: Model::random_key.
    std::uint64_t key() const { return key_; }
    Ranks& ranks() const { return *ranks_; }

    /// The spins in the form that runs hold (lattice/spins.hpp); a slab has its own planes. set_held_spins is
    /// collective, held_spins is not.
    virtual void set_held_spins(const Spins& held) = 0;
    virtual Spins held_spins() const = 0;

    /// Checkerboard sweeps by the model's update, number first, ..., first + count - 1 of all lattices (red
    /// sites, then black). Random numbers are those of purpose metropolis, metropolis_bits for share 1, or
    /// replica_bits where lanes are replicas.
    /// May return before the work is done. Collective.
    virtual void sweep(std::int64_t first, int count) = 0;
    /// Sets the inverse temperature of each slot from the next sweep on. Do not call it if temperatures
    /// exchange spins: the tables of exchange keep the old temperatures. Errors: InputError unless there is a
    /// finite number, 0 or more, for every slot.
    void set_betas(const std::vector<double>& betas);

    /// Computes the energies if they do not belong to the spins yet. An exchange of spins also exchanges
    /// energies. Collective.
    virtual void compute_energies() = 0;
    /// Waits until all work given so far is done; throws EnvironmentError if the device failed.
    virtual void synchronize() const {}

    /// "cpu avx512, 2 threads" or "cuda NVIDIA H200, resident kernel".
    virtual std::string description() const = 0;
    /// CPU threads that work on it.
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

    /// Energies of the bonds Eb = -sum J s s of whole lattices after compute_energies, in units of
    /// Shape::energy_unit: int32 (replica, temperature, realization). In a field h the energy is
    /// E = Eb - h M.
    virtual std::vector<std::int32_t> energies() const = 0;
    /// Magnetisations M = sum s of whole lattices in a field, in the same order; empty without a field.
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

/// Throws InputError for a shape out of range: L odd, below 4 or above 1024, too many temperatures or
/// replicas, an unknown share, or a first realization that is not aligned.
void check_shape(const Shape& shape);
/// Throws InputError if the lattice is too large for absent bonds.
void check_absent_bonds(const Shape& shape);
/// Throws InputError as check_shape and set_betas, for a model of another dimension, and for vector spins and
/// real couplings, which VectorBatch has.
void check_batch(const BatchSetup& setup);

/// Returns the backend that was asked for or, for auto, one that works. Errors: as make_ising_ensemble.
Backend choose_backend(const BackendChoice& choice);

}  // namespace psflip
