#pragma once

// Holds the ferromagnet with packed spins on the host.

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "bench/stateful/ferromagnet_memory.hpp"
#include "bench/stateful/packed_update.hpp"

namespace psflip {

/// Owns the array of PackedSpins on the host, like FerromagnetMemory.
template <int Degree>
class PackedMemory {
  public:
    explicit PackedMemory(const FerromagnetSetup& setup);

    PackedSpins<Degree> view();
    std::vector<std::uint32_t>& spins() { return words_; }
    const std::vector<std::uint32_t>& spins() const { return words_; }
    std::uint32_t phases() const { return 2; }

    void set_spins(const std::vector<std::int8_t>& spins);
    std::vector<std::int8_t> in_rows(std::span<const std::uint32_t> words) const;
    /// Computes the energy -sum s s.
    std::int64_t energy(std::span<const std::uint32_t> words) const;

  private:
    /// Calls f(site number, word, bit) for all sites.
    template <class F>
    void for_each_site(const F& f) const;

    FerromagnetSetup setup_;
    std::vector<std::uint32_t> words_;
};

/// Calls f(std::type_identity<Memory>) with the type of memory for a setup.
template <class F>
void with_memory(const FerromagnetSetup& setup, const F& f) {
    if (setup.packed && setup.dimension == 3) return f(std::type_identity<PackedMemory<6>>{});
    if (setup.packed) return f(std::type_identity<PackedMemory<4>>{});
    if (setup.dimension == 3) return f(std::type_identity<FerromagnetMemory<6>>{});
    f(std::type_identity<FerromagnetMemory<4>>{});
}

}  // namespace psflip
