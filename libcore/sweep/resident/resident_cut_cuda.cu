#include "sweep/resident/resident_cut_cuda.cuh"

#include "base/cuda_check.cuh"

namespace psflip {

namespace {

/// The device's limits that decide how many blocks share a multiprocessor.
struct Limits {
    int multiprocessors, shared_block, shared_multiprocessor, shared_reserved, registers, threads, blocks;
};

Limits limits_of(int device) {
    const auto get = [device](cudaDeviceAttr attribute) {
        int value = 0;
        PSFLIP_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
        return value;
    };
    return {get(cudaDevAttrMultiProcessorCount),
            get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            get(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
            get(cudaDevAttrReservedSharedMemoryPerBlock),
            get(cudaDevAttrMaxRegistersPerMultiprocessor),
            get(cudaDevAttrMaxThreadsPerMultiProcessor),
            get(cudaDevAttrMaxBlocksPerMultiprocessor)};
}

/// Whether there is a clustered form, the device launches clusters, and the kernel was compiled for devices
/// that do (compute capability 9).
bool can_cluster(const ResidentForms& forms, int device) {
    if (!forms.clustered) return false;
    int launch = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&launch, cudaDevAttrClusterLaunch, device));
    cudaFuncAttributes attributes;
    PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, forms.clustered));
    return launch != 0 && attributes.ptxVersion >= 90;
}

/// Registers per thread, of the clustered form too where `clusters`; also lets the kernels use up to
/// `max_shared` bytes of shared memory.
int registers_of(const ResidentForms& forms, int max_shared, bool clusters) {
    int registers = 0;
    for (const void* kernel : {forms.whole, clusters ? forms.clustered : nullptr}) {
        if (!kernel) continue;
        cudaFuncAttributes attributes;
        PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, kernel));
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         max_shared - forms.fixed_bytes));
        if (kernel == forms.clustered)
            PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        registers = std::max(registers, attributes.numRegs);
    }
    return registers;
}

/// Clusters of a plan that the device can hold at the same time.
int active_clusters(const ResidentForms& forms, const ResidentPlan& plan) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = resident_config(plan, plan.cluster, nullptr, attribute);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, forms.clustered, &config) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return clusters;
}

/// Blocks of a plan that a multiprocessor holds at the same time, on average.
double blocks_together(const ResidentPlan& plan, const Limits& limits, const ResidentForms& forms,
                       int registers) {
    if (plan.cluster > 1)
        return static_cast<double>(active_clusters(forms, plan) * plan.cluster) / limits.multiprocessors;
    const int fit_shared =
        limits.shared_multiprocessor / (plan.shared_bytes + forms.fixed_bytes + limits.shared_reserved);
    const int fit_registers = limits.registers / (((registers + 7) / 8 * 8) * plan.threads);
    return std::min({fit_shared, fit_registers, limits.threads / plan.threads, limits.blocks});
}

}  // namespace

ResidentPlan best_plan(const ResidentBatch& batch, const KernelRequest& request) {
    const Limits limits = limits_of(batch.device);
    const bool clusters = can_cluster(batch.forms, batch.device);
    const int shared_block = limits.shared_block - batch.forms.fixed_bytes,
              registers = registers_of(batch.forms, limits.shared_block, clusters),
              most = clusters ? std::min(resident_cluster, batch.layers) : 1;
    ResidentPlan best;
    best.cost = 1e299;
    for (int cluster = 1; cluster <= most; ++cluster) {
        if (batch.layers % cluster != 0 || !request.allows(1, cluster)) continue;
        const std::int64_t slab = batch.slab_bytes(cluster);
        for (int n = 1; n <= batch.temperatures && n * slab <= shared_block; ++n) {
            if (!request.allows(0, n)) continue;
            const int groups = (batch.temperatures + n - 1) / n;
            for (int warps = 1; warps <= batch.forms.most_threads / 32; ++warps) {
                ResidentPlan plan = batch.cut(n, groups, cluster, warps);
                if (plan.threads == 0 || plan.shared_bytes > shared_block || !request.allows(2, warps))
                    continue;
                const double fit = blocks_together(plan, limits, batch.forms, registers);
                if (fit <= 0) continue;
                plan.cost = batch.cost(plan, Waves(plan, fit, limits.multiprocessors, batch.stacks));
                if (plan.cost < best.cost) best = plan;
            }
        }
    }
    return best;
}

std::string resident_description(const ResidentPlan& plan) {
    const std::string cluster =
        plan.cluster > 1 ? ", " + std::to_string(plan.cluster) + " blocks per cluster" : "";
    return "resident kernel (" + std::to_string(plan.slots_per_block) + " temperatures and " +
           std::to_string(plan.threads) + " threads per block" + cluster + ")";
}

}  // namespace psflip
