#pragma once

// Times sweeps of vector spins and measures their lengths, for bench-vector.

#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "slab/ranks.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Describes one case of bench-vector: lattices at one temperature, each with its own disorder.
struct VectorBenchmarkCase {
    /// Names the model. The suffix 2d means two dimensions instead of three.
    /// - ferromagnet
    /// - perovskite: two species, alternating Dzyaloshinskii-Moriya vectors, anisotropy, field, open
    ///   boundaries
    /// - canted: perovskite without anisotropy
    /// - glass: Gaussian couplings
    /// - ising-glass: Ising spins
    std::string model = "ferromagnet";
    VectorUpdate update = VectorUpdate::metropolis;
    Precision precision = Precision::single;
    int L = 64;
    std::int64_t lattices = 1;
    int sites_of_thread = 4;  ///< CUDA only, see make_vector_ensemble_cuda
    double beta = 1.0;
    int tile = 0, hits = 1;  ///< VectorSetup
    TileOrder tile_order = TileOrder::fixed;
};

struct VectorBenchmarkResult {
    VectorBenchmarkCase setup;
    std::string device;      ///< VectorEnsemble::description()
    double ns_per_spin = 0;  ///< wall time per spin update, median over repeats
    double spread = 0;       ///< (largest - smallest) / median
    double renewed = 0;      ///< fraction of updates that were accepted
    double ns_of_sums = 0;   ///< time of VectorEnsemble::sums per spin
    int slabs = 1;
    std::string halo;  ///< as requested
};

/// Returns the names of the models.
const std::vector<std::string>& vector_benchmark_models();

/// Returns whether the model allows this update, precision and tiles (check_update, check_setup).
bool vector_benchmark_can(const VectorBenchmarkCase& setup);

/// Times whole steps of a case with one slab per rank. Ranks use the devices of choice_of_rank. All ranks get
/// the result. Collective. Errors: as make_vector_ensemble, slab_of_rank and check_update; InputError for an
/// unknown model.
VectorBenchmarkResult time_vectors(const BackendChoice& choice, const VectorBenchmarkCase& setup,
                                   const BenchmarkTiming& timing, Ranks& ranks);

/// Holds the deviation of the lengths of spins from 1 after some sweeps: mean and maximum of | |S| - 1 | over
/// all spins.
struct VectorLengths {
    VectorBenchmarkCase setup;
    std::string device;
    std::int64_t sweeps = 0;
    double mean = 0, largest = 0;
};

/// Returns the deviations after 1, 2, 4, ... steps, up to `most` sweeps. Errors: as time_vectors.
std::vector<VectorLengths> vector_lengths(const BackendChoice& choice, const VectorBenchmarkCase& setup,
                                          std::int64_t most);

/// Returns a result as a row of files.
BenchRow vector_row(const VectorLengths& lengths);
BenchRow vector_row(const VectorBenchmarkResult& result);

}  // namespace psflip
