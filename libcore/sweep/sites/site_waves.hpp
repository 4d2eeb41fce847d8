#pragma once

#include <cstdint>

#include "base/host_device.hpp"

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

}  // namespace psflip
