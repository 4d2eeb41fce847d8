#pragma once

#include <memory>
#include <string>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// How the fused kernel cuts a batch. A strand, all temperatures of 32 `words` lanes of one column and
/// replica, belongs to one or several blocks; a thread has one site of each colour. Made by plan_fused.
struct FusedPlan {
    int words = 0;    ///< 32-bit words of a thread: 1 or 4; 0: no plan
    int slots = 0;    ///< temperatures per block
    int teams = 0;    ///< of threads per block; they share its temperatures evenly
    int blocks = 0;   ///< per strand; where there are several, all blocks of a launch run at the same time
    int at_once = 0;  ///< strands of a launch
    int team_threads = 0;  ///< sites of a colour, rounded up to whole warps
    int bond_sites = 0;    ///< of a thread that counts energies
    int shared_bytes = 0;

    int threads() const { return teams * team_threads; }
};

/// A walker's label: its number and, times this, its last end (TemperingState); 8 bits.
inline constexpr unsigned label_ends = 64;
static_assert(max_temperatures <= 64 && 3 * label_ends <= 256);

/// Where things lie in the shared memory of a block, in bytes. Local slots are its temperatures and, before
/// and behind them, those next to them that other blocks have.
struct FusedLayout {
    unsigned slots;         ///< local ones, at most
    unsigned colour_words;  ///< of the sites of a colour; with 128 lanes of a thread whole tiles
    unsigned couplings;     ///< (direction, site) of 32 lanes; those of 128 stay in device memory
    unsigned energy;        ///< int32 (local slot, lane)
    unsigned mask;          ///< (local slot, word): accepted lanes of it with the next one
    unsigned label;  ///< uint8 (local slot, lane): number of the walker + label_ends times its last end
    unsigned bytes;
};
FusedLayout fused_layout(int L, const FusedPlan& plan);

/// 32-bit words of a message between the blocks of a strand: spins, energies and labels of one temperature.
std::int64_t fused_message_words(int L, const FusedPlan& plan);
/// 64-bit words of the mailboxes of a launch: (strand, edge, direction, buffer, word of the message).
std::int64_t fused_mailbox_words(int L, const FusedPlan& plan);

/// What the kernel needs: `bursts` times sweeps_per_swap sweeps, from number `first` on, and an exchange.
struct FusedArgs {
    SweepArgs sweep;
    ExchangeArgs exchange;
    FusedPlan plan;
    FusedLayout layout;
    const uint4* gauged;  ///< GaugedBonds of whole lattices, for 128 lanes of a thread
    std::uint64_t* mailboxes;
    std::uint32_t message_words;
    std::uint32_t first_message;  ///< number of the first exchange's messages; none in the mailboxes has it
    std::uint32_t first_strand;   ///< of the launch
    std::uint32_t share;
    std::int32_t bursts, sweeps_per_swap;
    std::int64_t first;
};

/// Leaves spins, energies, walkers and counts of `strands` strands as so many sweeps and exchanges one by one
/// would.
void launch_fused(const FusedArgs& args, std::int64_t strands, cudaStream_t stream);

/// Largest number of threads of a block: leaves each 128 registers.
inline constexpr int fused_threads = 512;

/// Blocks of a plan that the device holds at the same time.
std::int64_t fused_blocks_at_once(int share, const FusedPlan& plan, int device);

/// The kernel with its best plan for a batch, see fused_plan_cuda.cu. None where the request is for another
/// kernel, or is free and the lattice too large. Throws EnvironmentError where the request is for a fused
/// plan that does not exist.
std::unique_ptr<PeriodKernel> plan_fused(const SweepArgs& args, const PlannedBatch& batch,
                                         const KernelRequest& request);

}  // namespace psflip
