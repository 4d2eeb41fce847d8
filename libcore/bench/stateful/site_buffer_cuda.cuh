#pragma once

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "bench/stateful/site_table.hpp"

namespace psflip {

/// Owns a table of sites in device memory.
class SiteBuffer {
  public:
    SiteBuffer(const SiteTable& table, cudaStream_t stream)
        : view_(table.view()),
          number_(table.number().size(), "numbers of sites"),
          near_(table.near().size(), "neighbours") {
        number_.upload(table.number(), stream);
        near_.upload(table.near(), stream);
        view_.number = number_.data();
        view_.near = near_.data();
    }
    const SitesView& view() const { return view_; }

  private:
    SitesView view_;
    DeviceBuffer<std::uint32_t> number_, near_;
};

}  // namespace psflip
