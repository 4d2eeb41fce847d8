#include "measure/measurement_cuda.hpp"

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "measure/overlap_kernels_cuda.cuh"

namespace psflip {

namespace {

/// Device memory for overlap counts: columns are measured in groups that need no more than this.
constexpr std::int64_t scratch_bytes = std::int64_t{256} << 20;

}  // namespace

struct CudaMeasurement::Memory {
    DeviceBuffer<std::int64_t> integers[n_sums];
    DeviceBuffer<double> reals[n_sums];
    DeviceBuffer<std::uint32_t> histogram, link_histogram;
    DeviceBuffer<std::int64_t> lowest_energy, lowest_count;
    DeviceBuffer<double> table;
    DeviceBuffer<std::int32_t> links;
    DeviceBuffer<std::uint8_t> planes;
    std::int64_t columns_at_once;
    DeviceSums sums;

    /// As Accumulators::drop_later.
    void drop_later() {
        for (int i = 0; i < n_sums; ++i)
            if (sum_table[i].later) {
                reals[i] = {};
                sums.reals[i] = nullptr;
            }
        link_histogram = {};
        lowest_energy = {};
        lowest_count = {};
        sums.link_histogram = nullptr;
        sums.lowest_energy = sums.lowest_count = nullptr;
    }
};

CudaMeasurement::CudaMeasurement(Evolution& evolution, int bins, int histogram_bins)
    : evolution_(evolution),
      shape_(evolution.ensemble().shape()),
      bins_(bins),
      histogram_bins_(histogram_bins),
      count_(bins, 0),
      memory_(std::make_unique<Memory>()) {
    const Shape& shape = shape_;
    cudaStream_t stream = view().stream;
    Memory& m = *memory_;
    for (int a = 0; a < shape.replicas; ++a)
        for (int b = a + 1; b < shape.replicas; ++b) replica_pairs_.emplace_back(a, b);
    const Accumulators sizes{.replicas = shape.replicas, .pairs = shape.pairs_of_replicas()};
    const std::size_t row = static_cast<std::size_t>(shape.temperatures * shape.lanes());
    for (int i = 0; i < n_sums; ++i) {
        const std::size_t size = row * bins * sizes.components(Sum(i));
        if (sum_table[i].integer) {
            m.integers[i] = {size, sum_table[i].name};
            m.integers[i].zero(stream);
            m.sums.integers[i] = m.integers[i].data();
        } else {
            m.reals[i] = {size, sum_table[i].name};
            m.reals[i].zero(stream);
            m.sums.reals[i] = m.reals[i].data();
        }
    }
    m.histogram = {row * histogram_bins, "overlap histogram"};
    m.histogram.zero(stream);
    m.sums.histogram = m.histogram.data();
    m.link_histogram = {row * histogram_bins, "link histogram"};
    m.link_histogram.zero(stream);
    m.sums.link_histogram = m.link_histogram.data();
    const std::size_t lowest = static_cast<std::size_t>(bins * shape.replicas * shape.lanes());
    m.lowest_energy = {lowest, "lowest energies"};
    m.lowest_energy.upload(std::vector<std::int64_t>(lowest, 3 * shape.sites()), stream);
    m.sums.lowest_energy = m.lowest_energy.data();
    m.lowest_count = {lowest, "counts of lowest energies"};
    m.lowest_count.zero(stream);
    m.sums.lowest_count = m.lowest_count.data();
    m.sums.lanes = shape.lanes();
    m.sums.temperatures = shape.temperatures;
    m.sums.histogram_bins = histogram_bins;
    m.table = {static_cast<std::size_t>(2 * shape.L), "Fourier table"};
    m.table.upload(fourier_table(shape.L), stream);
    m.columns_at_once = shape.columns();
    if (replica_pairs_.empty()) return;
    const std::int64_t plane_bytes = shape.temperatures * OverlapCounts::plane_bytes(shape.L);
    m.columns_at_once = std::clamp<std::int64_t>(scratch_bytes / plane_bytes, 1, shape.columns());
    m.planes = {static_cast<std::size_t>(m.columns_at_once * plane_bytes), "plane counts"};
    m.planes.zero(stream);
    m.links = {static_cast<std::size_t>(m.columns_at_once * shape.temperatures * column_bits), "link counts"};
    m.links.zero(stream);
}

CudaMeasurement::~CudaMeasurement() = default;

/// Of the device that is the current one from here on.
CudaView CudaMeasurement::view() const {
    const auto view = std::get<CudaView>(evolution_.view());
    PSFLIP_CUDA(cudaSetDevice(view.device));
    return view;
}

void CudaMeasurement::measure(int bin) {
    const Shape& shape = shape_;
    evolution_.ensemble().compute_energies();
    const CudaView found = view();
    cudaStream_t stream = found.stream;
    Memory& m = *memory_;
    m.sums.bin = bin;
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    const std::int64_t replica_words = shape.temperatures * shape.sites();
    const OverlapCounts counts{m.links.data(), m.planes.data()};
    OverlapArgs pair{.geometry = make_geometry(shape.L),
                     .temperatures = static_cast<std::uint32_t>(shape.temperatures),
                     .stride = static_cast<std::uint32_t>(shape.temperatures * shape.replicas),
                     .counts = counts};
    SumArgs args{.sums = m.sums,
                 .L = shape.L,
                 .pairs = shape.pairs_of_replicas(),
                 .counts = counts,
                 .table = m.table.data(),
                 .energy = found.energies,
                 .walker = found.walkers};
    for (std::int64_t column = 0; column < shape.columns(); column += m.columns_at_once) {
        args.first_column = column;
        args.columns = std::min(m.columns_at_once, shape.columns() - column);
        args.replicas = shape.replicas;
        if (args.pairs == 0) add_sums(args, stream);
        for (args.pair = 0; args.pair < args.pairs; ++args.pair) {
            const auto [first, second] = replica_pairs_[args.pair];
            pair.a = spins + (column * shape.replicas + first) * replica_words;
            pair.b = spins + (column * shape.replicas + second) * replica_words;
            pair.columns = static_cast<std::uint32_t>(args.columns);
            count_overlaps(pair, stream);
            add_sums(args, stream);
            args.replicas = 0;  // energies and walkers only once
        }
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
    const Shape& shape = shape_;
    cudaStream_t stream = view().stream;
    Accumulators out = empty_accumulators(shape, bins_, histogram_bins_);
    if (memory_->sums.lowest_energy == nullptr) out.drop_later();
    for (int i = 0; i < n_sums; ++i) {
        download_rows(memory_->integers[i], shape, out.integers[i], stream);
        download_rows(memory_->reals[i], shape, out.reals[i], stream);
    }
    download_rows(memory_->histogram, shape, out.histogram, stream);
    download_rows(memory_->link_histogram, shape, out.link_histogram, stream);
    download_rows(memory_->lowest_energy, shape, out.lowest_energy, stream);
    download_rows(memory_->lowest_count, shape, out.lowest_count, stream);
    out.count = count_;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    return out;
}

void CudaMeasurement::set_accumulators(const Accumulators& accumulators) {
    const Shape& shape = shape_;
    cudaStream_t stream = view().stream;
    if (!accumulators.has_later()) memory_->drop_later();
    for (int i = 0; i < n_sums; ++i) {
        upload_rows(accumulators.integers[i], shape, memory_->integers[i], stream);
        upload_rows(accumulators.reals[i], shape, memory_->reals[i], stream);
    }
    upload_rows(accumulators.histogram, shape, memory_->histogram, stream);
    upload_rows(accumulators.link_histogram, shape, memory_->link_histogram, stream);
    upload_rows(accumulators.lowest_energy, shape, memory_->lowest_energy, stream);
    upload_rows(accumulators.lowest_count, shape, memory_->lowest_count, stream);
    count_ = accumulators.count;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace psflip
