#pragma once

// Times proposed spin flips of Ising batches, for bench-flip.

#include <cstdint>
#include <string>
#include <vector>

#include "lattice/shape.hpp"
#include "model/model.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Holds a model of bench-flip and its name.
struct BenchmarkModel {
    std::string name;
    Model model;
    double temperature = 0.0;  ///< of all slots; 0: temperatures of the case
};
/// Returns the models of bench-flip:
/// - ea3d, ea2d: the glass without field
/// - ferromagnet2d, ferromagnet3d
/// - field2d, field3d: the glass in a field of 0.5
/// - diluted2d, diluted3d: the glass with 40% absent bonds
/// - diluted-field3d, heatbath3d
/// - swendsen-wang2d, swendsen-wang3d, wolff2d, wolff3d: cluster updates at the critical point
/// - demon2d and others with demons of 16 sites
const std::vector<BenchmarkModel>& benchmark_models();

/// Describes one case of bench-flip: a batch with random couplings.
struct BenchmarkCase {
    std::string series = "list";  ///< one of list, table, sizes, columns, lanes
    int L = 8;
    int share = 128;
    int replicas = 2;
    int temperatures = 24;  ///< number of them, equally spaced from 0.7 to 2.0; a single temperature is 1.1
    int columns = 1;        ///< columns of 128 realizations
    int realizations = 0;   ///< if not 0, the batch size; it replaces `columns`
    Lanes lanes = Lanes::realizations;  ///< realizations or replicas
    std::string model = "ea3d";         ///< one of benchmark_models
    SiteOrder site_order = SiteOrder::standard;
    bool production = false;  ///< with exchanges every 10 sweeps and a measurement every 10 exchanges
};

inline constexpr std::uint64_t benchmark_seed = 20261121;

/// Returns the model of a case. Errors: InputError for an unknown model.
const Model& model_of(const BenchmarkCase& setup);
Shape shape_of(const BenchmarkCase& setup);
std::vector<double> inverse_temperatures(const BenchmarkCase& setup);
/// Returns random couplings of one column, repeated for all columns, because times do not depend on
/// couplings.
std::vector<std::int8_t> benchmark_couplings(const BenchmarkCase& setup, int threads);

struct BenchmarkTiming {
    int repeats = 5;       ///< number of timed repeats; the result is their median
    double seconds = 0.3;  ///< minimum wall time of a repeat
};

struct BenchmarkResult {
    BenchmarkCase setup;
    std::string backend;          ///< "cpu" or "cuda"
    std::string kernel = "auto";  ///< the requested BackendChoice::kernel
    std::string device;           ///< Ensemble::description(); on the CPU also the processor
    int threads = 0;              ///< CPU threads, 0 on CUDA
    double ps_per_flip = 0;       ///< wall time per proposed spin flip, median over repeats
    double spread = 0;            ///< (largest - smallest) / median
};

/// Times cases one after the other. If two successive cases have equal model, L and batch size, they share
/// couplings.
class Benchmark {
  public:
    /// Times one case. Errors: as make_ising_ensemble; InputError for an unknown model, or in production for
    /// a model without measurements.
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
