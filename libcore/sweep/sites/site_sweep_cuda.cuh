#pragma once

#include "base/cuda_check.cuh"
#include "sweep/sites/site_column_cuda.cuh"
#include "sweep/sites/site_leftovers_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {

/// The number of threads of each block, if several blocks share a colour of a lattice.
inline constexpr int sweep_threads = 256;

/// Draws the first digits of the random numbers of a local index, for a thread's words, and compares them
/// with the thresholds.
template <int Degree, int Words, class Lattice>
__device__ __forceinline__ void compare_words(const Lattice& a, const StepNumbers& numbers,
                                              std::uint32_t local_index, std::uint32_t first_word,
                                              LaneComparison (&lanes)[Words]) {
    const LocalRounds shared(a, local_index);
    RandomBlock r[Words];
#pragma unroll
    for (int digit = full_digits - 1; digit >= 0; --digit) {
        WordRounds rounds[Words];
#pragma unroll
        for (int w = 0; w < Words; ++w) rounds[w] = numbers.rounds[digit][Words == 4 ? w : first_word];
        draw_planes(shared, rounds, {a.seed}, r);
        compare_plain_digit<Degree>(a, digit, r, lanes);
    }
}

/// Updates the sites of a colour in the `rows` rows of a column from row `first` on. All threads must call it
/// with one number of rows. valid: the thread has sites; otherwise its results are not stored. Part: rows
/// from `end` on are left out, and words at the ends are sent.
template <bool Part, int Degree, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void sweep_column(const Column<Words, Lattice>& column, const StepNumbers& numbers,
                                             bool valid, std::uint32_t first, std::uint32_t rows,
                                             std::uint32_t end, const SitesPart* part, uint4* queue) {
    const Lattice& a = column.a;
    WarpLeftovers<Degree, Words> leftovers(queue, a, numbers.sweep);

    Near<Degree, Words> near;
    near.of[3] = column.below(a.spins, first);
    near.of[0] = column.here(a.spins, first);
    for (std::uint32_t row = first; row < first + rows; ++row) {
        const std::uint32_t y = Part ? min(row, end - 1) : row;
        const bool own_row = Part ? valid && row < end : valid;
        near.of[1] = column.beside(a.spins, y);
        near.of[2] = column.above(a.spins, y);
        load_across(column, a.spins, y, near);
        const std::uint32_t word = column.row(column.colour, y, column.z) + column.h;
        WordVector<Words>* const at_own = vector_at<Words>(a.spins + word, column.first_word);
        LocalWords<Words> own = words_of_vector<Words>(*at_own);
        LaneComparison lanes[Words];
        Near<Degree, Words> bond;
        if constexpr (Glass) bond = load_bonds<Degree>(column, y);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            DeviceWord e[Degree];
            unsatisfied<Glass>(own, near, bond, w, e);
            lanes[w].start(e, {own_row ? ~0u : 0u});
        }
        const std::uint32_t local_index = column.local_index(y);
        compare_words<Degree>(a, numbers, local_index, column.first_word, lanes);
#pragma unroll
        for (int w = 0; w < Words; ++w) own.word[w] = lanes[w].flipped({own.word[w]}).bits;
        if (own_row) *at_own = vector_of_words(own);
        leftovers.add(a, lanes, lane_words * word + column.first_word, local_index);
        near.of[3] = near.of[0];
        near.of[0] = near.of[2];
    }
    leftovers.finish(a);
    if constexpr (Part) {
        __syncwarp();  // other threads of the warp have changed words, too
        for (std::uint32_t y = first; y < end; ++y) {
            const std::uint32_t plane = Degree == 6 ? column.z : y,
                                word = column.row(column.colour, y, column.z) + column.h;
            // Atomic changes of a word are not in the first-level cache.
            if (valid && part->sends(plane)) send_word(*part, plane, word, __ldcg(a.spins + word));
        }
    }
}

/// Names planes of local indices across z.
struct PlaneRange {
    std::uint32_t first, count;
};

/// Updates the sites of a colour in some planes. Each thread has `rows` consecutive rows. All threads must
/// call it.
template <int Degree, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void sweep_rows(const Lattice& a, const StepNumbers& numbers, std::uint32_t colour,
                                           std::uint32_t rows, const PlaneRange& planes, uint4* queue) {
    constexpr std::uint32_t split = lane_words / Words;
    const std::uint32_t chunks = a.ny / rows, all = split * a.row_words * chunks * planes.count,
                        number = blockIdx.x * sweep_threads + threadIdx.x;
    const bool valid = number < all;
    const std::uint32_t i = valid ? number : 0, at = i / split, chunk = at / a.row_words;
    const Column<Words, Lattice> column{a, Words * (i % split), at % a.row_words,
                                        planes.first + chunk / chunks, colour};
    sweep_column<false, Degree, Glass>(column, numbers, valid, chunk % chunks * rows, rows, 0, nullptr,
                                       queue);
}

/// Updates the sites of a colour in the planes of a part. A layer of `order` is one plane in three
/// dimensions. In two dimensions, the lowest and the highest layer are one row, and the others have `rows`
/// rows, the last of them perhaps fewer. So blocks at the ends have published before all other blocks are
/// ready. All threads must call it.
template <int Degree, bool Glass>
__device__ __forceinline__ void sweep_part(const PartArgs& a, const StepNumbers& numbers,
                                           std::uint32_t colour, std::uint32_t rows, const SitesPart& part,
                                           const EndsFirst& order, uint4* queue) {
    const std::uint32_t number = blockIdx.x * sweep_threads + threadIdx.x;
    const bool valid = number < order.all();
    const std::uint32_t i = valid ? number : 0, n = i / order.items, in_layer = i - n * order.items,
                        chunk = in_layer / a.row_words, h = in_layer - chunk * a.row_words,
                        layer = order.layer(n);
    std::uint32_t plane = 0, first = chunk * rows, end = first + rows;
    if constexpr (Degree == 6) {
        plane = part.first + layer;
    } else {
        const bool is_highest = layer > 0 && layer + 1 == order.layers, is_end = layer == 0 || is_highest;
        first = is_highest ? part.last() : part.first + (layer == 0 ? 0 : 1 + (layer - 1) * rows);
        end = is_end ? first + 1 : min(first + rows, part.last());
        rows = __any_sync(~0u, !is_end) ? rows : 1;
    }
    const BlockEnds ends{part, order, sweep_threads};
    wait_for_launch_before();
    ends.await();
    sweep_column<true, Degree, Glass>(Column<lane_words, PartArgs>{a, 0, h, plane, colour}, numbers, valid,
                                      first, rows, end, &part, queue);
    ends.publish();
}

}  // namespace psflip
