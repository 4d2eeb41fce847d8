#pragma once

// Times and measures large lattices with `lanes: sites`, for bench-sites.

#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip {

/// Times sweeps of one large lattice with `lanes: sites`, without and with sums after every step. A step is
/// `hits` sweeps. Fields: model, dimension, L, beta, tile, hits, tile_order, update, demon_sites (0: no
/// demons), wolff_clusters (0: no Wolff updates), backend, device, slabs, halo (as requested),
/// messages_per_step, ps_per_flip, spread, ps_per_flip_with_sums, and with Swendsen-Wang
/// ps_per_flip_with_clusters: each step sums its clusters. Each rank has a slab on the device of
/// choice_of_rank. Messages are the messages that this rank sends. Collective. Errors: as make_large_lattice.
BenchRow time_sites(const BackendChoice& choice, const LargeLatticeSetup& setup,
                    const BenchmarkTiming& timing, Ranks& ranks = single_rank());

/// Describes the lattices of a batch in bench-sites.
struct SitesBatchCase {
    int realizations = 1, replicas = 1, temperatures = 1;
    bool apart = false;  ///< for comparison: sweep lattices one after the other
    int lattices() const { return realizations * replicas * temperatures; }
};
/// Times all lattices of a batch at the temperature of `setup`, with the sums of all lattices after every ten
/// steps. Errors: as make_large_lattices.
BenchRow time_sites_batch(const BackendChoice& choice, const LargeLatticeSetup& setup,
                          const SitesBatchCase& batch, const BenchmarkTiming& timing);

/// Holds the lengths of a series of energies and magnetisations.
struct SitesSeries {
    int thermalize = 1000, measured = 10000;  ///< steps
    int blocks = 32;                          ///< blocks of consecutive steps, for errors
};

/// Returns averages over the steps of a lattice: e = bonds / N, C = beta^2 N (<e^2> - <e>^2), m2 = <M^2> /
/// N^2, m4 = <M^4> / N^4, with jackknife errors over blocks. Also returns integrated autocorrelation times of
/// energy and m^2 with errors (autocorrelation_time). Their unit is a sweep. Every step is measured, so no
/// time is below hits / 2. If `series` is given, it receives the sums of every measured step. Errors:
/// InputError as make_large_lattice, and for fewer steps than twice the blocks.
BenchRow measure_sites(const BackendChoice& choice, const LargeLatticeSetup& setup, const SitesSeries& length,
                       std::vector<LatticeSums>* series = nullptr);

}  // namespace psflip
