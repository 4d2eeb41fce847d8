#pragma once

// Holds the ferromagnet with integer spins on the host, and declares the two backends.

#include <cstdint>
#include <span>
#include <vector>

#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/ferromagnet_update.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

/// Returns whether the spin of site `number` is +1 at the start.
inline bool starts_up(std::uint64_t seed, std::uint32_t number) {
    return splitmix64(~seed + number) >> 63;
}

/// Owns the arrays of SiteSpins on the host, and converts spins from and to the order ([z,] y, x).
template <int Degree>
class FerromagnetMemory {
  public:
    explicit FerromagnetMemory(const FerromagnetSetup& setup);

    /// Returns the view without the thresholds, which depend on the generator.
    SiteSpins<Degree> view();
    const SiteTable& table() const { return table_; }
    std::vector<std::int32_t>& spins() { return spins_; }
    const std::vector<std::int32_t>& spins() const { return spins_; }
    std::uint32_t phases() const { return table_.view().phases; }

    void set_spins(const std::vector<std::int8_t>& spins);
    std::vector<std::int8_t> in_rows(std::span<const std::int32_t> spins) const;
    /// Computes the energy -sum s s.
    std::int64_t energy(std::span<const std::int32_t> spins) const;

  private:
    FerromagnetSetup setup_;
    SiteTable table_;
    std::vector<std::int32_t> spins_;
};

/// Make a ferromagnet on one backend. Use make_ferromagnet instead.
std::unique_ptr<Ferromagnet> make_ferromagnet_cpu(const FerromagnetSetup& setup, int threads);
std::unique_ptr<Ferromagnet> make_ferromagnet_cuda(const FerromagnetSetup& setup, int device);

}  // namespace psflip
