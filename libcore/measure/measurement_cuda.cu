#include <algorithm>
#include <future>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "measure/measurement.hpp"
#include "measure/overlap_kernels_cuda.cuh"

namespace psflip {
namespace {

/// Device memory for overlap counts: columns are measured in groups that need at most this.
constexpr std::int64_t scratch_bytes = std::int64_t{256} << 20;
constexpr std::int64_t max_grid_rows = 65535;  ///< lattices are rows of the grid of slab_counts_cuda.cu

/// Beyond this size a lattice may have more tasks than grids of the other kernels have rows.
constexpr int max_counted_L = 256;

/// Returns whether slab_counts_cuda.cu counts: slabs, and whole lattices whose order or size the other
/// kernels do not take.
bool counts_own_sites(const Shape& shape) {
    return shape.is_slab() || shape.order == SiteOrder::sliced ||
           (shape.dimension == 3 && shape.L > max_counted_L) ||
           !has_exact_places(make_slab(shape.L, shape.depth()));
}

/// Columns that are measured at once in a stream. Their counts begin at column `scratch` of the scratch
/// memory.
struct ColumnGroup {
    std::int64_t first, columns, scratch;
    cudaStream_t stream;
};

struct DeviceMemory {
    DeviceBuffer<std::int64_t> integers[n_sums];
    DeviceBuffer<double> reals[n_sums];
    DeviceBuffer<std::uint32_t> histogram, link_histogram;
    DeviceBuffer<std::int64_t> lowest_energy, lowest_count;
    DeviceBuffer<double> table, modes;
    DeviceBuffer<std::int32_t> links;
    DeviceBuffer<std::uint8_t> planes;
    std::int64_t columns_at_once;                    ///< at least one for each part
    std::int64_t plane_bytes = 0, mode_numbers = 0;  ///< of a column
    DeviceSums sums;

