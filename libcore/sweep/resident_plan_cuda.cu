// How a batch is cut into blocks of the resident kernel: a small cost model, evaluated over all numbers of
// temperatures and planes per block.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/kernels_cuda.cuh"

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

/// Relative time of a plan: waves of blocks over the multiprocessors, times thread steps, times the work of a
/// step (one unit per temperature; couplings and addresses 0.45; Philox 0.15 per four temperatures and pack),
/// over the efficiency of the number of warps that hide each other's latencies.
double plan_cost(const ResidentPlan& plan, const Limits& limits, int registers, const SweepArgs& args,
                 int share, std::int64_t units) {
    const int fit_shared = limits.shared_multiprocessor / (plan.shared_bytes + limits.shared_reserved);
    const int fit_registers = limits.registers / (((registers + 7) / 8 * 8) * plan.threads);
    const int fit = std::min({fit_shared, fit_registers, limits.threads / plan.threads, limits.blocks});
    if (fit < 1) return 1e300;
    const std::int64_t blocks = units * plan.groups;
    const std::int64_t slots = std::int64_t{fit} * limits.multiprocessors;
    const std::int64_t waves = (blocks + slots - 1) / slots;
    const std::int64_t together =
        std::min<std::int64_t>(fit, (blocks + limits.multiprocessors - 1) / limits.multiprocessors);
    const double warps = static_cast<double>(together * plan.threads) / 32;
    const int n = plan.slots_per_block,
              quads = n % 4 == 0 || plan.groups == 1 ? (n + 3) / 4 : (n + 3) / 4 + (n % 2 ? 1 : n > 2);
    const int steps = (static_cast<int>(args.geometry.L) + plan.planes - 1) / plan.planes;
    const int packs = share == 1 ? 4 : 128 / share;
    const double work = steps * plan.threads * (n * (share == 1 ? 10.0 : 1.0) + 0.45 + 0.15 * quads * packs);
    return static_cast<double>(waves * together) * work * (warps + 4) / warps;
}

}  // namespace

ResidentPlan plan_resident(const SweepArgs& args, int share, std::int64_t units, int device) {
    const Limits limits = limits_of(device);
    const int registers = resident_registers(share, limits.shared_block);
    const Geometry& g = args.geometry;
    const int lattice_bytes = static_cast<int>(std::min<std::int64_t>(std::int64_t{g.sites} * 16, 1 << 30));
    const int temperatures = static_cast<int>(args.temperatures);
    ResidentPlan best;
    double best_cost = 1e299;
    for (int n = 1; n <= temperatures && n * lattice_bytes <= limits.shared_block; ++n) {
        const int groups = (temperatures + n - 1) / n;
        for (int planes = 1; planes <= static_cast<int>(g.L) && planes * g.plane <= resident_threads;
             ++planes) {
            const ResidentPlan plan{n, groups, planes, static_cast<int>((planes * g.plane + 31) / 32 * 32),
                                    n * lattice_bytes};
            const double cost = plan_cost(plan, limits, registers, args, share, units);
            if (cost < best_cost) {
                best_cost = cost;
                best = plan;
            }
        }
    }
    return best;
}

}  // namespace psflip
