// Declares the spins of vector models on one backend: the interface that CPU and GPU implement.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Holds sums over a lattice, in units of the model's energies and of spins of length 1. The part of each
/// site is rounded to a multiple of a unit (VectorUnits), so every backend and order of sites gives equal
/// bits.
struct VectorSums {
    double exchange = 0, dm = 0, anisotropy = 0, field = 0;  ///< energies; their sum is H
    /// Sums of S (sublattice, species, component). Sublattice 0 has even x + y + z. Ising spins have
    /// component 0 only.
    std::array<std::array<std::array<double, 3>, 2>, 2> magnetisation{};

    double energy() const { return exchange + dm + anisotropy + field; }
    /// Returns the sum over sublattices and species; staggered: sublattice 0 minus sublattice 1.
    std::array<double, 3> total(bool staggered = false) const;
};

/// Holds the spins of a batch in the memory of one backend, and sweeps them. States, as in VectorSetup, are
/// independent. Except with Precision::fast, all backends, instruction sets and numbers of threads and ranks
/// give equal bits.
///
/// With several ranks, each rank holds a slab of every lattice (slab_of). After every half sweep, a rank
/// receives the planes next to its own planes from the neighbouring ranks. All calls are collective, from the
/// thread that uses the ranks. All ranks pass the same arguments and get the same results, except for spins.
class VectorEnsemble {
  public:
    virtual ~VectorEnsemble() = default;
    virtual Backend backend() const = 0;
    const VectorSetup& setup() const { return setup_; }
    Ranks& ranks() const { return *ranks_; }

    /// Takes spins of the own planes, (replica, slot, realization, component, z, y, x), without z in two
    /// dimensions, of length 1 (Ising: +1 or -1), and rounds them to the precision of the setup.
    virtual void set_spins(const std::vector<double>& spins) = 0;
    virtual std::vector<double> spins() const = 0;
    /// Returns Ising spins of the own planes as canonical words (lattice/packing.hpp), with a set bit for +1.
    virtual std::vector<std::uint64_t> spin_words() const;

    /// Sets the widths of the cones, (state): 1 - cosine of the largest angle to the old direction, min_width
    /// to 2. Widths begin at 2, which allows all directions. Errors: InputError for other widths.
    void set_widths(const std::vector<double>& widths);

    /// Change the temperatures, 1 / (k_B T) by slot, and the field h for all later sweeps and energies.
    /// Random numbers and the units of sums do not change. Errors: InputError as check_setup, and if |h|
    /// exceeds |h| of the setup, which determines the units of energies.
    void set_betas(const std::vector<double>& betas);
    void set_field(double field);

    /// Exchanges the spins of the two states of each pair. No state may be in two pairs. Widths and counts of
    /// renewed spins stay with the state. May return before the work is done.
    virtual void swap_states(const std::vector<StatePair>& pairs) = 0;

    /// Makes a Houdayer move of Ising spins, in all realizations. All bonds of the periodic lattice are
    /// present, because real couplings are not 0. May return before the work is done. Errors:
    /// std::logic_error for vectors, open boundaries or several ranks.
    void make_houdayer_move(const HoudayerMove& move);
    /// See Ensemble::houdayer_counts.
    virtual HoudayerCounts houdayer_counts() const = 0;

    /// Does checkerboard sweeps first, ..., first + count - 1 of all states: the sites of even x + y + z,
    /// then the others, with random numbers of purpose vector_update. With tiles, VectorSetup::hits sweeps
    /// are a step: all tiles of one colour are updated `hits` times, then the other tiles. May return before
    /// the work is done. Errors: as check_update; std::invalid_argument if first or count is not a multiple
    /// of VectorSetup::hits.
    void sweep(VectorUpdate update, std::int64_t first, int count);

    /// Returns the number of spins of each state that were renewed since the last call (VectorOutcome).
    /// Over-relaxation does not count.
    std::vector<std::uint64_t> take_renewed();

    /// Return the sums of each state, after all work is done. Integers have the axes (state, sum), and
    /// sums_of and energy_of take the vector_sums integers of one state. energy_of returns the energy of
    /// sums_of.
    std::vector<VectorSums> sums() const;
    std::vector<std::int64_t> integer_sums() const;
    VectorSums sums_of(const std::int64_t* integers) const;
    double energy_of(const std::int64_t* integers) const;

    /// Waits until all work so far is done.
    virtual void synchronize() const {}
    /// Returns backend and device, such as "cpu avx512, 2 threads" or "cuda NVIDIA H200".
    virtual std::string description() const = 0;

  protected:
    VectorEnsemble(const VectorSetup& setup, Ranks& ranks);
    /// Checks the number of spins. Errors: InputError if it is wrong.
    void check_spins(const std::vector<double>& spins) const;
    VectorSetup setup_;
    VectorUnits units_;  ///< of integer sums

    /// Returns the site at which the move of a pair of states begins.
    std::uint32_t first_of_cluster(const StatePair& pair, std::int64_t completed, std::uint64_t key) const;

  private:
    /// Moves the clusters of pairs of states of one realization and slot. No state is in two pairs.
    virtual void swap_clusters(const std::vector<StatePair>& pairs, std::int64_t completed) = 0;
    /// Return take_renewed of the own planes, and their sums in units of VectorUnits, (state, sum).
    virtual std::vector<std::uint64_t> take_own_renewed() = 0;
    virtual std::vector<std::int64_t> own_sums() const = 0;
    virtual void put_widths(const std::vector<double>& widths) = 0;
    virtual void put_betas(const std::vector<double>& betas) = 0;
    virtual void put_field(double field) = 0;
    virtual void run_sweeps(VectorUpdate update, std::int64_t first, int count) = 0;

    Ranks* ranks_;
};

/// Returns the setup of this rank's slab, or of whole lattices for one rank. Errors: InputError in two
/// dimensions, or for too few planes.
VectorSetup slab_of_rank(VectorSetup whole, const Ranks& ranks);

/// Makes the ensemble on the chosen backend. With several ranks, `setup` is the slab of this rank. Spins are
/// undefined until set_spins. Collective. Errors: InputError as check_setup, and for Precision::fast on the
/// CPU; EnvironmentError if the backend is not available or memory does not suffice; as halo_way.
std::unique_ptr<VectorEnsemble> make_vector_ensemble(const BackendChoice& choice, const VectorSetup& setup,
                                                     Ranks& ranks = single_rank());

/// Maximum number of consecutive sites of a row that one thread of the GPU renews.
inline constexpr int max_sites_of_thread = 4;

/// Make the ensembles of the backends. The caller has checked the setup. threads: 0 takes all cores that this
/// process may use. sites_of_thread: maximum number of consecutive sites of a thread, 1, 2 or 4; for
/// benchmarks. halo: as for halo_way.
std::unique_ptr<VectorEnsemble> make_vector_ensemble_cpu(const VectorSetup& setup, int threads,
                                                         Ranks& ranks = single_rank());
std::unique_ptr<VectorEnsemble> make_vector_ensemble_cuda(const VectorSetup& setup, int device,
                                                          int sites_of_thread = max_sites_of_thread,
                                                          Ranks& ranks = single_rank(),
                                                          const std::string& halo = "auto");

}  // namespace psflip
