// Declares the fused kernel. One launch does many bursts of sweeps, each followed by an exchange of
// temperatures. It sweeps cubes with at most 512 sites per colour (L <= 10) and every bond, with share 32, 64
// or 128, and keeps spins in shared memory. fused_cuda.cu shows the order of its steps, fused_plan_cuda.cu
// its cost model.
#pragma once

#include <memory>
#include <string>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Says how the fused kernel cuts a batch; plan_fused makes it. A column is 128 consecutive realizations, one
/// in each lane (bit). A lane group has 32 * words lanes of one column and replica. All temperatures of a
/// lane group belong to one block, or to several blocks that send each other messages. A thread updates one
/// site of each colour in slots / thread_groups temperatures. In the narrow form this quotient is 1, 2 or 4.
struct FusedPlan {
    int words = 0;          ///< 32-bit words of a thread: 1 (narrow form) or 4 (wide form); 0: no plan
    int slots = 0;          ///< temperatures per block; the last block of a lane group may have fewer
    int thread_groups = 0;  ///< thread groups per block, which share its temperatures evenly
    /// Blocks per lane group. If there are several, all blocks of a launch must run at the same time.
    int blocks = 0;
    int at_once = 0;              ///< lane groups of a launch
    int group_threads = 0;        ///< sites of a colour, rounded up to whole warps
    int bond_sites = 0;           ///< red sites per thread when energies are counted, by the plain rule
    bool magnetisations = false;  ///< whether exchanges need magnetisations
    /// Bytes of dynamic shared memory of a block.
    int shared_bytes = 0;

    int threads() const { return thread_groups * group_threads; }
};

/// A walker's label has 8 bits: the number of the walker (0 to 63), plus label_ends times
/// TemperingState::last_end. last_end is 0, 1 or 2 and says which end of the ladder the walker visited last.
inline constexpr unsigned label_ends = 64;
static_assert(max_temperatures <= 64 && 3 * label_ends <= 256);

/// Holds the layout of the shared memory of a block: two numbers, then offsets in bytes from its beginning,
/// and the size. The spins begin at offset 0: (site / n, local slot, site % n) with n = 32 / FusedPlan::words
/// sites in 128 bytes, the layout of SharedTiles (cuda/lattices_cuda.cuh). Red sites have the numbers 0, 1,
/// ..., and the first black site has the number colour_words. Local slots are the temperatures of the block
/// and the adjacent temperatures of other blocks.
struct FusedLayout {
    unsigned slots;  ///< maximum number of local slots
    /// Number of site numbers for a colour: L^3 / 2, in the wide form rounded up to a multiple of 8. Each
    /// takes 4 * FusedPlan::words bytes in a local slot.
    unsigned colour_words;
    unsigned couplings;  ///< (direction, site) of 32 lanes; in the wide form couplings stay in device memory
    unsigned energy;     ///< int32 (local slot, lane), in units of J
    unsigned magnetisation;  ///< int32 (local slot, lane), if FusedPlan::magnetisations
    unsigned mask;           ///< (local slot, word): accepted lanes of the pair with the next slot
    unsigned label;          ///< uint8 (local slot, lane): label of the walker
    /// Size of the shared memory of a block.
    unsigned bytes;
};
/// Returns the layout for lattices of L^3 sites.
FusedLayout fused_layout(int L, const FusedPlan& plan);

/// Returns the number of 32-bit words of a message between blocks. A message is about one temperature. It has
/// spins (word, site), then int32 energies (lane), magnetisations (lane) if FusedPlan::magnetisations, and
/// labels (lane), four labels in a word.
std::int64_t fused_message_words(int L, const FusedPlan& plan);
/// Returns the number of 64-bit words of the mailboxes of a launch: (lane group of the launch; edge between
/// block `edge` and the next; direction 0 to the next block, 1 to the previous; 2 buffers; word of the
/// message). The result is 0 if a lane group has one block. A 64-bit word has the number of its exchange in
/// bits 32 to 63 and a word of the message in bits 0 to 31. A receiver waits until it reads the number of its
/// exchange.
std::int64_t fused_mailbox_words(int L, const FusedPlan& plan);

/// Holds the arguments of the kernel, passed by value. All pointers refer to device memory. The kernel
/// repeats `bursts` times: sweeps_per_swap sweeps, from number `first` on, and then an exchange.
struct FusedArgs {
    /// Spins of whole lattices, which the kernel reads and writes back, their couplings and thresholds.
    SweepArgs sweep;
    /// Walkers, last ends and counts, which the kernel updates, and energies. After the last burst, the
    /// kernel writes the energies of the final spins.
    ExchangeArgs exchange;
    FusedPlan plan;
    FusedLayout layout;
    /// GaugedBonds (cuda/gauge_cuda.cuh) of whole lattices: words (column, direction, site). The four
    /// directions are the bonds in +x, the bonds in +y, the seam, and the mask of turned spins. Only the wide
    /// form of the plain rule reads them.
    const uint4* gauged;
    /// Mailboxes of fused_mailbox_words words. They are 0 before the first launch and stay between launches.
    std::uint64_t* mailboxes;
    /// Words of a message: fused_message_words.
    std::uint32_t message_words;
    /// Number of the launch's first exchange: at least 1, and larger than all numbers in the mailboxes.
    std::uint32_t first_message;
    std::uint32_t first_lane_group;  ///< first lane group of the launch
    /// Realizations with one random number: 32, 64 or 128.
    std::uint32_t share;
    std::int32_t bursts, sweeps_per_swap;  ///< bursts: number of exchanges of the launch
    std::int64_t first;                    ///< number of the first sweep
};

/// Launches the kernel for `lane_groups` lane groups (at most FusedPlan::at_once) in `stream`, and returns
/// before the kernel ends. Before the launch, call fused_blocks_at_once with the same plan. That call raises
/// the kernel's limit of shared memory. If a lane group has several blocks, the launch is cooperative.
/// Results equal the results of separate sweeps and exchanges, bit for bit. Errors: EnvironmentError if the
/// launch fails.
void launch_fused(const FusedArgs& args, const ClassArgs& table, const SweepRule& rule,
                  std::int64_t lane_groups, cudaStream_t stream);

/// Maximum number of threads per block. It leaves 128 registers for each thread.
inline constexpr int fused_threads = 512;

/// Returns the number of blocks of a plan that the device holds at the same time. Also raises the kernel's
/// limit of shared memory, which launch_fused needs. share: 32, 64 or 128. device: number of the current CUDA
/// device. Errors: EnvironmentError if CUDA fails.
std::int64_t fused_blocks_at_once(const SweepRule& rule, int share, const FusedPlan& plan, int device);

/// Returns the kernel of a class rule without absent bonds. Its parameters are FusedArgs, ClassArgs.
const void* fused_class_kernel(const SweepRule& rule, int share);

/// Returns the kernel with its best plan for a batch (fused_plan_cuda.cu). Returns null in these cases:
/// - the request names another kernel, or no plan has the numbers of the request (KernelRequest);
/// - no plan fits into shared memory;
/// - the device has no cooperative launches, and all plans that fit have several blocks per lane group;
/// - a colour has more than 512 sites (L > 10);
/// - share is 1, or there is one temperature;
/// - the model is two-dimensional, has absent bonds, demons or cluster updates, or has the plain rule but is
///   not the ±J glass (exchanges_by_table).
///
/// The caller ensures whole lattices and sweeps_per_swap > 0. args: geometry and sizes of the batch.
std::unique_ptr<PeriodKernel> plan_fused(const SweepArgs& args, const PlannedBatch& batch,
                                         const KernelRequest& request);

}  // namespace psflip
