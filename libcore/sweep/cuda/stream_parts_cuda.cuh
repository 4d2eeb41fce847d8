#pragma once

#include <memory>
#include <vector>

#include "base/stream.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// Holds the slices of a batch, each with its own stream, and the main stream. Work in the main stream waits
/// for the work of all slices.
class StreamParts {
  public:
    /// Cuts the columns into `parts` slices. A single slice has the stream `main`, which is not owned.
    StreamParts(std::int64_t columns, std::int64_t replicas, int parts, cudaStream_t main) : main_(main) {
        for (int i = 0; i < parts; ++i) {
            const std::int64_t first = columns * i / parts, end = columns * (i + 1) / parts;
            if (parts > 1) streams_.push_back(std::make_unique<Stream>());
            parts_.push_back({i, first, end - first, replicas, parts > 1 ? streams_[i]->handle : main});
        }
    }
    /// Returns the slices for separate work, which waits for earlier work of the main stream.
    const std::vector<StreamPart>& apart() {
        for (const auto& stream : streams_)
            if (!apart_) event_.order(main_, stream->handle);
        apart_ = true;
        return parts_;
    }
    /// Returns the main stream, whose next work waits for the work of the slices.
    cudaStream_t together() {
        for (const auto& stream : streams_)
            if (apart_) event_.order(stream->handle, main_);
        apart_ = false;
        return main_;
    }
    int count() const { return static_cast<int>(parts_.size()); }

  private:
    cudaStream_t main_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<StreamPart> parts_;
    Event event_;
    bool apart_ = false;
};

}  // namespace psflip
