#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "measure/correlation_kernels_cuda.cuh"
#include "measure/correlations_cuda.hpp"
#include "measure/two_time_kernels_cuda.cuh"

namespace psflip {

struct CudaCorrelations::Memory {
    std::vector<DeviceBuffer<uint4>> earlier;
    DeviceBuffer<std::uint32_t> counts;
    std::vector<std::uint32_t> on_host;  ///< of the same size
};

CudaCorrelations::CudaCorrelations(Sampler& sampler, const Measured& measured, int bins)
    : Correlations(sampler.ensemble().shape(), measured, bins),
      sampler_(sampler),
      memory_(std::make_unique<Memory>()) {
    const CudaView found = view();
    const auto size =
        static_cast<std::size_t>(std::max(2, measured.distances) * shape_.temperatures * shape_.lanes());
    memory_->counts = {size, "counts of distances"};
    memory_->counts.zero(found.stream);
    memory_->on_host.resize(size);
}

CudaCorrelations::~CudaCorrelations() = default;

/// Of the device that is the current one from here on.
CudaView CudaCorrelations::view() const {
    const auto view = std::get<CudaView>(sampler_.view());
    PSFLIP_CUDA(cudaSetDevice(view.device));
    return view;
}

void CudaCorrelations::remember(const std::vector<std::uint64_t>& spins) {
    const auto packed = pack_spins(shape_, SpinLayout::of(shape_, 1), spins);
    memory_->earlier.emplace_back(packed.size() / 2, "spins at a waiting time");
    memory_->earlier.back().upload(packed, view().stream);
}

void CudaCorrelations::remember_present() {
    const CudaView found = view();
    const std::size_t words =
        static_cast<std::size_t>(shape_.columns()) * shape_.replicas * shape_.temperatures * shape_.sites();
    memory_->earlier.emplace_back(words, "spins at a waiting time");
    PSFLIP_CUDA(cudaMemcpyAsync(memory_->earlier.back().data(), found.spins, words * sizeof(uint4),
                                cudaMemcpyDeviceToDevice, found.stream));
}

int CudaCorrelations::remembered() const {
    return static_cast<int>(memory_->earlier.size());
}

std::vector<std::int64_t> CudaCorrelations::bonds() {
    const CudaView found = view();
    std::vector<std::int64_t> bonds(shape_.realizations, shape_.bonds());
    if (!found.bonds) return bonds;
    std::vector<std::int32_t> there(shape_.realizations);
    PSFLIP_CUDA(cudaMemcpyAsync(there.data(), found.bonds, there.size() * sizeof there[0],
                                cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
    std::ranges::transform(there, bonds.begin(),
                           [&](auto n) { return std::int64_t{n} * shape_.energy_unit(); });
    return bonds;
}

/// Rows (temperature; lane) of the counts are added to rows (temperature; realization), and are 0 again.
void CudaCorrelations::add_counts(const CudaView& found, int rows, std::int64_t* to) {
    Memory& m = *memory_;
    const std::int64_t all = std::int64_t{rows} * shape_.temperatures, lanes = shape_.lanes();
    const std::size_t bytes = all * lanes * sizeof m.on_host[0];
    PSFLIP_CUDA(
        cudaMemcpyAsync(m.on_host.data(), m.counts.data(), bytes, cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
    m.counts.zero(found.stream);
    for (std::int64_t row = 0; row < all; ++row)
        for (std::int64_t r = 0; r < shape_.realizations; ++r)
            to[row * shape_.realizations + r] += m.on_host[row * lanes + r];
}

/// Counts of several calls of the kernel stay below 2^32 until they are fetched.
void CudaCorrelations::count_distances(int distances, std::int64_t* counts) {
    const CudaView found = view();
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    const std::int64_t replica_words = shape_.temperatures * shape_.sites(),
                       most = (std::int64_t{1} << 32) / (shape_.dimension * shape_.sites());
    std::int64_t* const first = counts + shape_.temperatures * shape_.realizations;
    std::int64_t waiting = 0;
    const auto add = [&](int pairs, std::initializer_list<int> replicas) {
        if (waiting + pairs >= most) add_counts(found, distances, first), waiting = 0;
        CorrelationArgs args{.replica = {},
                             .replicas = static_cast<int>(replicas.size()),
                             .order = shape_.order,
                             .L = shape_.L,
                             .dimension = shape_.dimension,
                             .distances = distances,
                             .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                             .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                             .columns = static_cast<std::uint32_t>(shape_.columns()),
                             .counts = memory_->counts.data()};
        std::ranges::transform(replicas, args.replica, [&](int r) { return spins + r * replica_words; });
        count_correlations(args, found.stream);
        waiting += pairs;
    };
    if (overlaps() && shape_.replicas == 4 && counts_four_replicas(shape_.L, distances)) {
        add(6, {0, 1, 2, 3});
    } else {
        for (int a = 0; a < shape_.replicas; ++a) {
            if (!overlaps()) add(1, {a});
            for (int b = a + 1; overlaps() && b < shape_.replicas; ++b) add(1, {a, b});
        }
    }
    add_counts(found, distances, first);
}

void CudaCorrelations::count_times(int replica, int earlier, std::int64_t* counts) {
    const CudaView found = view();
    const std::int64_t from = std::int64_t{replica} * shape_.temperatures * shape_.sites();
    count_two_times({.a = reinterpret_cast<const uint4*>(found.spins) + from,
                     .b = memory_->earlier[earlier].data() + from,
                     .absent = reinterpret_cast<const uint4*>(found.absent),
                     .order = shape_.order,
                     .L = shape_.L,
                     .dimension = shape_.dimension,
                     .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                     .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                     .columns = static_cast<std::uint32_t>(shape_.columns()),
                     .counts = memory_->counts.data()},
                    found.stream);
    add_counts(found, 2, counts);
}

}  // namespace psflip
