// Sweeps of lattices whose subdomains are lanes by demons, from device memory: one launch per colour.
//
//   random numbers --> demons of a chain --> registers
//   device memory --rows of both colours--> registers, which move along y --own colour--> device memory
//
// Per 32 spins of a ferromagnet in two dimensions, with 16 sites of a chain: 14 logic operations to update, 8
// logic operations and 3 wide multiplications to draw. Bytes per 128 spins: 16 read and 16 written of the
// colour, 16 of the other; with couplings 16 more for each bond.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_demons_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 128;

/// Blocks of a multiprocessor that leave a thread room for its words.
constexpr int blocks_at_once(int degree, bool glass, int words) {
    return words == 1 ? 8 : degree == 4 ? (glass ? 6 : 7) : (glass ? 4 : 6);
}

template <int Degree, bool Glass, int Words>
__global__ void __launch_bounds__(threads, blocks_at_once(Degree, Glass, Words))
    sites_demons(const __grid_constant__ SitesArgs a, const __grid_constant__ DemonChains chains,
                 std::uint32_t colour, std::uint64_t sweep, const StepNumbers* of_graph) {
    __shared__ SiteDemonTable table;
    table.fill(a, of_graph == nullptr ? sweep : of_graph->sweep);
    __syncthreads();
    serve_chains<Degree, Glass, Words>(a, chains, table, colour);
}

template <int Degree, bool Glass, int Words>
__global__ void __launch_bounds__(threads, blocks_at_once(Degree, Glass, Words))
    sites_demons_batch(const __grid_constant__ BatchArgs batch, const __grid_constant__ DemonChains chains,
                       std::uint32_t colour, const StepNumbers* of_graph) {
    __shared__ SiteDemonTable table;
    const BatchLattice a(batch);
    table.fill(a, of_graph->sweep);
    __syncthreads();
    serve_chains<Degree, Glass, Words>(a, chains, table, colour);
}

/// Returns the number of threads of a lattice.
std::uint32_t threads_of(const SitesShape& args, const DemonChains& chains, int words) {
    return args.row_words * static_cast<std::uint32_t>(chains.segments() * chains.layers()) *
           static_cast<std::uint32_t>(lane_words / words);
}

}  // namespace

DemonChains site_chains(const SitesShape& args, const SweepRule& rule) {
    return DemonChains::of(static_cast<int>(args.ny), static_cast<int>(args.nz), rule.demon_sites);
}

ThreadPlan plan_sites_demons(const SitesShape& args, const SweepRule& rule, int multiprocessors,
                             std::uint32_t lattices) {
    const DemonChains chains = site_chains(args, rule);
    const std::uint64_t of_four = std::uint64_t{threads_of(args, chains, 4)} * lattices;
    return {of_four >= std::uint64_t{480} * static_cast<std::uint64_t>(multiprocessors) ? 4 : 1,
            static_cast<std::uint32_t>(chains.rows)};
}

void launch_sites_demons(const SitesArgs& args, const SweepRule& rule, const ThreadPlan& plan,
                         std::uint32_t colour, std::uint64_t sweep, cudaStream_t stream,
                         const StepNumbers* of_graph) {
    const DemonChains chains = site_chains(args, rule);
    const auto kernel = with_degree(rule.degree, args.couplings != nullptr, [&]<int Degree, bool Glass>() {
        return plan.words == 4 ? sites_demons<Degree, Glass, 4> : sites_demons<Degree, Glass, 1>;
    });
    launch(kernel, dim3(blocks_for(threads_of(args, chains, plan.words), threads)), dim3(threads), 0, stream,
           args, chains, colour, sweep, of_graph);
}

void launch_batch_demons(const BatchArgs& batch, const SweepRule& rule, const ThreadPlan& plan,
                         const BatchStep& step, cudaStream_t stream) {
    const DemonChains chains = site_chains(batch, rule);
    const std::uint32_t work = threads_of(batch, chains, plan.words),
                        block = std::min<std::uint32_t>(threads, (work + 31) / 32 * 32);
    const auto kernel = with_degree(rule.degree, batch.couplings != nullptr, [&]<int Degree, bool Glass>() {
        return plan.words == 4 ? sites_demons_batch<Degree, Glass, 4> : sites_demons_batch<Degree, Glass, 1>;
    });
    for (std::uint32_t colour = 0; colour < 2; ++colour)
        launch(kernel, dim3(blocks_for(work, block), step.lattices), dim3(block), 0, stream, batch, chains,
               colour, step.of_graph);
}

}  // namespace psflip
