#pragma once

// Times lattices that are cut into slabs, for bench-slab: strong and weak scaling.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Describes one case: lattices of size L, cut into slabs. Sweeps are timed without exchanges and
/// measurements.
struct SlabCase {
    int L = 64;
    int slabs = 1;    ///< 1: whole lattices
    int columns = 1;  ///< columns of 128 realizations; with Lanes::replicas realizations
    Lanes lanes = Lanes::realizations;
    int replicas = 4, temperatures = 1, share = 128;
    bool weak = false;                      ///< weak scaling: L grows with the number of slabs
    SiteOrder order = SiteOrder::standard;  ///< site order of slabs
    bool operator==(const SlabCase&) const = default;
    /// Returns the number of realizations whose spins a sweep updates. Lanes without a realization count.
    std::int64_t realizations() const {
        return std::int64_t{columns} * (lanes == Lanes::replicas ? 1 : column_bits);
    }
    /// Returns the number of share groups.
    std::int64_t packs() const { return realizations() / share; }

    /// Returns the proposed flips of one sweep of all lattices.
    double flips() const { return static_cast<double>(realizations()) * replicas * temperatures * L * L * L; }
};

struct SlabResult {
    SlabCase setup;
    std::string halo, kernel;  ///< as requested
    std::string device;        ///< Ensemble::description() of rank 0
    double seconds = 0;        ///< time of a sweep in the slowest rank, median over repeats
    double spread = 0;         ///< (largest - smallest) / median
    double messages = 0;       ///< messages that rank 0 sends to its neighbours in a sweep

    /// Return picoseconds per proposed flip, of the whole machine and of one device. The time for one device
    /// is psFlip_n of Lulli, Bernaschi and Parisi, arXiv:1411.0127, eq. 18. The efficiency of strong scaling
    /// is this time for one slab divided by this time for n slabs.
    double ps_per_flip() const { return seconds / setup.flips() * 1e12; }
    double ps_per_flip_and_device() const { return ps_per_flip() * setup.slabs; }
    /// Returns the number of planes per slab.
    double planes() const { return static_cast<double>(setup.L) / setup.slabs; }
};

/// Returns the choice of a rank. If ranks are threads, rank r uses device choice.device + r, modulo the
/// number of devices.
BackendChoice choice_of_rank(BackendChoice choice, const Ranks& ranks);

/// Calls `work` for this number of slabs. Whole lattices run on the first rank alone. Slabs run on threads of
/// this process, or on the ranks of mpirun, which are as many as the slabs. Collective.
void with_slabs(int slabs, Ranks& ranks, const std::function<void(Ranks&)>& work);

/// Checks a number of slabs. Errors: InputError.
void check_slabs(int slabs);

/// Checks lattices, batch and number of slabs. Not collective. Errors: InputError.
void check_slab_case(const SlabCase& setup);

/// Times sweeps of a case with one slab per rank. Couplings are +1 and the temperature is high, so spins are
/// as random as in a glass. The time of a kernel does not depend on couplings. Ranks use the devices of
/// choice_of_rank. All ranks get the result. Collective. Errors: as check_slab_case and make_ising_ensemble.
SlabResult time_slabs(const BackendChoice& choice, const SlabCase& setup, const BenchmarkTiming& timing,
                      Ranks& ranks);

/// Returns ps_per_flip_and_device of whole lattices on one device, divided by ps_per_flip_and_device of `of`.
/// `results` must have these whole lattices, with the share, columns, replicas and temperatures of `of`.
/// Their size is the size of `of`, or for weak scaling the only other size. Returns 0 if `results` lacks
/// them.
double efficiency(const std::vector<SlabResult>& results, const SlabResult& of);

/// Returns a result as a row of files. The efficiency is null if `results` has no whole lattices for it.
BenchRow slab_row(const std::vector<SlabResult>& results, const SlabResult& of);

}  // namespace psflip
