#pragma once

#include <string>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/benchmark.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// What bench-vector times: lattices of one temperature, each with its own disorder.
struct VectorBenchmarkCase {
    /// ferromagnet; perovskite (two species, alternating Dzyaloshinskii-Moriya vectors, anisotropy, field,
    /// open boundaries); canted (the same without anisotropy); glass (Gaussian couplings); each in three
    /// dimensions, with 2d behind its name in two; ising-glass, ising-glass2d (Ising spins).
    std::string model = "ferromagnet";
    VectorUpdate update = VectorUpdate::metropolis;
    Precision precision = Precision::single;
    int L = 64;
    std::int64_t lattices = 1;
    int sites_of_thread = 4;  ///< of CUDA, see make_vector_ensemble_cuda
};

struct VectorBenchmarkResult {
    VectorBenchmarkCase setup;
    std::string device;      ///< VectorEnsemble::description()
    double ns_per_spin = 0;  ///< wall time per spin that a sweep proposes to renew, median over repeats
    double spread = 0;       ///< (largest - smallest) / median
    double renewed = 0;      ///< share of them that were
    double ns_of_sums = 0;   ///< of a measurement (VectorEnsemble::sums), per spin
};

/// Names of the models.
const std::vector<std::string>& vector_benchmark_models();

/// Whether update and precision are such that the model can have them (check_update, check_setup).
bool vector_benchmark_can(const VectorBenchmarkCase& setup);

/// Errors as make_vector_ensemble and check_update; InputError for a model that is not there.
VectorBenchmarkResult time_vectors(const BackendChoice& choice, const VectorBenchmarkCase& setup,
                                   const BenchmarkTiming& timing);

/// How far lengths of spins are from 1 after a number of sweeps: the mean and the largest of | |S| - 1 | over
/// all spins.
struct VectorLengths {
    VectorBenchmarkCase setup;
    std::string device;
    std::int64_t sweeps = 0;
    double mean = 0, largest = 0;
};

/// After 1, 2, 4, ... sweeps, up to `most`. Errors as time_vectors.
std::vector<VectorLengths> vector_lengths(const BackendChoice& choice, const VectorBenchmarkCase& setup,
                                          std::int64_t most);

/// Returns a result as a row of files.
BenchRow vector_row(const VectorLengths& lengths);
BenchRow vector_row(const VectorBenchmarkResult& result);

}  // namespace psflip
