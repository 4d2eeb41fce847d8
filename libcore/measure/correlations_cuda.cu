#include <algorithm>

#include "base/aligned.hpp"
#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "base/thread_pool.hpp"
#include "lattice/packing.hpp"
#include "measure/correlation_backends.hpp"
#include "measure/correlation_kernels_cuda.cuh"
#include "slab/halo_cpu.hpp"
#include "word/simd_level.hpp"

namespace psflip {

namespace {

/// Sets the device of a sampler as the current one.
CudaView view_of(Sampler& sampler) {
    const auto view = std::get<CudaView>(sampler.view());
    PSFLIP_CUDA(cudaSetDevice(view.device));
    return view;
}

class CudaCorrelations final : public Correlations {
  public:
    CudaCorrelations(Sampler& sampler, const Measured& measured, int bins)
        : Correlations(sampler.ensemble().shape(), measured, bins),
          sampler_(sampler),
          on_host_(static_cast<std::size_t>(std::max(2, measured.distances) * shape_.temperatures *
                                            shape_.lanes())) {
        const CudaView found = view();
        counts_ = {on_host_.size(), "counts of distances"};
        counts_.zero(found.stream);
    }

    void remember(const std::vector<std::uint64_t>& spins) override {
        const auto packed = pack_spins(shape_, SpinLayout::of(shape_, 1), spins);
        earlier_.emplace_back(packed.size() / 2, "spins at a waiting time");
        earlier_.back().upload(packed, view().stream);
    }
    void remember_present() override {
        const CudaView found = view();
        const std::size_t words = static_cast<std::size_t>(shape_.columns()) * shape_.replicas *
                                  shape_.temperatures * shape_.sites();
        earlier_.emplace_back(words, "spins at a waiting time");
        PSFLIP_CUDA(cudaMemcpyAsync(earlier_.back().data(), found.spins, words * sizeof(uint4),
                                    cudaMemcpyDeviceToDevice, found.stream));
    }
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    CudaView view() const { return view_of(sampler_); }
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    void add_counts(const CudaView& found, int rows, std::int64_t* to);
    std::vector<std::int64_t> bonds() override;

    Sampler& sampler_;
    std::vector<DeviceBuffer<uint4>> earlier_;
    std::vector<std::uint32_t> on_host_;
    DeviceBuffer<std::uint32_t> counts_;  ///< of the same size
};

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

/// Fetches the counts of several kernels before a count can reach 2^32.
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
                             .counts = counts_.data()};
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
                     .b = earlier_[earlier].data() + from,
                     .absent = reinterpret_cast<const uint4*>(found.absent),
                     .order = shape_.order,
                     .L = shape_.L,
                     .dimension = shape_.dimension,
                     .temperatures = static_cast<std::uint32_t>(shape_.temperatures),
                     .stride = static_cast<std::uint32_t>(shape_.temperatures * shape_.replicas),
                     .columns = static_cast<std::uint32_t>(shape_.columns()),
                     .counts = counts_.data()},
                    found.stream);
    add_counts(found, 2, counts);
}

/// See copied_slab.
class SlabCopy {
  public:
    SlabCopy(Sampler& sampler, int threads);
    CpuView look();

  private:
    /// Moves one replica of one column, as it arrives from the GPU, to groups of temperatures.
    void regroup(std::int64_t column, int replica);

    Sampler& sampler_;
    Shape shape_;
    ThreadPool pool_;
    SpinLayout layout_;
    AlignedVector<std::uint64_t> spins_, absent_, arrived_;
    std::vector<std::int32_t> bonds_;  ///< that are not absent, in units of energy: (column, lane)
};

SlabCopy::SlabCopy(Sampler& sampler, int threads)
    : sampler_(sampler),
      shape_(sampler.ensemble().shape()),
      pool_(threads > 0 ? threads : available_threads()),
      layout_(SpinLayout::of(shape_, slots_per_word)),
      spins_(shape_.columns() * layout_.column_words(), 0),
      arrived_(2 * shape_.temperatures * shape_.held_sites()),
      bonds_(shape_.lanes(), static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit())) {
    const CudaView found = view_of(sampler_);
    if (!found.absent) return;
    absent_.resize(shape_.columns() * CouplingLayout::of(shape_).column_words());
    PSFLIP_CUDA(cudaMemcpyAsync(absent_.data(), found.absent, absent_.size() * sizeof absent_[0],
                                cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaMemcpyAsync(bonds_.data(), found.bonds, bonds_.size() * sizeof bonds_[0],
                                cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
}

CpuView SlabCopy::look() {
    const CudaView found = view_of(sampler_);
    const auto* from = reinterpret_cast<const std::uint64_t*>(found.spins);
    for (std::int64_t column = 0; column < shape_.columns(); ++column)
        for (int replica = 0; replica < shape_.replicas; ++replica, from += arrived_.size()) {
            PSFLIP_CUDA(cudaMemcpyAsync(arrived_.data(), from, arrived_.size() * sizeof arrived_[0],
                                        cudaMemcpyDeviceToHost, found.stream));
            PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
            regroup(column, replica);
        }
    sampler_.ensemble().synchronize();
    CpuHalo(sampler_.ensemble().ranks(), HeldLattice::of(shape_), layout_, spins_.data(), shape_.columns())
        .fill();
    return {.layout = layout_,
            .spins = spins_.data(),
            .energies = nullptr,
            .walkers = nullptr,
            .absent = absent_.empty() ? nullptr : absent_.data(),
            .bonds = bonds_.data(),
            .pool = &pool_,
            .level = simd_level()};
}

void SlabCopy::regroup(std::int64_t column, int replica) {
    const std::int64_t plane = std::int64_t{shape_.L} * shape_.L, planes = shape_.held_planes(),
                       sites = shape_.held_sites();
    pool_.for_each(shape_.temperatures * planes, [&](std::int64_t i, int) {
        const std::int64_t slot = i / planes, first = i % planes * plane;
        const std::uint64_t* from = arrived_.data() + 2 * (slot * sites + first);
        std::uint64_t* to = spins_.data() + layout_.offset(column, replica, static_cast<int>(slot), first);
        for (std::int64_t site = 0; site < plane; ++site, from += 2, to += 2 * layout_.group)
            std::copy_n(from, 2, to);
    });
}

}  // namespace

std::unique_ptr<Correlations> make_cuda_correlations(Sampler& sampler, const Measured& measured, int bins) {
    return std::make_unique<CudaCorrelations>(sampler, measured, bins);
}

HostSpins copied_slab(Sampler& sampler, int threads) {
    return [copy = std::make_shared<SlabCopy>(sampler, threads)] { return copy->look(); };
}

}  // namespace psflip
