// Divides the own planes of a slab among the blocks of the tiled kernel.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Says which planes a block of the tiled kernel sweeps. A prism is a tile in all own planes, for a group of
/// lattices. It has the number (column * tiles + tile) * groups + group. Blocks of the first prisms march
/// through all planes. The last `cut` prisms are cut into chunks of planes, each with its own block. Blocks
/// begin with the first prisms, so short blocks fill the multiprocessors that long blocks would leave idle.
struct TiledCut {
    std::uint32_t prisms, cut, chunks;
    std::uint32_t end_planes = 0;  ///< planes of the first and last chunk; 0: all chunks are alike
    bool ends_first = false;       ///< whether chunks are in the order first, last, second, third, ...

    /// Holds the planes of a block, counted from the lowest own plane.
    struct Piece {
        std::uint32_t prism, first, planes;
    };

    PSFLIP_HD std::uint32_t blocks() const { return prisms + cut * (chunks - 1); }
    /// Returns the number of blocks that begin the launch and have the ends of the slab, if ends_first.
    PSFLIP_HD std::uint32_t end_blocks() const { return cut * (chunks < 2 ? chunks : 2); }
    /// Returns the planes of a block of a slab with this number of own planes.
    PSFLIP_HD Piece piece(std::uint32_t block, std::uint32_t planes) const {
        const std::uint32_t uncut = prisms - cut;
        if (block < uncut) return {block, 0, planes};
        std::uint32_t chunk = (block - uncut) / cut;
        const std::uint32_t prism = block - chunk * cut;
        if (ends_first && chunk > 0) chunk = chunk == 1 ? chunks - 1 : chunk - 1;
        const std::uint32_t first = begin(chunk, planes);
        return {prism, first, begin(chunk + 1, planes) - first};
    }

  private:
    /// Returns the first plane of a chunk. Chunks in the middle take the planes that remain, because chunks
    /// at the ends wait for neighbours.
    PSFLIP_HD std::uint32_t begin(std::uint32_t chunk, std::uint32_t planes) const {
        if (chunk == 0) return 0;
        if (chunk == chunks) return planes;
        const std::uint32_t middle = end_planes > 0 ? chunks - 2 : chunks, below = end_planes > 0 ? 1 : 0,
                            all = planes - 2 * end_planes, each = all / middle;
        const std::uint32_t over = all - middle * each;
        return end_planes + (chunk - below) * each + (chunk - 1 < over ? chunk - 1 : over);
    }
};

}  // namespace psflip
