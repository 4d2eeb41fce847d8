#pragma once

#include <cstdint>

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

/// Describes a batch slice on a GPU: consecutive columns of the batch, with their own stream. While the last
/// blocks of one slice run, the first blocks of another slice can start. The stream is not owned.
struct StreamPart {
    int number = 0;  ///< number of the slice: 0, 1, ...
    std::int64_t first_column = 0, columns = 0;
    std::int64_t replicas = 0;
    CUstream_st* stream = nullptr;

    /// A stack is a pair (column, replica). Stacks are numbered through all slices.
    std::int64_t first_stack() const { return first_column * replicas; }
    std::int64_t stacks() const { return columns * replicas; }
    std::int64_t end_stack() const { return first_stack() + stacks(); }
};

/// Maximum number of slices of a batch.
inline constexpr int max_stream_parts = 2;

}  // namespace psflip
