// Gives each rank whole lines of lattices that are cut into slabs on GPUs.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "measure/correlation_kernels_cuda.cuh"
#include "measure/slab_lines.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Counts correlations along the axes whose lines go through all slabs. A GPU collects the fields of its
/// sites by lines, a piece of the lines at a time:
///
///   spins --fields--> GPU ---> pinned memory ---ranks---> pinned memory ---> GPU --kernel--> counts
///
/// While the ranks exchange a piece, the GPU collects the next piece and counts the previous piece. A rank
/// sends 1 - 1/n of the fields of its sites if there are n ranks. A field has 16 bytes per site and axis.
class SlabLineCounter {
  public:
    /// fields: of a site, 1 or 3. The ranks must outlive the counter. Errors: EnvironmentError if device
    /// memory or pinned memory is missing.
    SlabLineCounter(Ranks& ranks, const Shape& shape, int fields);

    /// Adds to the counts of `args` as count_correlations, for this rank's share of the lines that go through
    /// all slabs. args.planes are LinePlanes::of the slab. Collective.
    void count(const CorrelationArgs& args, cudaStream_t stream);

  private:
    /// A part of the lines along an axis of one lattice.
    struct Piece {
        int axis, begin, lines;
        std::uint32_t slot, column;
    };
    struct FreePinned {
        void operator()(uint4* memory) const { cudaFreeHost(memory); }
    };
    using Pinned = std::unique_ptr<uint4, FreePinned>;

    std::vector<Piece> pieces_of(const CorrelationArgs& args) const;
    std::int64_t first_line_of(const Piece& piece, int rank) const {
        return first_line(piece.lines, rank, ranks_.size());
    }
    /// Returns the number of lines of a piece that a rank has.
    std::size_t lines_of(const Piece& piece, int rank) const {
        return static_cast<std::size_t>(first_line_of(piece, rank + 1) - first_line_of(piece, rank));
    }
    /// Starts to bring the fields of the own sites to host memory, by ranks.
    void collect(const CorrelationArgs& args, const Piece& piece, int turn, cudaStream_t stream);
    void exchange(const Piece& piece, int turn);
    void count_piece(const CorrelationArgs& args, const Piece& piece, int turn, cudaStream_t stream);

    Ranks& ranks_;
    Shape shape_;
    int fields_, at_once_;  ///< at_once_: the largest number of lines of a piece
    DeviceBuffer<uint4> sent_, received_;
    Pinned sent_on_host_[2], received_on_host_[2];  ///< pieces use them by turns
    Event collected_[2];
};

}  // namespace psflip
