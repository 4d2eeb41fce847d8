#pragma once

#include <memory>
#include <string>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// How the fused kernel cuts a batch; made by plan_fused. A lane group has 32 * words lanes of one column and
/// replica. All its temperatures belong to one or several blocks. A thread updates one site of each colour.
struct FusedPlan {
    int words = 0;          ///< 32-bit words of a thread: 1 or 4; 0: no plan
    int slots = 0;          ///< temperatures per block
    int thread_groups = 0;  ///< thread groups per block, which share its temperatures evenly
    int blocks = 0;   ///< per lane group; if there are several, all blocks of a launch run at the same time
    int at_once = 0;  ///< lane groups of a launch
    int group_threads = 0;  ///< sites of a colour, rounded up to whole warps
    int bond_sites = 0;     ///< red sites per thread when energies are counted
    int shared_bytes = 0;

    int threads() const { return thread_groups * group_threads; }
};

/// Factor of a walker's last end (TemperingState) in its label, to which its number is added; 8 bits.
inline constexpr unsigned label_ends = 64;
static_assert(max_temperatures <= 64 && 3 * label_ends <= 256);

/// Layout of the shared memory of a block: two numbers, and then offsets in bytes. Local slots are the
/// temperatures of the block and the adjacent temperatures of other blocks.
struct FusedLayout {
    unsigned slots;         ///< maximum number of local slots
    unsigned colour_words;  ///< words of a colour; with 128 lanes per thread in whole tiles
    unsigned couplings;     ///< (direction, site) of 32 lanes; with 128 lanes they stay in device memory
    unsigned energy;        ///< int32 (local slot, lane)
    unsigned mask;          ///< (local slot, word): accepted lanes of the pair with the next slot
    unsigned label;  ///< uint8 (local slot, lane): number of the walker + label_ends times its last end
    unsigned bytes;
};
FusedLayout fused_layout(int L, const FusedPlan& plan);

/// Returns the 32-bit words of a message between blocks: spins, energies and labels of one temperature.
std::int64_t fused_message_words(int L, const FusedPlan& plan);
/// Returns the 64-bit words of the mailboxes of a launch: (lane group, edge, direction, buffer, word of the
/// message).
std::int64_t fused_mailbox_words(int L, const FusedPlan& plan);

/// Arguments of the kernel. It repeats `bursts` times: sweeps_per_swap sweeps, from number `first` on, and
/// then an exchange.
struct FusedArgs {
    SweepArgs sweep;
    ExchangeArgs exchange;
    FusedPlan plan;
    FusedLayout layout;
    const uint4* gauged;  ///< GaugedBonds of whole lattices, for 128 lanes per thread
    std::uint64_t* mailboxes;
    std::uint32_t message_words;
    std::uint32_t first_message;     ///< number of the first exchange's messages, new to the mailboxes
    std::uint32_t first_lane_group;  ///< first lane group of the launch
    std::uint32_t share;
    std::int32_t bursts, sweeps_per_swap;
    std::int64_t first;
};

/// Launches the kernel for `lane_groups` lane groups. Its results equal the results of separate
/// sweeps and exchanges.
void launch_fused(const FusedArgs& args, std::int64_t lane_groups, cudaStream_t stream);

/// Maximum number of threads per block, which leaves each 128 registers.
inline constexpr int fused_threads = 512;

/// Returns the number of blocks of a plan that the device holds at the same time.
std::int64_t fused_blocks_at_once(int share, const FusedPlan& plan, int device);

/// Returns the kernel with its best plan for a batch; see fused_plan_cuda.cu. Returns null if the
/// request is for another kernel, or if the lattice or the plan does not suit the kernel.
std::unique_ptr<PeriodKernel> plan_fused(const SweepArgs& args, const PlannedBatch& batch,
                                         const KernelRequest& request);

}  // namespace psflip
