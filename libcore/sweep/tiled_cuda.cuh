#pragma once

#include "sweep/kernels_cuda.cuh"

namespace psflip {

/// Lattices of a column that a block of the tiled kernel updates together.
inline constexpr std::uint32_t tiled_members = 4;

/// Threads per block at most: leaves each 128 registers.
inline constexpr int tiled_threads = 512;

/// Planes of each colour in shared memory, and steps that a block needs beyond those of its planes.
inline constexpr int tiled_ring = 5, tiled_extra_steps = 3;

/// Red sites that a tile updates in a plane: its own, those above and below, and one left or right of each
/// row.
PSFLIP_HD int tiled_red(int half, int rows) {
    return rows * (half + 1) + 2 * half;
}

/// Words of a colour and plane that a block holds: its tile with two rows more above and below, then the
/// words left and right of every row; each part rounded up to whole tiles of eight words.
PSFLIP_HD int tiled_rows_words(int half, int rows) {
    return ((rows + 4) * half + 7) / 8 * 8;
}
PSFLIP_HD int tiled_side_words(int rows) {
    return (rows + 4 + 7) / 8 * 8;
}

/// Shared memory of a block in bytes: the rings, and 32 bytes per thread.
inline int tiled_shared(int half, int rows, int threads) {
    const int words = tiled_rows_words(half, rows) + 2 * tiled_side_words(rows);
    return 16 * 2 * tiled_ring * static_cast<int>(tiled_members) * words + 32 * threads;
}

/// Lets the kernel use up to `bytes` of shared memory per block.
void allow_tiled_shared(int share, int bytes);

/// Blocks of a plan that a multiprocessor holds.
int tiled_blocks(int share, const TiledPlan& plan);

}  // namespace psflip