    /// Sizes and zeroes what is measured.
    void make(const Shape& shape, const Measured& measured, int bins, int histogram_bins,
              cudaStream_t stream);
    /// As Accumulators::restrict_to.
    void restrict_to(const Measured& measured);
    OverlapCounts counts(const Shape& shape, const ColumnGroup& group) const;
    OverlapArgs overlap_args(const Shape& shape, const ColumnGroup& group) const;
    SumArgs sum_args(const Shape& shape, const CudaView& found, const ColumnGroup& group) const;
    double* modes_of(const ColumnGroup& group) const { return modes.data() + group.scratch * mode_numbers; }
};

template <class T>
void make_zero(DeviceBuffer<T>& buffer, T*& sums, std::size_t size, const char* name, cudaStream_t stream) {
    buffer = {size, name};
    buffer.zero(stream);
    sums = buffer.data();
}

template <class T>
void drop(DeviceBuffer<T>& buffer, T*& sums) {
    buffer = {};
    sums = nullptr;
}

void DeviceMemory::make(const Shape& shape, const Measured& measured, int bins, int histogram_bins,
                        cudaStream_t stream) {
    const Accumulators sizes{.replicas = shape.replicas};
    const std::size_t row = static_cast<std::size_t>(shape.temperatures * shape.lanes());
    sums = {};
    for (const SumInfo& sum : sum_table) {
        if (!sum.of(measured)) continue;
        const auto i = static_cast<int>(sum.sum);
        const std::size_t size = row * bins * sizes.components(sum.sum);
        if (sum.values.integer)
            make_zero(integers[i], sums.integers[i], size, sum.name, stream);
        else
            make_zero(reals[i], sums.reals[i], size, sum.name, stream);
    }
    if (measured.overlaps)
        make_zero(histogram, sums.histogram, row * histogram_bins, "overlap histogram", stream);
    if (measured.link_histogram())
        make_zero(link_histogram, sums.link_histogram, row * histogram_bins, "link histogram", stream);
    if (measured.lowest_energies()) {
        const std::size_t lowest = static_cast<std::size_t>(bins * shape.replicas * shape.lanes());
        make_zero(lowest_energy, sums.lowest_energy, lowest, "lowest energies", stream);
        lowest_energy.upload(std::vector<std::int64_t>(lowest, shape.dimension * shape.sites()), stream);
        make_zero(lowest_count, sums.lowest_count, lowest, "counts of lowest energies", stream);
    }
    sums.lanes = shape.lanes();
    sums.temperatures = shape.temperatures;
    sums.histogram_bins = histogram_bins;
    table = {static_cast<std::size_t>(2 * shape.L), "Fourier table"};
    table.upload(fourier_table(shape.L), stream);
    columns_at_once = shape.columns();
    if (shape.replicas == 1 && !measured.magnetisation) return;
    const bool replicon = measures_replicon(measured, shape.replicas);
    const OverlapCounts counts{
        .links = nullptr, .planes = nullptr, .diagonals = replicon, .of_slabs = counts_own_sites(shape)};
    plane_bytes = shape.temperatures * counts.plane_bytes(shape.L, shape.dimension);
    if (replicon)
        mode_numbers = shape.temperatures * shape.pairs_of_replicas() * 256 * replicon_modes(shape.dimension);
    columns_at_once = std::min<std::int64_t>(scratch_bytes / (plane_bytes + 8 * mode_numbers),
                                             max_grid_rows / shape.temperatures);
    columns_at_once = std::clamp<std::int64_t>(
        columns_at_once, std::min<std::int64_t>(max_stream_parts, shape.columns()), shape.columns());
    modes = {static_cast<std::size_t>(columns_at_once * mode_numbers), "modes of overlaps"};
    planes = {static_cast<std::size_t>(columns_at_once * plane_bytes), "plane counts"};
    planes.zero(stream);
    links = {static_cast<std::size_t>(columns_at_once * shape.temperatures * column_bits), "link counts"};
    links.zero(stream);
}

void DeviceMemory::restrict_to(const Measured& measured) {
    for (const SumInfo& sum : sum_table) {
        if (sum.of(measured)) continue;
        const auto i = static_cast<int>(sum.sum);
        drop(integers[i], sums.integers[i]);
        drop(reals[i], sums.reals[i]);
    }
    if (!measured.link_histogram()) drop(link_histogram, sums.link_histogram);
    if (measured.lowest_energies()) return;
    drop(lowest_energy, sums.lowest_energy);
    drop(lowest_count, sums.lowest_count);
}

OverlapArgs DeviceMemory::overlap_args(const Shape& shape, const ColumnGroup& group) const {
    return {.geometry = make_slab(shape.L, shape.held_planes()),
            .a = nullptr,
            .b = nullptr,
            .temperatures = static_cast<std::uint32_t>(shape.temperatures),
            .stride = static_cast<std::uint32_t>(shape.temperatures * shape.replicas),
            .columns = static_cast<std::uint32_t>(group.columns),
            .counts = counts(shape, group)};
}

OverlapCounts DeviceMemory::counts(const Shape& shape, const ColumnGroup& group) const {
    return {links.data() + group.scratch * shape.temperatures * column_bits,
            planes.data() + group.scratch * plane_bytes, false, counts_own_sites(shape)};
}

SumArgs DeviceMemory::sum_args(const Shape& shape, const CudaView& found, const ColumnGroup& group) const {
    return {.sums = sums,
            .first_column = group.first,
            .columns = group.columns,
            .L = shape.L,
            .pair = 0,
            .pairs = 0,
            .first = 0,
            .second = 0,
            .counts = counts(shape, group),
            .table = table.data(),
            .replicas = shape.replicas,
            .all_replicas = shape.replicas,
            .energy = found.energies,
            .walker = found.walkers,
            .dimension = shape.dimension,
            .energy_unit = shape.energy_unit(),
            .bonds = found.bonds,
            .clusters = found.clusters};
}

/// Measures in the streams of the ensemble's parts. Sums stay in device memory until asked for.
class CudaMeasurement final : public Measurement {
  public:
    CudaMeasurement(Sampler& sampler, const Measured& measured, int bins, int histogram_bins)
        : sampler_(sampler),
          shape_(sampler.ensemble().shape()),
          measured_(measured),
          bins_(bins),
          histogram_bins_(histogram_bins),
          count_(bins, 0) {
        sampler.sum_clusters(runs_with::clusters(measured));
        if (measured.overlaps) replica_pairs_ = replica_pairs(shape_.replicas);
        memory_.make(shape_, measured, bins, histogram_bins, view().stream);
        taken_ = std::async(std::launch::async, [=, this] {
            return empty_accumulators(shape_, measured, bins, histogram_bins, caller_alone());
        });
    }

