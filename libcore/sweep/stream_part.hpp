#pragma once

#include <cstdint>

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

/// Columns of a batch on a GPU whose work goes, in its order, into one stream. Every part of a batch has its
/// own stream, so that the first blocks of a part's next launch overlap with the last blocks of another part.
struct StreamPart {
    int number = 0;  ///< 0, 1, ...
    std::int64_t first_column = 0, columns = 0;
    std::int64_t replicas = 0;
    CUstream_st* stream = nullptr;

    /// Stacks, (column, replica), count on through all parts.
    std::int64_t first_stack() const { return first_column * replicas; }
    std::int64_t stacks() const { return columns * replicas; }
    std::int64_t end_stack() const { return first_stack() + stacks(); }
};

/// Parts of a batch at most.
inline constexpr int max_stream_parts = 2;

}  // namespace psflip
