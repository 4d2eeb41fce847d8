#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Sums over a lattice, in units of the model's energies and of spins of length 1. The same bits on every
/// backend, whatever the order of the sites: each site's share is rounded to a unit of VectorUnits.
struct VectorSums {
    double exchange = 0, dm = 0, anisotropy = 0, field = 0;  ///< energies; these four together are H
    /// Sums of S (sublattice, species, component), sublattice 0 being that of even x + y + z. Of Ising spins
    /// component 0 alone.
    std::array<std::array<std::array<double, 3>, 2>, 2> magnetisation{};

    double energy() const { return exchange + dm + anisotropy + field; }
    /// Sum over sublattices and species; staggered: sublattice 0 less sublattice 1.
    std::array<double, 3> total(bool staggered = false) const;
};

/// The spins of a batch in the memory of one backend, and their sweeps. States as in VectorSetup, independent
/// of one another. All backends, instruction sets and numbers of threads and of ranks give the same bits, but
/// with Precision::fast.
///
/// Several ranks share the sweeps: each renews some planes of every lattice and gets those beside them from
/// the ranks that do, after every half of a sweep. Each holds whole lattices, gives and is given the same
/// ones, and all of them make all calls together, from the thread that has the ranks.
class VectorEnsemble {
  public:
    virtual ~VectorEnsemble() = default;
    virtual Backend backend() const = 0;
    const VectorSetup& setup() const { return setup_; }
    Ranks& ranks() const { return *ranks_; }

    /// Spins (replica, slot, realization, component, z, y, x), without z in two dimensions; given ones are
    /// rounded to the precision of the setup and are of length 1 (Ising: +1 or -1).
    virtual void set_spins(const std::vector<double>& spins) = 0;
    std::vector<double> spins() const;

    /// Widths of the cones, (state), above 0 and at most 2: 1 - cosine of their opening. 2, all directions,
    /// until set. InputError where they are not.
    void set_widths(const std::vector<double>& widths);

    /// Other temperatures, 1 / (k_B T) by slot, and another field h for all sweeps and energies from here on;
    /// random numbers and the units of sums stay. InputError as check_setup, and where |h| is above that of
    /// the setup, which the units of energies are for.
    void set_betas(const std::vector<double>& betas);
    void set_field(double field);

    /// Exchanges the spins of the two states of each pair, of which no state is in two; widths and counts
    /// stay. May return before the work is done.
    virtual void swap_states(const std::vector<StatePair>& pairs) = 0;

    /// Checkerboard sweeps first, ..., first + count - 1 of all states: the sites of even x + y + z, then the
    /// others. Random numbers are those of purpose vector_update. InputError as check_update. May return
    /// before the work is done.
    void sweep(VectorUpdate update, std::int64_t first, int count);

    /// Spins renewed (metropolis, cone: proposals accepted) since it was asked last, (state); over-relaxation
    /// does not count.
    std::vector<std::uint64_t> take_renewed();

    /// (state).
    std::vector<VectorSums> sums() const;

    /// Waits until all work given so far is done.
    virtual void synchronize() const {}
    /// "cpu avx512, 2 threads" or "cuda NVIDIA H200".
    virtual std::string description() const = 0;

  protected:
    VectorEnsemble(const VectorSetup& setup, Ranks& ranks);
    /// InputError unless as many as set_spins asks for.
    void check_spins(const std::vector<double>& spins) const;
    /// The planes that are renewed here; all of them where there is one rank.
    const SlabPlanes& own_planes() const { return planes_; }
    std::int64_t own_sites() const { return std::int64_t{setup_.L} * setup_.L * planes_.count; }

    VectorSetup setup_;

  private:
    /// The sums of a state from its integers.
    VectorSums sums_of(const std::int64_t* integers) const;
    /// Spins of the own planes of all states to all ranks.
    void gather(std::vector<double>& spins) const;
    /// As spins, of which the own planes count.
    virtual std::vector<double> held_spins() const = 0;
    /// As take_renewed and, (state, sum), integers of VectorUnits, of the own planes.
    virtual std::vector<std::uint64_t> take_own_renewed() = 0;
    virtual std::vector<std::int64_t> own_sums() const = 0;
    virtual void put_widths(const std::vector<double>& widths) = 0;
    virtual void put_betas(const std::vector<double>& betas) = 0;
    virtual void put_field(double field) = 0;
    virtual void run_sweeps(VectorUpdate update, std::int64_t first, int count) = 0;

    Ranks* ranks_;
    SlabPlanes planes_;
};

/// InputError where a lattice cannot be shared among so many ranks: of two dimensions, or of too few planes.
void check_vector_ranks(const VectorSetup& setup, const Ranks& ranks);

/// Throws InputError as check_setup and check_vector_ranks and, of several ranks of GPUs, for halos other
/// than through the host, and for Precision::fast on the CPU; EnvironmentError where the backend is not
/// available or memory does not suffice. Spins are undefined until set_spins.
std::unique_ptr<VectorEnsemble> make_vector_ensemble(const BackendChoice& choice, const VectorSetup& setup,
                                                     Ranks& ranks = single_rank());

/// Of sites that follow one another in a row a thread of the GPU has at most so many.
inline constexpr int most_sites_of_thread = 4;

/// Those of the backends; setup was checked. threads 0: all cores this process may use. sites_of_thread: at
/// most so many that follow one another in a row are one thread's, 1, 2 or 4; for study.
std::unique_ptr<VectorEnsemble> make_vector_ensemble_cpu(const VectorSetup& setup, int threads,
                                                         Ranks& ranks = single_rank());
std::unique_ptr<VectorEnsemble> make_vector_ensemble_cuda(const VectorSetup& setup, int device,
                                                          int sites_of_thread = most_sites_of_thread,
                                                          Ranks& ranks = single_rank());

}  // namespace psflip
