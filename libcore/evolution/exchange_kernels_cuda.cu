// Decides the replica exchange between neighbouring temperatures, per realization.
//
// A thread has one (column, replica, lane, step). Step j has the slots 2j - parity and 2j - parity + 1, so
// that slots without a partner at either end are covered, too. A thread exchanges the energies and walkers of
// its slots, counts, and notes walkers at the ends of the ladder. The warp's ballot is the mask of accepted
// lanes. A thread reads 8 B of energies and 2 B of walkers, writes as many if it accepts, and makes one
// Philox call.
//
// The spins follow by the mask, see sweep/cuda/spin_exchange_cuda.cu.

#include "base/cuda_check.cuh"
#include "evolution/exchange_kernels_cuda.cuh"
#include "sweep/cuda/exchange_step_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

namespace {

constexpr int decide_threads = 128;

/// Decides the slots 2y - parity and 2y - parity + 1 of step y. Grid: x = stack - first_stack, y = step; a
/// block is the 128 lanes.
template <bool ByTable>
__global__ void __launch_bounds__(decide_threads)
    decide_kernel(const __grid_constant__ ExchangeArgs a, const std::uint64_t completed,
                  const std::int32_t parity) {
    decide_step<ByTable>(a, a.first_stack + blockIdx.x, blockIdx.y, threadIdx.x, completed, parity);
}

}  // namespace

void decide_exchange(const ExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                     std::uint32_t parity) {
    ExchangeArgs own = args;
    own.first_stack = static_cast<std::uint32_t>(part.first_stack());
    own.stacks = static_cast<std::uint32_t>(part.stacks());
    launch(args.tables ? decide_kernel<true> : decide_kernel<false>,
           dim3(own.stacks, exchange_steps(own.temperatures)), dim3(decide_threads), 0, part.stream, own,
           completed, static_cast<std::int32_t>(parity));
}

}  // namespace psflip