    void measure(int bin) override;
    Accumulators accumulators() const override { return downloaded(empty(caller_alone())); }
    Accumulators take(ThreadPool& pool) override {
        Accumulators arrays = taken_.valid() ? taken_.get() : Accumulators{};
        return downloaded(arrays.measured == measured_ ? std::move(arrays) : empty(pool));
    }
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    /// Sets the device as the current one.
    CudaView view() const {
        const auto view = std::get<CudaView>(sampler_.view());
        PSFLIP_CUDA(cudaSetDevice(view.device));
        return view;
    }
    Accumulators empty(ThreadPool& pool) const {
        return empty_accumulators(shape_, measured_, bins_, histogram_bins_, pool);
    }
    /// Returns the arrays with the sums of the device.
    Accumulators downloaded(Accumulators out) const;
    /// Adds overlaps of all pairs of replicas, if there are any, and energies.
    void add_overlaps(const CudaView& found, const ColumnGroup& group);
    void add_magnetisations(const CudaView& found, const ColumnGroup& group);
    /// Counts whole lattices, also if a rank has a slab.
    void count_differences(const OverlapArgs& args, const uint4* absent, cudaStream_t stream);

    Sampler& sampler_;
    Shape shape_;
    Measured measured_;
    int bins_, histogram_bins_;
    std::vector<std::pair<int, int>> replica_pairs_;
    std::vector<std::int64_t> count_;
    DeviceMemory memory_;
    /// Arrays for `take`. Their fresh memory takes a good part of a second, which passes while the device
    /// sweeps.
    std::future<Accumulators> taken_;
};

void CudaMeasurement::measure(int bin) {
    sampler_.ensemble().compute_energies();
    // Only magnetisations are not gauge invariant.
    const auto found = std::get<CudaView>(sampler_.view_of_parts(!measured_.magnetisation));
    PSFLIP_CUDA(cudaSetDevice(found.device));
    if (runs_with::clusters(measured_) && !found.clusters)
        throw std::logic_error("no sweep before this measurement has summed its clusters");
    memory_.sums.bin = bin;
    const std::int64_t each = memory_.columns_at_once / static_cast<std::int64_t>(found.parts.size());
    for (const StreamPart& part : found.parts)
        for (std::int64_t column = 0; column < part.columns; column += each) {
            const ColumnGroup group{part.first_column + column, std::min(each, part.columns - column),
                                    part.number * each, part.stream};
            add_overlaps(found, group);
            if (measured_.magnetisation) add_magnetisations(found, group);
        }
    ++count_[bin];
}

void CudaMeasurement::add_overlaps(const CudaView& found, const ColumnGroup& group) {
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    const auto* absent = reinterpret_cast<const uint4*>(found.absent);
    if (absent != nullptr) absent += group.first * shape_.dimension * shape_.held_sites();
    const std::int64_t replica_words = shape_.temperatures * shape_.held_sites();
    const bool replicon = memory_.modes.size() > 0;
    OverlapArgs pair = memory_.overlap_args(shape_, group);
    SumArgs args = memory_.sum_args(shape_, found, group);
    pair.counts.diagonals = args.counts.diagonals = replicon;
    args.pairs = static_cast<int>(replica_pairs_.size());
    if (args.pairs == 0) add_sums(args, group.stream);
    for (args.pair = 0; args.pair < args.pairs; ++args.pair) {
        std::tie(args.first, args.second) = replica_pairs_[args.pair];
        pair.a = spins + (group.first * shape_.replicas + args.first) * replica_words;
        pair.b = spins + (group.first * shape_.replicas + args.second) * replica_words;
        count_differences(pair, absent, group.stream);
        if (replicon) store_modes(args, memory_.modes_of(group), group.stream);
        add_sums(args, group.stream);
        args.replicas = 0;  // energies and walkers only once
    }
    if (replicon) add_replicon(args, shape_.replicas, memory_.modes_of(group), group.stream);
}

/// Replaces numbers in device memory by their sums over the ranks.
void sum_over_ranks(Ranks& ranks, std::int32_t* numbers, std::size_t count, cudaStream_t stream) {
    std::vector<std::int32_t> sums(count);
    const std::size_t bytes = count * sizeof(std::int32_t);
    PSFLIP_CUDA(cudaMemcpyAsync(sums.data(), numbers, bytes, cudaMemcpyDeviceToHost, stream));
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    ranks.sum(std::span(sums));
    PSFLIP_CUDA(cudaMemcpyAsync(numbers, sums.data(), bytes, cudaMemcpyHostToDevice, stream));
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
}

void CudaMeasurement::count_differences(const OverlapArgs& args, const uint4* absent, cudaStream_t stream) {
    if (!counts_own_sites(shape_)) return count_overlaps(args, absent, stream);
    count_overlaps_of_slab(args, own_planes(shape_), shape_.order, absent, stream);
    Ranks& ranks = sampler_.ensemble().ranks();
    if (ranks.alone()) return;
    const std::int64_t lattices = std::int64_t{args.columns} * args.temperatures,
                       plane_bytes = args.counts.plane_bytes(shape_.L, shape_.dimension);
    sum_over_ranks(ranks, static_cast<std::int32_t*>(args.counts.planes),
                   static_cast<std::size_t>(lattices * plane_bytes) / sizeof(std::int32_t), stream);
    if (args.b != nullptr)
        sum_over_ranks(ranks, args.counts.links, static_cast<std::size_t>(lattices * 128), stream);
}

void CudaMeasurement::add_magnetisations(const CudaView& found, const ColumnGroup& group) {
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    OverlapArgs counted = memory_.overlap_args(shape_, group);
    const SumArgs args = memory_.sum_args(shape_, found, group);
    for (int replica = 0; replica < shape_.replicas; ++replica) {
        counted.a =
            spins + (group.first * shape_.replicas + replica) * shape_.temperatures * shape_.held_sites();
        count_differences(counted, nullptr, group.stream);
        psflip::add_magnetisations(args, replica, group.stream);
    }
}

/// Copies rows of lanes on the device to rows of realizations on the host, and back.
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
        throw InputError("the accumulators have another shape than the measurement");
    if (from.empty()) return;
    const std::size_t width = shape.realizations * sizeof(T);
    PSFLIP_CUDA(cudaMemcpy2DAsync(to.data(), shape.lanes() * sizeof(T), from.data(), width, width,
                                  from.size() / shape.realizations, cudaMemcpyHostToDevice, stream));
}

/// Calls f(array on the device, array on the host) for all arrays of sums.
template <class Memory, class F>
void for_each_array(Memory& memory, Accumulators& sums, F f) {
    for (int i = 0; i < n_sums; ++i) {
        f(memory.integers[i], sums.integers[i]);
        f(memory.reals[i], sums.reals[i]);
    }
    f(memory.histogram, sums.histogram);
    f(memory.link_histogram, sums.link_histogram);
    f(memory.lowest_energy, sums.lowest_energy);
    f(memory.lowest_count, sums.lowest_count);
}

Accumulators CudaMeasurement::downloaded(Accumulators out) const {
    const Shape& shape = shape_;
    cudaStream_t stream = view().stream;
    for_each_array(memory_, out, [&](auto& from, auto& to) { download_rows(from, shape, to, stream); });
    out.count = count_;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    return out;
}

void CudaMeasurement::set_accumulators(const Accumulators& accumulators) {
    const Shape& shape = shape_;
    cudaStream_t stream = view().stream;
    Accumulators from = accumulators;
    from.restrict_to(measured_);
    measured_ = from.measured;
    sampler_.sum_clusters(runs_with::clusters(measured_));
    memory_.restrict_to(measured_);
    for_each_array(memory_, from, [&](auto& to, auto& array) { upload_rows(array, shape, to, stream); });
    count_ = from.count;
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace

std::unique_ptr<Measurement> make_cuda_measurement(Sampler& sampler, const Measured& measured, int bins,
                                                   int histogram_bins) {
    return std::make_unique<CudaMeasurement>(sampler, measured, bins, histogram_bins);
}

}  // namespace psflip
