#pragma once

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

/// Updates the sites of a colour in some planes. Each thread has `rows` consecutive rows. All threads must
/// call it.
template <int Degree, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void sweep_rows(const Lattice& a, const StepNumbers& numbers, std::uint32_t colour,
                                           std::uint32_t rows, const SitesPart& part, uint4* queue) {
    constexpr std::uint32_t split = lane_words / Words;
    const std::uint32_t chunks = a.ny / rows, all = split * a.row_words * chunks * part.planes,
                        number = blockIdx.x * sweep_threads + threadIdx.x;
    const bool valid = number < all;
    const std::uint32_t i = valid ? number : 0, at = i / split, chunk = at / a.row_words;
    const Column<Words, Lattice> column{a, Words * (i % split), at % a.row_words, part.first + chunk / chunks,
                                        colour};
    WarpLeftovers<Degree, Words> leftovers(queue, a, numbers.sweep);
    const std::uint32_t first = chunk % chunks * rows;

    Near<Degree, Words> near;
    near.of[3] = column.below(a.spins, first);
    near.of[0] = column.here(a.spins, first);
    for (std::uint32_t y = first; y < first + rows; ++y) {
        near.of[1] = column.beside(a.spins, y);
        near.of[2] = column.above(a.spins, y);
        load_across(column, a.spins, y, near);
        const std::uint32_t word = column.row(colour, y, column.z) + column.h;
        WordVector<Words>* const at_own = vector_at<Words>(a.spins + word, column.first_word);
        LocalWords<Words> own = words_of_vector<Words>(*at_own);
        LaneComparison lanes[Words];
        Near<Degree, Words> bond;
        if constexpr (Glass) bond = load_bonds<Degree>(column, y);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            DeviceWord e[Degree];
            unsatisfied<Glass>(own, near, bond, w, e);
            lanes[w].start(e, {valid ? ~0u : 0u});
        }
        const std::uint32_t local_index = column.local_index(y);
        compare_words<Degree>(a, numbers, local_index, column.first_word, lanes);
#pragma unroll
        for (int w = 0; w < Words; ++w) own.word[w] = lanes[w].flipped({own.word[w]}).bits;
        if (valid) *at_own = vector_of_words(own);
        leftovers.add(a, lanes, lane_words * word + column.first_word, local_index);
        near.of[3] = near.of[0];
        near.of[0] = near.of[2];
    }
    leftovers.finish(a);
}

}  // namespace psflip
