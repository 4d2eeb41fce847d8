#pragma once

#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip {

/// Time of a flip of one large lattice whose boxes are the lanes of a word, without and with sums after every
/// step. Fields: model, dimension, L, beta, tile, hits, backend, device, ps_per_flip, spread,
/// ps_per_flip_with_sums. Errors as make_large_lattice.
BenchRow time_sites(const BackendChoice& choice, const LargeLatticeSetup& setup,
                    const BenchmarkTiming& timing);

/// Lattices of a batch, and how bench-sites takes them.
struct SitesBatchCase {
    int realizations = 1, replicas = 1, temperatures = 1;
    bool apart = false;  ///< one lattice after the other, for comparison
    int lattices() const { return realizations * replicas * temperatures; }
};
/// The same of all lattices of a batch at the temperature of `setup`; the sums of all are taken after every
/// ten steps. Errors as make_large_lattices.
BenchRow time_sites_batch(const BackendChoice& choice, const LargeLatticeSetup& setup,
                          const SitesBatchCase& batch, const BenchmarkTiming& timing);

/// What a series of energies and magnetisations is made of.
struct SitesSeries {
    int thermalize = 1000, measured = 10000;  ///< steps
    int blocks = 32;                          ///< of consecutive steps, for errors
};

/// Averages over the steps of a lattice: e = bonds / N, C = beta^2 N (<e^2> - <e>^2), m2 = <M^2> / N^2,
/// m4 = <M^4> / N^4, each with an error by the jackknife over blocks; integrated autocorrelation times of the
/// energy and of m^2 in units of single updates (hits times steps), 1/2 + the sum of the normalised
/// autocorrelations up to six times itself, with their errors. A measurement per step: no time is below hits
/// / 2. `series`, where given, gets the sums of every measured step. InputError as make_large_lattice, and
/// for fewer steps than twice the blocks.
BenchRow measure_sites(const BackendChoice& choice, const LargeLatticeSetup& setup, const SitesSeries& length,
                       std::vector<LatticeSums>* series = nullptr);

}  // namespace psflip
