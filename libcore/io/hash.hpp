#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace psflip {

/// XXH64 (seed 0) over bytes given piece by piece. For a file it is what the command `xxh64sum FILE` prints.
/// A checksum against mix-ups, not against forgery.
class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher(Hasher&&) noexcept;

    void add(const void* bytes, std::size_t size);
    /// 16 hex digits of all bytes so far.
    std::string hex() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace psflip
