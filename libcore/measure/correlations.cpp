#include "measure/correlations.hpp"

#include <algorithm>

#include "lattice/site_bits.hpp"
#include "measure/correlation_backends.hpp"

namespace psflip {
namespace {

constexpr Sum own_sums[] = {Sum::correlation4, Sum::correlation2, Sum::two_time_overlap, Sum::two_time_link};

}  // namespace

Correlations::Correlations(const Shape& shape, const Measured& measured, int bins) : shape_(shape) {
    sums_.measured = measured;
    sums_.bins = bins;
    sums_.replicas = shape.replicas;
    sums_.temperatures = shape.temperatures;
    sums_.realizations = shape.realizations;
    for (const Sum sum : own_sums)
        if (info(sum).of(measured))
            sums_.integers[int(sum)].assign(
                bins * sums_.components(sum) * shape.temperatures * shape.realizations, 0);
}

void Correlations::set_sums(const Accumulators& from) {
    for (const Sum sum : own_sums)
        if (info(sum).of(sums_.measured)) sums_.integers[int(sum)] = from.integers[int(sum)];
}

void Correlations::measure(int bin) {
    look();
    if (bonds_.empty()) bonds_ = bonds();
    if (sums_.measured.distances > 0) measure_distances(bin);
    for (int number = 0; number < remembered(); ++number) measure_waiting(bin, number);
}

/// Products of two signs are 1 less twice where they differ.
void Correlations::measure_distances(int bin) {
    const int distances = sums_.measured.distances;
    const std::int64_t row = shape_.temperatures * shape_.realizations;
    std::vector<std::int64_t> counts((distances + 1) * row, 0);
    count_distances(distances, counts.data());
    const std::int64_t compared = overlaps() ? shape_.pairs_of_replicas() : shape_.replicas,
                       all = compared * shape_.dimension * shape_.sites();
    std::int64_t* sum = sums_.integers[int(overlaps() ? Sum::correlation4 : Sum::correlation2)].data() +
                        bin * distances * row;
    for (std::int64_t i = 0; i < distances * row; ++i) sum[i] += all - 2 * counts[row + i];
}

void Correlations::measure_waiting(int bin, int number) {
    const std::int64_t row = shape_.temperatures * shape_.realizations, R = shape_.realizations;
    std::vector<std::int64_t> counts(2 * row);
    for (int replica = 0; replica < shape_.replicas; ++replica) {
        std::ranges::fill(counts, 0);
        count_times(replica, number, counts.data());
        const std::int64_t component = std::int64_t{number} * shape_.replicas + replica,
                           at = (bin * std::int64_t{sums_.components(Sum::two_time_link)} + component) * row;
        std::int64_t* overlap = sums_.integers[int(Sum::two_time_overlap)].data() + at;
        std::int64_t* link = sums_.integers[int(Sum::two_time_link)].data() + at;
        for (std::int64_t i = 0; i < row; ++i) {
            overlap[i] += shape_.sites() - 2 * counts[i];
            link[i] += bonds_[i % R] - 2 * counts[row + i];
        }
    }
}

std::unique_ptr<Correlations> make_correlations(Sampler& sampler, const Measured& measured, int bins) {
    if (holds_site_bits(sampler.ensemble().shape())) return make_site_correlations(sampler, measured, bins);
#if PSFLIP_HAVE_CUDA
    if (std::holds_alternative<CudaView>(sampler.view()))
        return make_cuda_correlations(sampler, measured, bins);
#endif
    return make_cpu_correlations(sampler, measured, bins);
}

}  // namespace psflip
