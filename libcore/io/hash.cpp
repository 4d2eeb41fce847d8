#define XXH_INLINE_ALL
#include "io/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace psflip {

struct Hasher::State {
    XXH64_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
    XXH64_reset(&state_->xxh, 0);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;

void Hasher::add(const void* bytes, std::size_t size) {
    if (size > 0) XXH64_update(&state_->xxh, bytes, size);
}

std::string Hasher::hex() const {
    return fmt::format("{:016x}", XXH64_digest(&state_->xxh));
}

}  // namespace psflip
