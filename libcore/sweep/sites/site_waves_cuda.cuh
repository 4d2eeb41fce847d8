#pragma once

#include "sweep/sites/site_demons_cuda.cuh"

namespace psflip {

// Both colours of a sweep in one launch, for ferromagnets in two dimensions that are larger than L2. Segments
// of rows are updated one after the other: red sites, and `lag` segments behind them black sites, whose rows
// are then still in L2. The black sites of a segment need the red sites of three segments, in the ring of all
// rows. So every half sweep begins one segment later than the half sweep before.
//
// Blocks take tickets in this order. A block waits until the half sweep before has finished the three
// segments. All these segments have earlier tickets, so no block waits forever.

/// Describes the blocks of a launch.
struct WaveLaunch {
    std::uint32_t segments, blocks;  ///< of a half sweep; of a segment
    std::uint32_t lag;               ///< at least 3, at most segments - 2
    std::uint32_t sweeps;
    std::uint64_t first_sweep;
    std::uint32_t* progress;  ///< next ticket; blocks that have finished each segment; all 0 at the start

    PSFLIP_HD std::uint32_t tickets() const { return 2 * sweeps * segments * blocks; }
};

/// Says what the block with a ticket does.
struct WaveTask {
    std::uint32_t half;  ///< 2 sweep + colour, from the start of the launch
    std::uint32_t segment, block;

    PSFLIP_HD WaveTask(const WaveLaunch& w, std::uint32_t ticket) {
        const std::uint32_t turn = ticket / w.blocks, all = w.sweeps * w.segments;
        std::uint32_t colour = 0, position = turn;
        if (turn >= 2 * all - w.lag) {
            colour = 1;
            position = turn - all;
        } else if (turn >= w.lag) {
            const std::uint32_t after = turn - w.lag;
            colour = after % 2 == 0 ? 1 : 0;
            position = after / 2 + (colour == 0 ? w.lag : 0);
        }
        const std::uint32_t sweep = position / w.segments;
        half = 2 * sweep + colour;
        segment = (position - sweep * w.segments + half) % w.segments;
        block = ticket - turn * w.blocks;
    }
    /// Returns the segment before, the segment, or the segment after, for 0, 1 and 2.
    PSFLIP_HD std::uint32_t neighbour(const WaveLaunch& w, std::uint32_t k) const {
        return (segment + w.segments - 1 + k) % w.segments;
    }
};

/// SitesArgs whose spins other blocks of the launch update.
struct WaveArgs : SitesArgs {
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return *from;
    }
};

/// Holds the words of two rows that a march needs, without the rows of the other colour that it has.
template <int Words>
struct RowPair {
    LocalWords<Words> own[2], beside[2], above[2];
};

/// Moves along a chain of one colour, two rows at a time.
template <int Words>
struct PairMarch {
    using Vector = WordVector<Words>;
    const Column<Words, WaveArgs>& column;
    Vector* own;           ///< word of the first row of the pair
    const Vector* other;   ///< word of the other colour
    std::uint32_t row;     ///< vectors of a row
    std::int32_t side;     ///< from `other` to the second neighbour along x in the first row
    bool edge, next_edge;  ///< this neighbour lies in another subdomain: in the first row, in the second

    __device__ __forceinline__ PairMarch(const Column<Words, WaveArgs>& c, std::uint32_t first_y)
        : column(c),
          own(vector_at<Words>(c.a.spins + c.row(c.colour, first_y, 0) + c.h, c.first_word)),
          other(vector_at<Words>(c.a.spins + c.row(c.colour ^ 1, first_y, 0) + c.h, c.first_word)),
          row(c.a.row_words * (lane_words / Words)) {
        constexpr std::int32_t next = lane_words / Words;
        const bool up = c.odd(first_y);
        side = up ? next : -next;
        const bool is_last = c.h == c.a.row_words - 1, is_first = c.h == 0;
        edge = up ? is_last : is_first;
        next_edge = up ? is_first : is_last;
    }
    __device__ __forceinline__ static LocalWords<Words> load(const Vector* from) {
        return words_of_vector<Words>(*from);
    }
    __device__ __forceinline__ RowPair<Words> rows(std::uint32_t y) const {
        const uint4* const spins = column.a.spins;
        RowPair<Words> pair;
        pair.own[0] = load(own);
        pair.own[1] = load(own + row);
        pair.beside[0] = edge ? column.beside(spins, y) : load(other + side);
        pair.above[0] = load(other + row);
        pair.beside[1] = next_edge ? column.beside(spins, y + 1) : load(other + row - side);
        pair.above[1] = y + 2 == column.a.ny ? column.above(spins, y + 1) : load(other + 2 * row);
        return pair;
    }
    __device__ __forceinline__ void go() {
        own += 2 * row;
        other += 2 * row;
    }
};

/// Serves the chain of a thread. The chain has an even number of rows.
template <int Words>
__device__ __forceinline__ void serve_pairs(const Column<Words, WaveArgs>& column, std::uint32_t first_y,
                                            std::uint32_t end_y, Demons<DeviceWord> (&demons)[Words]) {
    PairMarch<Words> march(column, first_y);
    Near<4, Words> near;
    near.of[3] = column.below(column.a.spins, first_y);
    near.of[0] = column.here(column.a.spins, first_y);
    RowPair<Words> next = march.rows(first_y);
#pragma unroll 1
    for (std::uint32_t y = first_y; y < end_y; y += 2) {
        const RowPair<Words> pair = next;
        WordVector<Words>* const at = march.own;
        march.go();
        if (y + 2 < end_y) next = march.rows(y + 2);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            near.of[1] = pair.beside[k];
            near.of[2] = pair.above[k];
            LocalWords<Words> spins;
#pragma unroll
            for (int w = 0; w < Words; ++w) {
                DeviceWord e[4];
                unsatisfied<false>(pair.own[k], near, near, w, e);
                spins.word[w] = demon_updated_spin(DeviceWord{pair.own[k].word[w]}, e, demons[w]).bits;
            }
            at[k * march.row] = vector_of_words(spins);
            near.of[3] = near.of[0];
            near.of[0] = near.of[2];
        }
    }
}

/// Updates the sites of a block's task.
template <int Words>
__device__ __forceinline__ void serve_task(const WaveArgs& a, std::uint32_t rows, const WaveTask& task,
                                           const SiteDemonTable& table) {
    constexpr std::uint32_t split = lane_words / Words;
    const std::uint32_t number = task.block * blockDim.x + threadIdx.x;
    if (number >= split * a.row_words) return;
    const Column<Words, WaveArgs> column{a, Words * (number % split), number / split, 0, task.half % 2};
    const std::uint32_t first_y = task.segment * rows;
    Demons<DeviceWord> demons[Words];
    draw_site_demons(a, table, column.local_index(first_y), column.first_word, demons);
    serve_pairs(column, first_y, min(first_y + rows, a.ny), demons);
}

}  // namespace psflip
