#include <algorithm>
#include <optional>
#include <span>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "measure/correlation_backends.hpp"
#include "measure/correlation_kernels_cuda.cuh"
#include "measure/overlap_kernels_cuda.cuh"
#include "measure/slab_lines_cuda.cuh"
#include "slab/halo_cpu.hpp"

namespace psflip {

namespace {

class CudaCorrelations final : public Correlations {
  public:
    CudaCorrelations(Sampler& sampler, const Measured& measured, int bins);

    void remember(const std::vector<std::uint64_t>& spins) override;
    void remember_present() override;
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    /// Sets the device of the sampler as the current one.
    CudaView view() const {
        const auto view = std::get<CudaView>(sampler_.view());
        PSFLIP_CUDA(cudaSetDevice(view.device));
        return view;
    }
    std::int64_t replica_words() const { return shape_.temperatures * shape_.held_sites(); }
    /// Returns whether the six pairs of four replicas are counted together.
    bool counts_all_pairs(int distances) const {
        return overlaps() && shape_.replicas == 4 && counts_four_replicas(shape_.L, distances);
    }
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    /// Counts the own sites, and the bonds of own red sites.
    void count_times_of_slab(const CudaView& found, const uint4* a, const uint4* b, std::int64_t* counts);
    void add_counts(const CudaView& found, int rows, std::int64_t* to);
    /// Sums `rows` rows (temperature; realization) over the ranks.
    void sum_of_ranks(std::int64_t* counts, int rows);
    std::vector<std::int64_t> bonds() override;

