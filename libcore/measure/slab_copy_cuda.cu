#include <algorithm>

#include "base/cuda_check.cuh"
#include "measure/slab_copy_cuda.hpp"
#include "slab/halo_cpu.hpp"
#include "word/simd_level.hpp"

namespace psflip {

SlabCopy::SlabCopy(Sampler& sampler, int threads)
    : sampler_(sampler),
      shape_(sampler.ensemble().shape()),
      pool_(threads > 0 ? threads : available_threads()),
      layout_(SpinLayout::of(shape_, slots_per_word)),
      spins_(shape_.columns() * layout_.column_words(), 0),
      arrived_(2 * shape_.temperatures * shape_.held_sites()),
      bonds_(shape_.lanes(), static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit())) {
    const auto found = std::get<CudaView>(sampler_.view());
    if (!found.absent) return;
    absent_.resize(shape_.columns() * CouplingLayout::of(shape_).column_words());
    PSFLIP_CUDA(cudaSetDevice(found.device));
    PSFLIP_CUDA(cudaMemcpyAsync(absent_.data(), found.absent, absent_.size() * sizeof absent_[0],
                                cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaMemcpyAsync(bonds_.data(), found.bonds, bonds_.size() * sizeof bonds_[0],
                                cudaMemcpyDeviceToHost, found.stream));
    PSFLIP_CUDA(cudaStreamSynchronize(found.stream));
}

CpuView SlabCopy::look() {
    const auto found = std::get<CudaView>(sampler_.view());
    PSFLIP_CUDA(cudaSetDevice(found.device));
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

}  // namespace psflip
