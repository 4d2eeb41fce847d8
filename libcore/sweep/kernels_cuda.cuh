#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "model/thresholds.hpp"
#include "random/philox.hpp"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// What the sweep kernels need, passed by value. Spins: (column, replica, slot, site) of 16-byte words of
/// 128 realizations; couplings: (column, direction, site).
struct SweepArgs {
    Geometry geometry;
    uint4* spins;
    const uint4* couplings;
    std::uint32_t replicas, temperatures;
    std::uint32_t first_realization;  ///< below 2^31: pack numbers have 24 bits
    std::uint64_t seed;
    Thresholds thresholds[max_temperatures];
};

/// How the resident kernel cuts a batch into blocks; made by plan_resident.
struct ResidentPlan {
    int slots_per_block = 0;  ///< lattices in shared memory; 0: they do not fit, stream instead
    int groups = 0;           ///< slot groups per (column, replica)
    int threads = 0;
    int bond_sites = 0;     ///< of a thread that counts energies
    int lattice_bytes = 0;  ///< of shared memory
    int shared_bytes = 0;   ///< with the queues and tables of share 1
    int cluster = 1;        ///< blocks that share a slot group; each has L / cluster planes
    double cost = 0;        ///< of a sweep: microseconds on one H200; share 1: see independent_cost
};

/// How the tiled kernel cuts a batch; made by plan_tiled.
struct TiledPlan {
    int half = 0;    ///< tile: sites of one colour along x; 0: no plan
    int rows = 0;    ///< tile: rows along y
    int chunks = 0;  ///< pieces along z
    int groups = 0;  ///< of up to four lattices, per column
    int blocks = 0, threads = 0, shared_bytes = 0;
    bool quads = false;  ///< groups are fours of neighbouring slots and share Philox calls
    double cost = 0;     ///< of a sweep: microseconds on one H200
};

/// How the streaming kernel cuts a batch; made by plan_streaming.
struct StreamingPlan {
    std::int64_t columns_at_once = 0;
    std::uint32_t slots = 0, grid_y = 0;  ///< temperatures of a thread; parts
};

/// An exchange that has been decided but not carried out on the spins: `mask` (unit, step) has the accepted
/// lanes of the pair of slots (2 step - parity, + 1). Null: there is none.
struct PendingExchange {
    const uint4* mask = nullptr;
    std::int32_t parity = 0;
    std::uint32_t steps = 0;
};

#ifdef __CUDACC__
/// The masked exchange of bits.
__device__ __forceinline__ void exchange_words(uint4& p, uint4& q, const uint4& mask) {
    const uint4 d{(p.x ^ q.x) & mask.x, (p.y ^ q.y) & mask.y, (p.z ^ q.z) & mask.z, (p.w ^ q.w) & mask.w};
    p = {p.x ^ d.x, p.y ^ d.y, p.z ^ d.z, p.w ^ d.w};
    q = {q.x ^ d.x, q.y ^ d.y, q.z ^ d.z, q.w ^ d.w};
}
__device__ __forceinline__ void exchange_words(std::uint32_t& p, std::uint32_t& q, std::uint32_t mask) {
    const std::uint32_t d = (p ^ q) & mask;
    p ^= d;
    q ^= d;
}
#endif

/// A launch of the resident kernel: first what is pending between slots of the same block, then sweeps
/// first, ..., first + count - 1, then, unless null, the energies (unit, slot, lane).
struct ResidentBurst {
    std::int64_t first;
    int count;
    PendingExchange pending;
    std::int32_t* energy;
};

/// Does it for `units` = columns * replicas.
void launch_resident(const SweepArgs& args, int share, const ResidentPlan& plan, std::int64_t units,
                     const ResidentBurst& burst, cudaStream_t stream);

/// Largest number of threads per block of the resident kernel: leaves each 128 registers.
inline constexpr int resident_threads = 512;

/// Shared memory that share 1 needs besides the lattices, see leftovers_cuda.cuh and SlotTable.
inline constexpr int leftover_bytes_per_thread = 36, slot_table_bytes = 512;

/// Largest number of blocks in a cluster.
inline constexpr int resident_cluster = 16;

/// Whether there is a clustered kernel (not for share 1, whose streaming kernel is as fast on lattices that
/// do not fit), the device launches clusters, and the kernel was compiled for devices that do (compute
/// capability 9).
bool resident_can_cluster(int share, int device);

/// Registers per thread of the resident kernel, of its clustered form too where `clusters`; also lets it use
/// up to `max_shared` bytes of shared memory.
int resident_registers(int share, int max_shared, bool clusters);

/// Clusters of a plan that the device can hold at the same time.
int resident_clusters(int share, const ResidentPlan& plan);

/// The best plan for the device that the request allows, by a small cost model; see resident_plan_cuda.cu.
/// None where the lattices do not fit or, if it may be chosen, the streaming kernel is faster (share 1).
ResidentPlan plan_resident(const SweepArgs& args, int share, std::int64_t units, int device,
                           const KernelRequest& request);

/// One sweep from args.spins into `new_spins`; see tiled_cuda.cu.
void launch_tiled(const SweepArgs& args, int share, const TiledPlan& plan, std::int64_t sweep,
                  uint4* new_spins, cudaStream_t stream);

/// The best plan that the request allows, by a small cost model; none for share 1, or where memory does not
/// suffice for a second array of spins.
TiledPlan plan_tiled(const SweepArgs& args, int share, std::int64_t columns, int device,
                     const KernelRequest& request);

/// The same sweeps from device memory, one launch per colour, for columns [0, columns). Not for share 1.
void launch_streaming(const SweepArgs& args, int share, const StreamingPlan& plan, std::int64_t columns,
                      std::int64_t first, int count, cudaStream_t stream);
StreamingPlan plan_streaming(const SweepArgs& args, std::int64_t columns, int device);

/// How share 1 cuts a colour of `columns` columns into blocks.
struct IndependentStreamingPlan {
    std::int64_t lattices = 0;  ///< of a thread
    std::int64_t parts = 0;     ///< of a column's lattices
    double updates = 0;         ///< time: updates one after the other with 16 warps on a multiprocessor
};

IndependentStreamingPlan plan_streaming_independent(const SweepArgs& args, std::int64_t columns, int device);

/// A stream beside the main one.
class SideStream {
  public:
    SideStream();
    ~SideStream();
    SideStream(const SideStream&) = delete;
    cudaStream_t handle() const { return stream_; }
    /// Lets it wait for all that the main stream has been given, and the main stream for it.
    void fork(cudaStream_t main) const;
    void join(cudaStream_t main) const;

  private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t event_ = nullptr;
};

/// launch_streaming for share 1.
void launch_streaming_independent(const SweepArgs& args, std::int64_t columns, std::int64_t first, int count,
                                  cudaStream_t stream, const SideStream& side);

}  // namespace psflip
