#include "measure/measurement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "measure/measurement_cpu.hpp"
#if PSFLIP_HAVE_CUDA
#include "measure/measurement_cuda.hpp"
#endif

namespace psflip {

Accumulators empty_accumulators(const Shape& shape, int bins, int histogram_bins) {
    Accumulators a;
    a.bins = bins;
    a.replicas = shape.replicas;
    a.pairs = shape.pairs_of_replicas();
    a.temperatures = shape.temperatures;
    a.histogram_bins = histogram_bins;
    a.realizations = shape.realizations;
    const std::int64_t block = shape.temperatures * shape.realizations;
    for (int i = 0; i < n_sums; ++i) {
        const auto size = static_cast<std::size_t>(bins * a.components(Sum(i)) * block);
        if (sum_table[i].integer)
            a.integers[i].assign(size, 0);
        else
            a.reals[i].assign(size, 0.0);
    }
    a.count.assign(bins, 0);
    a.histogram.assign(histogram_bins * block, 0);
    a.link_histogram = a.histogram;
    a.lowest_energy.assign(bins * shape.replicas * shape.realizations, 3 * shape.sites());
    a.lowest_count.assign(a.lowest_energy.size(), 0);
    return a;
}

void Accumulators::drop_later() {
    for (int i = 0; i < n_sums; ++i)
        if (sum_table[i].later) {
            integers[i].clear();
            reals[i].clear();
        }
    link_histogram.clear();
    lowest_energy.clear();
    lowest_count.clear();
}

std::vector<double> fourier_table(int L) {
    std::vector<double> table(2 * L);
    for (int x = 0; x < L; ++x) {
        table[x] = std::cos(2 * std::numbers::pi * x / L);
        table[L + x] = std::sin(2 * std::numbers::pi * x / L);
    }
    return table;
}

std::unique_ptr<Measurement> make_measurement(Evolution& evolution, int bins, int histogram_bins) {
    const Model& model = evolution.ensemble().model();
    if (model.dimension != 3 || model.field != 0.0)
        throw InputError(
            fmt::format("measurements {} are not there yet: only those of three dimensions "
                        "without field",
                        model.dimension != 3 ? "in two dimensions" : "in a field"));
#if PSFLIP_HAVE_CUDA
    if (evolution.ensemble().backend() == Backend::cuda)
        return std::make_unique<CudaMeasurement>(evolution, bins, histogram_bins);
#endif
    return std::make_unique<CpuMeasurement>(evolution, bins, histogram_bins);
}

}  // namespace psflip
