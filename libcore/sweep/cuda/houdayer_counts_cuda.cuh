#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/device_buffer.cuh"
#include "sweep/houdayer.hpp"

namespace psflip {

/// Counts clusters and their sites in device memory, for lanes in any order.
class DeviceHoudayerCounts {
  public:
    DeviceHoudayerCounts() = default;
    DeviceHoudayerCounts(std::size_t lanes, cudaStream_t stream) : counts_(2 * lanes, "counts of clusters") {
        counts_.zero(stream);
    }
    unsigned long long* clusters() const { return counts_.data(); }
    unsigned long long* sites() const { return counts_.data() + counts_.size() / 2; }
    /// Returns the counts after all work in the stream. lane(realization, slot): of the counts.
    template <class Lane>
    HoudayerCounts download(std::int64_t realizations, std::int64_t slots, cudaStream_t stream,
                            const Lane& lane) const {
        std::vector<std::int64_t> all(counts_.size());
        counts_.download(all, stream);
        HoudayerCounts counts(realizations, slots);
        std::size_t to = 0;
        for (std::int64_t r = 0; r < realizations; ++r)
            for (std::int64_t slot = 0; slot < slots; ++slot, ++to) {
                const auto from = static_cast<std::size_t>(lane(r, slot));
                counts.clusters[to] = all[from];
                counts.sites[to] = all[from + all.size() / 2];
            }
        return counts;
    }

  private:
    DeviceBuffer<unsigned long long> counts_;
};

}  // namespace psflip
