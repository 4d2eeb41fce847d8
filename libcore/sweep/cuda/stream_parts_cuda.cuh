#pragma once

#include <memory>
#include <vector>

#include "base/stream.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// The parts of a batch, and the stream of the whole batch, in which work waits for that of all parts.
class StreamParts {
  public:
    /// One part has the stream `main` itself.
    StreamParts(std::int64_t columns, std::int64_t replicas, int parts, cudaStream_t main) : main_(main) {
        for (int i = 0; i < parts; ++i) {
            const std::int64_t first = columns * i / parts, end = columns * (i + 1) / parts;
            if (parts > 1) streams_.push_back(std::make_unique<Stream>());
            parts_.push_back({i, first, end - first, replicas, parts > 1 ? streams_[i]->handle : main});
        }
    }
    /// For work on one part after the other; it waits for what the main stream has been given before.
    const std::vector<StreamPart>& apart() {
        for (const auto& stream : streams_)
            if (!apart_) event_.order(main_, stream->handle);
        apart_ = true;
        return parts_;
    }
    /// The main stream; what it gets from here on waits for what the parts have been given.
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
