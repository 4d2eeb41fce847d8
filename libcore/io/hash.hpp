#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace psflip {

/// Computes the XXH64 hash (seed 0) of bytes that are added piece by piece. For a whole file, `xxh64sum FILE`
/// prints the same hash. The hash detects mix-ups, not forgery.
class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher(Hasher&&) noexcept;

    void add(const void* bytes, std::size_t size);
    /// Returns the hash of all bytes so far as 16 hex digits.
    std::string hex() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace psflip
