#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lattice/shape.hpp"
#include "model/model.hpp"
#include "slab/ranks.hpp"
#include "slab/sweep_part.hpp"

namespace psflip {

enum class Backend { cpu, cuda };

/// What the user asked for.
struct BackendChoice {
    std::string backend = "auto";  ///< auto, cpu or cuda; auto takes a GPU where one works
    int threads = 0;               ///< CPU threads; 0: all cores this process may use
    int device = 0;                ///< CUDA device number
    std::string kernel = "auto";   ///< of the CUDA backend, and site order, for study; see parse_kernel
    std::string halo = "auto";     ///< how slabs exchange halos: auto, host, mpi or peer; see slab/README.md
};

/// What the proposals of vector spins need (sweep/vector/vector_batch.hpp), (realization, replica, slot)
/// both; empty of Ising spins.
struct MoveState {
    std::vector<double> widths;         ///< of cones
    std::vector<std::int64_t> renewed;  ///< proposals accepted since the widths were tuned last
    bool operator==(const MoveState&) const = default;
};

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

    /// Spins in the canonical form of state files: uint64 (replica, temperature, pack64, z, y, x), without z
    /// in two dimensions, bit b of pack64 p is the batch's realization 64 p + b, bit 1 is spin +1. Bits
    /// beyond the last realization are 0. Of a slab its own planes, (.., w, v, u) in coordinates of the
    /// order. set_spins is collective, spins is not.
    virtual void set_spins(const std::vector<std::uint64_t>& canonical) = 0;
    virtual std::vector<std::uint64_t> spins() const = 0;
    /// The same in the form that runs hold (lattice/site_bits.hpp).
    virtual void set_held_spins(const std::vector<std::uint64_t>& held) { set_spins(held); }
    virtual std::vector<std::uint64_t> held_spins() const { return spins(); }

    /// Checkerboard sweeps by the model's update, number first, ..., first + count - 1 of all lattices (red
    /// sites, then black). Random numbers are those of purpose metropolis, metropolis_bits for share 1, or
    /// replica_bits where lanes are replicas.
    /// May return before the work is done. Collective.
    virtual void sweep(std::int64_t first, int count) = 0;
    /// Sets the inverse temperature of each slot from the next sweep on. Do not call it if temperatures
    /// exchange spins: the tables of exchange keep the old temperatures. Errors: InputError unless there is a
    /// finite number, 0 or more, for every slot.
    void set_betas(const std::vector<double>& betas);
    /// For timings of slabs: the part of its work that sweep() does from here on. Whether kernels write halos
    /// themselves (see SweepPart::halos). The same on all ranks.
    virtual bool limit_sweeps(SweepPart) { return false; }

    /// Brings the energies up to date with the spins, where they are not. Who exchanges spins also exchanges
    /// energies. Collective.
    virtual void compute_energies() = 0;
    /// Energies of the bonds Eb = -sum J s s of whole lattices after compute_energies, in units of
    /// Shape::energy_unit: int32 (replica, temperature, realization). In a field h the energy is E = Eb - h
    /// M.
    virtual std::vector<std::int32_t> energies() const = 0;
    /// Magnetisations M = sum s likewise; only in a field, else empty.
    virtual std::vector<std::int32_t> magnetisations() const { return {}; }

    virtual MoveState moves() const { return {}; }
    virtual void set_moves(const MoveState&) {}

    /// Waits until all work given so far is done; throws EnvironmentError if the device failed.
    virtual void synchronize() const {}

    /// "cpu avx512, 2 threads" or "cuda NVIDIA H200, resident kernel".
    virtual std::string description() const = 0;
    /// CPU threads that work on it.
    virtual int threads() const { return 0; }

  protected:
    /// Takes over checked inverse temperatures.
    virtual void put_betas(const std::vector<double>& betas) = 0;

    Ensemble(const Shape& shape, std::vector<double> betas, std::uint64_t seed, const Model& model,
             Ranks& ranks)
        : shape_(shape),
          betas_(std::move(betas)),
          seed_(seed),
          model_(model),
          key_(model.random_key(seed, shape.L)),
          ranks_(&ranks) {}

    Shape shape_;
    std::vector<double> betas_;
    std::uint64_t seed_;
    Model model_;
    std::uint64_t key_;
    Ranks* ranks_;
};

/// Makes the ensemble on the chosen backend, with spins all -1 until set_spins.
/// couplings: int8 (realization, direction, z, y, x), without z in two dimensions, +1, -1, or 0 where a bond
/// is absent: they decide the bonds, whatever the model. Of a slab: of the sites of its held planes,
/// (realization, direction, w, v, u) in coordinates of the order. betas: per slot, 1 / (k_B T), slot 0 the
/// coldest. Where the shape is a slab, `ranks` have the others, and the call is collective.
/// Realizations with equal couplings need share 1: with shared random numbers they become copies of each
/// other. Throws InputError for a shape out of range (L odd, L < 4, L > 1024, too many temperatures or
/// replicas, share, first_realization not aligned) or of another dimension than the model, for vector spins
/// and real couplings (VectorBatch has them), for temperatures as set_betas, and for absent bonds in lattices
/// that are too large for them; EnvironmentError where the backend is not available or memory does not
/// suffice.
std::unique_ptr<Ensemble> make_ensemble(const BackendChoice& choice, const Shape& shape,
                                        const std::vector<double>& betas, std::uint64_t seed,
                                        const std::vector<std::int8_t>& couplings, const Model& model = {},
                                        Ranks& ranks = single_rank());

/// Throws InputError in plain words where `shape` is not supported.
void check_shape(const Shape& shape);
/// Where bonds are absent: InputError where the lattice is too large for that.
void check_absent_bonds(const Shape& shape);
/// As check_shape, and where there is not one inverse temperature for every slot, or the model is of another
/// dimension or none.
void check_batch(const Shape& shape, const std::vector<double>& betas, const Model& model = {});

/// The backend that was asked for or, if that is left open, one that works; errors as make_ensemble.
Backend choose_backend(const BackendChoice& choice);

}  // namespace psflip
