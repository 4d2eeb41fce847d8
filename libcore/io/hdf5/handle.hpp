#pragma once

#include <hdf5.h>

#include <utility>

namespace psflip {

/// Owns one HDF5 identifier and closes it once. Private to io/, the only room that includes hdf5.h.
class Handle {
  public:
    using Closer = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, -1);
            closer_ = other.closer_;
        }
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    hid_t get() const { return id_; }
    bool valid() const { return id_ >= 0; }

    /// Closes now. Returns false if HDF5 reports a failure.
    bool reset() noexcept {
        const hid_t id = std::exchange(id_, -1);
        return id < 0 || closer_(id) >= 0;
    }

  private:
    hid_t id_ = -1;
    Closer closer_ = nullptr;
};

}  // namespace psflip
