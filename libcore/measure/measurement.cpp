#include "measure/measurement.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "measure/measurement_cpu.hpp"

namespace psflip {

Accumulators empty_accumulators(const Shape& shape, const Measured& measured, int bins, int histogram_bins,
                                ThreadPool& pool) {
    Accumulators a;
    a.measured = measured;
    a.bins = bins;
    a.replicas = shape.replicas;
    a.temperatures = shape.temperatures;
    a.histogram_bins = histogram_bins;
    a.realizations = shape.realizations;
    const std::int64_t block = shape.temperatures * shape.realizations;
    for (const SumInfo& row : sum_table) {
        if (!row.of(measured)) continue;
        const auto size = static_cast<std::size_t>(bins * a.components(row.sum) * block);
        if (is_integer(row.sum, measured))
            a.integers[int(row.sum)] = large_zeros<std::int64_t>(size, pool);
        else
            a.reals[int(row.sum)] = large_zeros<double>(size, pool);
    }
    a.count.assign(bins, 0);
    if (measured.overlaps) a.histogram.assign(histogram_bins * block, 0);
    if (measured.link_histogram()) a.link_histogram = a.histogram;
    if (!measured.lowest_energies()) return a;
    a.lowest_energy.assign(bins * shape.replicas * shape.realizations, shape.dimension * shape.sites());
    a.lowest_count.assign(a.lowest_energy.size(), 0);
    return a;
}

void Accumulators::restrict_to(const Measured& also) {
    measured = common(measured, also);
    for (const SumInfo& row : sum_table)
        if (!row.of(measured)) {
            integers[int(row.sum)].clear();
            reals[int(row.sum)].clear();
        }
    if (!measured.link_histogram()) link_histogram.clear();
    if (measured.lowest_energies()) return;
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

std::unique_ptr<Measurement> make_measurement(Sampler& sampler, int bins, int histogram_bins,
                                              bool magnetisation) {
    const Measured measured = measured_of(sampler.ensemble().model(), magnetisation);
    const int replicas = sampler.ensemble().shape().replicas;
    if (measured.overlaps && measured.field && replicas > 1 && replicas < min_replicon_replicas)
        throw InputError(
            "the replicon susceptibility of a glass in a field needs four replicas; set replicas to 4, or to "
            "1 for energies and magnetisations alone");
    const View view = sampler.view();
    if (std::holds_alternative<VectorView>(view)) return make_vector_measurement(sampler, measured, bins);
#if PSFLIP_HAVE_CUDA
    if (std::holds_alternative<CudaView>(view))
        return make_cuda_measurement(sampler, measured, bins, histogram_bins);
#endif
    return std::make_unique<CpuMeasurement>(sampler, measured, bins, histogram_bins);
}

}  // namespace psflip
