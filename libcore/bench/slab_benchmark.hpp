#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// One lattice size on a number of slabs. Sweeps alone, without exchanges and measurements.
struct SlabCase {
    int L = 64;
    int slabs = 1;    ///< 1: whole lattices
    int columns = 1;  ///< of 128 realizations
    int replicas = 4, temperatures = 1, share = 128;
    bool weak = false;  ///< one of a series in which L grows with the number of slabs
    bool operator==(const SlabCase&) const = default;
    /// That have random numbers of their own.
    int packs() const { return columns * (column_bits / share); }

    /// In one sweep of all lattices.
    double flips() const {
        return 128.0 * columns * replicas * temperatures * L * L * static_cast<double>(L);
    }
};

struct SlabResult {
    SlabCase setup;
    std::string halo, kernel;  ///< as asked for
    std::string device;        ///< Ensemble::description() of rank 0
    double seconds = 0;        ///< of a sweep: median over repeats of the slowest rank's wall time
    double spread = 0;         ///< (largest - smallest) / median

    /// Picoseconds per proposed flip, of the machine as a whole, and of each device: the latter is psFlip_n
    /// of Lulli, Bernaschi and Parisi, arXiv:1411.0127, eq. 18, so that the ratio of that of one slab to it
    /// is the efficiency of strong scaling.
    double ps_per_flip() const { return seconds / setup.flips() * 1e12; }
    double ps_per_flip_and_device() const { return ps_per_flip() * setup.slabs; }
    /// Planes of a slab.
    double planes() const { return static_cast<double>(setup.L) / setup.slabs; }
};

/// InputError where lattices, batch or number of slabs are none that can be. Local.
void check_slab_case(const SlabCase& setup);

/// Times sweeps of the case's slabs, one for each of the ranks, which are as many. Couplings are +1 and the
/// temperature is high, so that spins are as random as those of a glass; no kernel takes another path for
/// them. Where ranks are threads, rank r takes the r-th device from choice.device on, as many as there are.
/// Collective; the result is that of all ranks. Errors as check_slab_case and make_ising_ensemble.
SlabResult time_slabs(const BackendChoice& choice, const SlabCase& setup, const BenchmarkTiming& timing,
                      Ranks& ranks);

/// Returns the time per flip and device of whole lattices on one device over that of `of`. It takes whole
/// lattices of `results` with the same share, columns, replicas and temperatures. They have the same size or,
/// for weak scaling, the only other one. Returns 0 if there are none.
double efficiency(const std::vector<SlabResult>& results, const SlabResult& of);

/// Returns a result as a row of files. Its efficiency is null if `results` has no whole lattices for it.
BenchRow slab_row(const std::vector<SlabResult>& results, const SlabResult& of);

}  // namespace psflip
