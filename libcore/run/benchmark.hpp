#pragma once

#include <string>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

/// What bench-flip times: a batch with random couplings in equilibrium-like motion.
struct BenchmarkCase {
    int L = 8;
    int share = 128;
    int replicas = 2;
    int temperatures = 24;    ///< between 0.8 and 2.0
    int packs = 1;            ///< columns of 128 realizations
    bool production = false;  ///< with exchanges every 10 sweeps and measurements every 10 exchanges
    int repeats = 5;          ///< the median is given
    double seconds = 0.3;     ///< of wall time at least, per repeat
};

struct BenchmarkResult {
    BenchmarkCase setup;
    std::string backend;     ///< cpu or cuda
    std::string device;      ///< Ensemble::description()
    int threads = 0;         ///< CPU threads, 0 on CUDA
    double ps_per_flip = 0;  ///< wall time per proposed spin flip, median over repeats
    double spread = 0;       ///< (largest - smallest) / median
};

/// Times one case. Errors as make_ensemble.
BenchmarkResult benchmark_flips(const BackendChoice& choice, const BenchmarkCase& setup);

/// The results as a JSON list of objects, with psflip's git commit in each.
std::string benchmark_json(const std::vector<BenchmarkResult>& results);

}  // namespace psflip
