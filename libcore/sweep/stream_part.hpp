#pragma once

#include <cstdint>

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

/// Names the columns of a batch on a GPU whose work goes, in order, into one stream. Every slice of a batch
/// has its own stream. So the first blocks of a slice's next launch overlap with the last blocks of another
/// slice. The stream is not owned.
struct StreamPart {
    int number = 0;  ///< number of the slice: 0, 1, ...
    std::int64_t first_column = 0, columns = 0;
    std::int64_t replicas = 0;
    CUstream_st* stream = nullptr;

    /// Stacks, (column, replica), are numbered through all slices.
    std::int64_t first_stack() const { return first_column * replicas; }
    std::int64_t stacks() const { return columns * replicas; }
    std::int64_t end_stack() const { return first_stack() + stacks(); }
};

/// Maximum number of slices of a batch.
inline constexpr int max_stream_parts = 2;

}  // namespace psflip
