#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "measure/correlations_cuda.hpp"
#include "measure/distance_kernels_cuda.cuh"

namespace psflip {

struct CudaCorrelations::Memory {
    std::vector<DeviceBuffer<uint4>> earlier;
    DeviceBuffer<std::uint32_t> counts;
    std::vector<std::uint32_t> on_host;  ///< of the same size
};

CudaCorrelations::CudaCorrelations(Evolution& evolution, const Measured& measured, int bins)
    : Correlations(evolution.ensemble().shape(), measured, bins),
      evolution_(evolution),
      memory_(std::make_unique<Memory>()) {
    view();
    const auto size = static_cast<std::size_t>((std::max(1, measured.distances) + 1) * shape_.temperatures *
                                               shape_.lanes());
    memory_->counts = {size, "counts of distances"};
    memory_->on_host.resize(size);
}

CudaCorrelations::~CudaCorrelations() = default;

/// Of the device that is the current one from here on.
CudaView CudaCorrelations::view() const {
    const auto view = std::get<CudaView>(evolution_.view());
    PSFLIP_CUDA(cudaSetDevice(view.device));
    return view;
}

void CudaCorrelations::remember(const std::vector<std::uint64_t>& spins) {
    const auto packed = pack_spins(shape_, SpinLayout::of(shape_, 1), spins);
    memory_->earlier.emplace_back(packed.size() / 2, "spins at a waiting time");
    memory_->earlier.back().upload(packed, view().stream);
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

void CudaCorrelations::count(const SpinComparison& compared, int distances, bool bonds,
                             std::int64_t* counts) {
    const CudaView found = view();
    Memory& m = *memory_;
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    const std::int64_t replica_words = shape_.temperatures * shape_.sites();
    const uint4* const other = compared.with == SpinComparison::With::up ? nullptr
                               : compared.with == SpinComparison::With::replica
                                   ? spins + compared.other * replica_words
                                   : m.earlier[compared.other].data() + compared.replica * replica_words;
    m.counts.zero(found.stream);
    count_distances({.a = spins + compared.replica * replica_words,
                     .b = other,
                     .absent = bonds ? reinterpret_cast<const uint4*>(found.absent) : nullptr,
                     .order = shape_.order,
                     .L = shape_.L,
                     .dimension = shape_.dimension,
                     .distances = distances,
                     .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                     .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                     .columns = static_cast<std::uint32_t>(shape_.columns()),
                     .counts = m.counts.data()},
                    found.stream);
    m.counts.download(m.on_host, found.stream);
    const std::int64_t rows = std::int64_t{distances + 1} * shape_.temperatures;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t r = 0; r < shape_.realizations; ++r)
            counts[row * shape_.realizations + r] += m.on_host[row * shape_.lanes() + r];
}

}  // namespace psflip