    Sampler& sampler_;
    std::vector<DeviceBuffer<uint4>> earlier_;
    std::vector<std::uint32_t> on_host_;
    DeviceBuffer<std::uint32_t> counts_;         ///< of the same size
    std::optional<SlabLineCounter> lines_;       ///< of slabs
    DeviceBuffer<std::int32_t> links_, planes_;  ///< of slabs: OverlapCounts of a column
};

CudaCorrelations::CudaCorrelations(Sampler& sampler, const Measured& measured, int bins)
    : Correlations(sampler.ensemble().shape(), measured, bins),
      sampler_(sampler),
      on_host_(
          static_cast<std::size_t>(std::max(2, measured.distances) * shape_.temperatures * shape_.lanes())) {
    const CudaView found = view();
    counts_ = {on_host_.size(), "counts of distances"};
    counts_.zero(found.stream);
    if (!shape_.is_slab()) return;
    if (measured.distances > 0)
        lines_.emplace(sampler.ensemble().ranks(), shape_, counts_all_pairs(measured.distances) ? 3 : 1);
    if (measured.waiting == 0) return;
    const std::size_t lanes = static_cast<std::size_t>(shape_.temperatures) * column_bits;
    links_ = {lanes, "links of two times"};
    planes_ = {lanes * plane_families(shape_.dimension, false) * shape_.L, "sites of two times"};
}

void CudaCorrelations::remember(const std::vector<std::uint64_t>& spins) {
    const SpinLayout layout = SpinLayout::of(shape_, 1);
    auto packed = pack_spins(shape_, layout, spins);
    if (shape_.is_slab())
        CpuHalo(sampler_.ensemble().ranks(), HeldLattice::of(shape_), layout, packed.data(), shape_.columns())
            .fill();
    earlier_.emplace_back(packed.size() / 2, "spins at a waiting time");
    earlier_.back().upload(packed, view().stream);
}

void CudaCorrelations::remember_present() {
    const CudaView found = view();
    const std::size_t words = static_cast<std::size_t>(shape_.columns() * shape_.replicas * replica_words());
    earlier_.emplace_back(words, "spins at a waiting time");
    PSFLIP_CUDA(cudaMemcpyAsync(earlier_.back().data(), found.spins, words * sizeof(uint4),
                                cudaMemcpyDeviceToDevice, found.stream));
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

/// Adds rows (temperature; lane) of the counts to rows (temperature; realization) and zeroes them.
void CudaCorrelations::add_counts(const CudaView& found, int rows, std::int64_t* to) {
    const std::int64_t all = std::int64_t{rows} * shape_.temperatures, lanes = shape_.lanes();
    const std::size_t bytes = all * lanes * sizeof on_host_[0];
    PSFLIP_CUDA(
        cudaMemcpyAsync(on_host_.data(), counts_.data(), bytes, cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
    counts_.zero(found.stream);
    for (std::int64_t row = 0; row < all; ++row)
        for (std::int64_t r = 0; r < shape_.realizations; ++r)
            to[row * shape_.realizations + r] += on_host_[row * lanes + r];
}

void CudaCorrelations::sum_of_ranks(std::int64_t* counts, int rows) {
    if (!shape_.is_slab()) return;
    const std::int64_t row = shape_.temperatures * shape_.realizations;
    sampler_.ensemble().ranks().sum(std::span(counts, static_cast<std::size_t>(rows * row)));
}

/// Fetches the counts of several kernels before a count can reach 2^32.
void CudaCorrelations::count_distances(int distances, std::int64_t* counts) {
    const CudaView found = view();
    const auto* spins = reinterpret_cast<const uint4*>(found.spins);
    const std::int64_t most = (std::int64_t{1} << 32) / (shape_.dimension * shape_.sites());
    std::int64_t* const first = counts + shape_.temperatures * shape_.realizations;
    std::int64_t waiting = 0;
    const auto add = [&](int pairs, std::initializer_list<int> replicas) {
        if (waiting + pairs >= most) add_counts(found, distances, first), waiting = 0;
        CorrelationArgs args{.replica = {},
                             .replicas = static_cast<int>(replicas.size()),
                             .planes = LinePlanes::of(shape_),
                             .distances = distances,
                             .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                             .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                             .columns = static_cast<std::uint32_t>(shape_.columns()),
                             .counts = counts_.data()};
        std::ranges::transform(replicas, args.replica, [&](int r) { return spins + r * replica_words(); });
        if (args.planes.axes > 0) count_correlations(args, found.stream);
        if (lines_) lines_->count(args, found.stream);
        waiting += pairs;
    };
    if (counts_all_pairs(distances)) {
        add(6, {0, 1, 2, 3});
    } else {
        for (int a = 0; a < shape_.replicas; ++a) {
            if (!overlaps()) add(1, {a});
            for (int b = a + 1; overlaps() && b < shape_.replicas; ++b) add(1, {a, b});
        }
    }
    add_counts(found, distances, first);
    sum_of_ranks(first, distances);
}

void CudaCorrelations::count_times(int replica, int earlier, std::int64_t* counts) {
    const CudaView found = view();
    const std::int64_t from = replica * replica_words();
    const uint4* const a = reinterpret_cast<const uint4*>(found.spins) + from;
    const uint4* const b = earlier_[earlier].data() + from;
    if (shape_.is_slab()) return count_times_of_slab(found, a, b, counts);
    count_two_times({.a = a,
                     .b = b,
                     .absent = reinterpret_cast<const uint4*>(found.absent),
                     .planes = LinePlanes::of(shape_),
                     .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                     .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                     .columns = static_cast<std::uint32_t>(shape_.columns()),
                     .counts = counts_.data()},
                    found.stream);
    add_counts(found, 2, counts);
}

void CudaCorrelations::count_times_of_slab(const CudaView& found, const uint4* a, const uint4* b,
                                           std::int64_t* counts) {
    const auto* absent = reinterpret_cast<const uint4*>(found.absent);
    const std::int64_t row = shape_.temperatures * shape_.realizations;
    const std::size_t of_slot = planes_.size() / shape_.temperatures;
    std::vector<std::int32_t> links(links_.size()), planes(planes_.size());
    for (std::int64_t column = 0; column < shape_.columns(); ++column) {
        const std::int64_t from = column * shape_.replicas * replica_words();
        links_.zero(found.stream);
        planes_.zero(found.stream);
        count_overlaps_of_slab(
            {.geometry = make_slab(shape_.L, shape_.held_planes()),
             .a = a + from,
             .b = b + from,
             .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
             .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
             .columns = 1,
             .counts = {.links = links_.data(), .planes = planes_.data(), .of_slabs = true}},
            own_planes(shape_), shape_.order,
            absent ? absent + column * shape_.dimension * shape_.held_sites() : nullptr, found.stream);
        links_.download(links, found.stream);
        planes_.download(planes, found.stream);
        const std::int64_t used =
            std::min<std::int64_t>(column_bits, shape_.realizations - column * column_bits);
        for (int slot = 0; slot < shape_.temperatures; ++slot)
            for (std::int64_t lane = 0; lane < used; ++lane) {
                const std::int64_t to = slot * shape_.realizations + column * column_bits + lane;
                counts[row + to] += static_cast<std::uint32_t>(links[slot * column_bits + lane]);
                // The planes of the first family, those across x, have every site once.
                for (int x = 0; x < shape_.L; ++x)
                    counts[to] += planes[slot * of_slot + x * column_bits + lane];
            }
    }
    sum_of_ranks(counts, 2);
}

}  // namespace

std::unique_ptr<Correlations> make_cuda_correlations(Sampler& sampler, const Measured& measured, int bins) {
    return std::make_unique<CudaCorrelations>(sampler, measured, bins);
}

}  // namespace psflip
