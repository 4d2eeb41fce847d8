// Plain checkerboard sweeps in fields and with the heat bath of a lattice whose subdomains are lanes, from
// device memory: one launch per colour. A thread has all four words of a local index, draws digits of their
// numbers one after the other until all lanes are decided, some three of them, and looks every digit of its
// lanes' thresholds up by class (sweep/cuda/class_comparison_cuda.cuh). Bytes as in sites_streaming_cuda.cu.

#include "base/cuda_check.cuh"
#include "sweep/cuda/class_comparison_cuda.cuh"
#include "sweep/sites/site_column_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 256;

template <int Degree>
__device__ __forceinline__ void to_vectors(const Near<Degree, lane_words>& from, uint4 (&to)[Degree]) {
#pragma unroll
    for (int k = 0; k < Degree; ++k)
        to[k] = {from.of[k].word[0], from.of[k].word[1], from.of[k].word[2], from.of[k].word[3]};
}

/// Updates word number i of a colour and returns it. table_slot: the slot of the table that has the
/// thresholds.
template <int Degree, bool Field, class Lattice>
__device__ __forceinline__ uint4
update_index(const Lattice& a, const ClassArgs& table,
             const typename ClassUpdate<Degree, Field, false>::Shared& shared, std::uint32_t i,
             std::uint32_t colour, std::uint64_t sweep, std::uint32_t table_slot) {
    using Rule = ClassUpdate<Degree, Field, false>;
    const std::uint32_t row = i / a.row_words, y = row % a.ny;
    const Column<lane_words, Lattice> column{a, 0, i % a.row_words, row / a.ny, colour};
    Near<Degree, lane_words> near, bond{};
    near.of[0] = column.here(a.spins, y);
    near.of[1] = column.beside(a.spins, y);
    near.of[2] = column.above(a.spins, y);
    near.of[3] = column.below(a.spins, y);
    load_across(column, a.spins, y, near);
    if (a.couplings != nullptr) bond = load_bonds<Degree>(column, y);
    NearSpins<Degree> spins;
    typename Rule::Site site;
    to_vectors(near, spins.near);
    to_vectors(bond, site.bond);
    uint4* const own = a.spins + colour * a.colour_words + i;
    spins.own = *own;
    const auto draw = [&](std::uint32_t digit, std::uint32_t w) {
        Counter c = make_counter(Purpose::site_bits, column.local_index(y), sweep, a.slot, a.replica, digit,
                                 a.realization);
        c.fields |= w << lane_word_shift;
        return philox(c, a.seed);
    };
    return *own = updated_independent<Degree, Field, false>(table, shared, spins, site, draw, table_slot);
}

template <int Degree, bool Field>
__global__ void __launch_bounds__(threads)
    sites_class(const __grid_constant__ SitesArgs a, const __grid_constant__ ClassArgs table,
                std::uint64_t sweep, std::uint32_t colour) {
    using Rule = ClassUpdate<Degree, Field, false>;
    __shared__ typename Rule::Shared shared;
    Rule::fill(shared, table);
    __syncthreads();
    const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
    if (i < a.colour_words) update_index<Degree, Field>(a, table, shared, i, colour, sweep, 0);
}

/// A layer of `order` is a plane.
template <int Degree, bool Field>
__global__ void __launch_bounds__(threads)
    sites_class_part(const __grid_constant__ PartArgs a, const __grid_constant__ ClassArgs table,
                     std::uint64_t sweep, std::uint32_t colour, const __grid_constant__ SitesPart part,
                     const __grid_constant__ EndsFirst order) {
    using Rule = ClassUpdate<Degree, Field, false>;
    __shared__ typename Rule::Shared shared;
    Rule::fill(shared, table);
    __syncthreads();
    const BlockEnds ends{part, order, threads};
    ends.await();
    const std::uint32_t number = blockIdx.x * threads + threadIdx.x, n = number / order.items;
    if (number < order.all()) {
        const std::uint32_t plane = part.first + order.layer(n),
                            i = plane * order.items + (number - n * order.items);
        const uint4 word = update_index<Degree, Field>(a, table, shared, i, colour, sweep, 0);
        if (part.sends(plane)) send_word(part, plane, colour * a.colour_words + i, word);
    }
    ends.publish();
}

template <int Degree, bool Field>
__global__ void __launch_bounds__(threads)
    sites_class_batch(const __grid_constant__ BatchArgs batch, const __grid_constant__ ClassArgs table,
                      std::uint32_t colour, const __grid_constant__ BatchStep step) {
    using Rule = ClassUpdate<Degree, Field, false>;
    __shared__ typename Rule::Shared shared;
    Rule::fill(shared, table);
    __syncthreads();
    const BatchLattice a(batch);
    const std::uint64_t sweep = step.of_graph->sweep;
    const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
    if (i < a.colour_words) update_index<Degree, Field>(a, table, shared, i, colour, sweep, a.slot);
}

}  // namespace

void launch_sites_class(const SitesArgs& args, const ClassArgs& table, const SweepRule& rule,
                        const SitesPart* part, std::uint32_t colour, std::uint64_t sweep,
                        cudaStream_t stream) {
    if (part) {
        const EndsFirst order{part->planes, plane_words(args, rule.degree / 2)};
        return launch(with_degree(rule.degree, rule.field,
                                  [&]<int Degree, bool Field>() { return sites_class_part<Degree, Field>; }),
                      dim3(blocks_for(order.all(), threads)), dim3(threads), 0, stream, PartArgs{args}, table,
                      sweep, colour, *part, order);
    }
    launch(with_degree(rule.degree, rule.field,
                       [&]<int Degree, bool Field>() { return sites_class<Degree, Field>; }),
           dim3(blocks_for(args.colour_words, threads)), dim3(threads), 0, stream, args, table, sweep,
           colour);
}

void launch_batch_class(const BatchArgs& batch, const ClassArgs& table, const SweepRule& rule,
                        const BatchStep& step, cudaStream_t stream) {
    const auto kernel = with_degree(
        rule.degree, rule.field, [&]<int Degree, bool Field>() { return sites_class_batch<Degree, Field>; });
    for (std::uint32_t colour = 0; colour < 2; ++colour)
        launch(kernel, dim3(blocks_for(batch.colour_words, threads), step.lattices), dim3(threads), 0, stream,
               batch, table, colour, step);
}

}  // namespace psflip
