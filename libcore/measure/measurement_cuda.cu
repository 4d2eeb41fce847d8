#include "measure/measurement_cuda.hpp"

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "measure/overlap_kernels_cuda.cuh"
#include "sweep/bond_count_cuda.cuh"

namespace psflip {

namespace {

/// Device memory for plane counts: columns are measured in groups that need no more than this.
constexpr std::int64_t scratch_bytes = std::int64_t{256} << 20;

const char* const integer_names[n_integer_sums] = {"sums of energy", "sums of overlap", "sums of |overlap|",
                                                   "sums of link overlap", "sums of slots of walkers"};

}  // namespace

struct CudaMeasurement::Memory {
    DeviceBuffer<std::int64_t> integers[n_integer_sums];
    DeviceBuffer<double> reals[n_real_sums];
    DeviceBuffer<std::uint32_t> histogram;
    DeviceBuffer<double> table;
    DeviceBuffer<std::int32_t> planes, links;
    std::int64_t columns_at_once;
    DeviceSums sums;
};

CudaMeasurement::CudaMeasurement(CudaEnsemble& ensemble, CudaExchange& exchange, int bins, int histogram_bins)
    : ensemble_(ensemble),
      exchange_(exchange),
      bins_(bins),
      histogram_bins_(histogram_bins),
      count_(bins, 0),
      memory_(std::make_unique<Memory>()) {
    const Shape& shape = ensemble.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble.device()));
    cudaStream_t stream = ensemble.stream();
    Memory& m = *memory_;
    for (int a = 0; a < shape.replicas; ++a)
        for (int b = a + 1; b < shape.replicas; ++b) replica_pairs_.emplace_back(a, b);
    const Accumulators sizes{.replicas = shape.replicas, .pairs = shape.pairs_of_replicas()};
    const std::size_t row = static_cast<std::size_t>(shape.temperatures * shape.lanes());
    for (int i = 0; i < n_integer_sums; ++i) {
        m.integers[i] = {row * bins * sizes.components(IntegerSum(i)), integer_names[i]};
        m.integers[i].zero(stream);
        m.sums.integers[i] = m.integers[i].data();
    }
    for (int i = 0; i < n_real_sums; ++i) {
        m.reals[i] = {row * bins * sizes.components(RealSum(i)), "sums of moments"};
        m.reals[i].zero(stream);
        m.sums.reals[i] = m.reals[i].data();
    }
    m.histogram = {row * histogram_bins, "overlap histogram"};
    m.histogram.zero(stream);
    m.sums.histogram = m.histogram.data();
    m.sums.lanes = shape.lanes();
    m.sums.temperatures = shape.temperatures;
    m.sums.histogram_bins = histogram_bins;
    m.table = {static_cast<std::size_t>(2 * shape.L), "Fourier table"};
    m.table.upload(fourier_table(shape.L), stream);
    if (replica_pairs_.empty()) return;
    const std::int64_t slot_words = 3 * std::int64_t{shape.L} * column_bits;
    m.columns_at_once =
        std::clamp<std::int64_t>(scratch_bytes / (4 * slot_words * shape.temperatures), 1, shape.columns());
    m.planes = {static_cast<std::size_t>(m.columns_at_once * shape.temperatures * slot_words), "plane sums"};
    m.links = {static_cast<std::size_t>(m.columns_at_once * shape.temperatures * column_bits), "link sums"};
}

CudaMeasurement::~CudaMeasurement() = default;

void CudaMeasurement::measure(int bin) {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    cudaStream_t stream = ensemble_.stream();
    Memory& m = *memory_;
    m.sums.bin = bin;
    add_energies(m.sums, shape.replicas, exchange_.device_energies(), stream);
    add_walkers(m.sums, shape.replicas, exchange_.device_walkers(), stream);
    const Geometry geometry = make_geometry(shape.L);
    const auto T = static_cast<std::uint32_t>(shape.temperatures),
               stride = T * static_cast<std::uint32_t>(shape.replicas);
    const std::int64_t replica_words = shape.temperatures * shape.sites();
    const auto* spins = reinterpret_cast<const uint4*>(ensemble_.device_spins());
    for (std::int64_t column = 0; column < shape.columns(); column += m.columns_at_once)
        for (std::size_t pair = 0; pair < replica_pairs_.size(); ++pair) {
            const auto columns =
                static_cast<std::uint32_t>(std::min(m.columns_at_once, shape.columns() - column));
            const auto [first, second] = replica_pairs_[pair];
            const uint4* a = spins + (column * shape.replicas + first) * replica_words;
            const uint4* b = spins + (column * shape.replicas + second) * replica_words;
            count_planes({geometry, a, b, T, stride, columns}, m.planes.data(), stream);
            count_bonds({geometry, a, b, nullptr, T, stride, columns * T}, m.links.data(), 0, 1, stream);
            add_moments(m.sums, shape.L, static_cast<int>(pair), shape.pairs_of_replicas(), column, columns,
                        m.planes.data(), m.links.data(), m.table.data(), stream);
        }
    ++count_[bin];
}

namespace {

/// Rows of lanes on the device to rows of realizations on the host, and back.
template <class T>
void download_rows(const DeviceBuffer<T>& from, const Shape& shape, std::vector<T>& to, cudaStream_t stream) {
    if (to.empty()) return;
    const std::size_t width = shape.realizations * sizeof(T);
    PSFLIP_CUDA(cudaMemcpy2DAsync(to.data(), width, from.data(), shape.lanes() * sizeof(T), width,
                                  to.size() / shape.realizations, cudaMemcpyDeviceToHost, stream));
}

template <class T>
void upload_rows(const std::vector<T>& from, const Shape& shape, const DeviceBuffer<T>& to,
                 cudaStream_t stream) {
    if (from.size() / shape.realizations * shape.lanes() != to.size())
        throw InputError("accumulators of another shape");
    if (from.empty()) return;
    const std::size_t width = shape.realizations * sizeof(T);
    PSFLIP_CUDA(cudaMemcpy2DAsync(to.data(), shape.lanes() * sizeof(T), from.data(), width, width,
                                  from.size() / shape.realizations, cudaMemcpyHostToDevice, stream));
}

}  // namespace

Accumulators CudaMeasurement::accumulators() const {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    cudaStream_t stream = ensemble_.stream();
    Accumulators out = empty_accumulators(shape, bins_, histogram_bins_);
    for (int i = 0; i < n_integer_sums; ++i)
        download_rows(memory_->integers[i], shape, out.integers[i], stream);
    for (int i = 0; i < n_real_sums; ++i) download_rows(memory_->reals[i], shape, out.reals[i], stream);
    download_rows(memory_->histogram, shape, out.histogram, stream);
    out.count = count_;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    return out;
}

void CudaMeasurement::set_accumulators(const Accumulators& accumulators) {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    cudaStream_t stream = ensemble_.stream();
    for (int i = 0; i < n_integer_sums; ++i)
        upload_rows(accumulators.integers[i], shape, memory_->integers[i], stream);
    for (int i = 0; i < n_real_sums; ++i)
        upload_rows(accumulators.reals[i], shape, memory_->reals[i], stream);
    upload_rows(accumulators.histogram, shape, memory_->histogram, stream);
    count_ = accumulators.count;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
}

std::unique_ptr<Measurement> make_measurement_cuda(Ensemble& ensemble, Exchange& exchange, int bins,
                                                   int histogram_bins) {
    return std::make_unique<CudaMeasurement>(dynamic_cast<CudaEnsemble&>(ensemble),
                                             dynamic_cast<CudaExchange&>(exchange), bins, histogram_bins);
}

}  // namespace psflip
