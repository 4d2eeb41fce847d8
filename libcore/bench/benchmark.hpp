#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lattice/shape.hpp"
#include "model/model.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// A model that bench-flip times, by its name.
struct BenchmarkModel {
    std::string name;
    Model model;
};
/// ea3d (the first, the glass without field), ea2d, ferromagnet2d, ferromagnet3d, field2d and field3d (glass
/// in a field of 0.5), diluted2d and diluted3d (glass without 40% of its bonds), diluted-field3d, heatbath3d.
const std::vector<BenchmarkModel>& benchmark_models();

/// What bench-flip times: a batch with random couplings.
struct BenchmarkCase {
    std::string series = "list";  ///< which table or curve it belongs to: list, table, sizes, columns, lanes
    int L = 8;
    int share = 128;
    int replicas = 2;
    int temperatures = 24;              ///< equally spaced between 0.7 and 2.0; a single one is 1.1
    int columns = 1;                    ///< of 128 realizations
    int realizations = 0;               ///< in place of columns, where it is not 0
    Lanes lanes = Lanes::realizations;  ///< realizations or replicas
    std::string model = "ea3d";         ///< one of benchmark_models
    SiteOrder site_order = SiteOrder::standard;
    bool production = false;  ///< with exchanges every 10 sweeps and measurements every 10 exchanges
};

inline constexpr std::uint64_t benchmark_seed = 20261121;

/// Of a case. InputError where there is no such model.
const Model& model_of(const BenchmarkCase& setup);
Shape shape_of(const BenchmarkCase& setup);
std::vector<double> inverse_temperatures(int count);
/// Couplings of the first column, repeated: what is timed does not depend on them.
std::vector<std::int8_t> benchmark_couplings(const BenchmarkCase& setup, int threads);

struct BenchmarkTiming {
    int repeats = 5;       ///< the median is given
    double seconds = 0.3;  ///< of wall time at least, per repeat
};

struct BenchmarkResult {
    BenchmarkCase setup;
    std::string backend;          ///< cpu or cuda
    std::string kernel = "auto";  ///< BackendChoice::kernel, what was asked for
    std::string device;           ///< Ensemble::description(), on the CPU with the processor's name
    int threads = 0;              ///< CPU threads, 0 on CUDA
    double ps_per_flip = 0;       ///< wall time per proposed spin flip, median over repeats
    double spread = 0;            ///< (largest - smallest) / median
};

/// Times one case after the other; cases of equal model, L and columns share their couplings.
class Benchmark {
  public:
    /// Errors as make_ising_ensemble, and InputError for a model that is not there or, in production, not
    /// measured.
    BenchmarkResult time(const BackendChoice& choice, const BenchmarkCase& setup,
                         const BenchmarkTiming& timing);

  private:
    const std::vector<std::int8_t>& couplings(const BenchmarkCase& setup, int threads);

    int L_ = 0;
    std::int64_t realizations_ = 0;
    std::string model_;
    std::vector<std::int8_t> couplings_;
};

}  // namespace psflip
