#pragma once

// Holds the glass on the host, and declares the two backends.

#include <cstdint>
#include <span>
#include <vector>

#include "bench/stateful/glass.hpp"
#include "bench/stateful/glass_update.hpp"

namespace psflip {

/// Calls f with the type of a site order. `bitwise` uses the standard order, which has equal indices.
template <class F>
void with_places(SiteOrder order, const F& f) {
    if (order == SiteOrder::sliced)
        f(SlicedOrder{});
    else
        f(ExactOrder{});
}

/// Owns the arrays of GlassView on the host, and converts spins from and to canonical arrays.
class GlassMemory {
  public:
    explicit GlassMemory(const GlassSetup& setup);

    /// Returns the view without the thresholds, which depend on the generator.
    GlassView view();
    const std::vector<std::uint32_t>& bonds() const { return bonds_; }
    std::vector<std::uint32_t>& spins() { return spins_; }
    const std::vector<std::uint32_t>& spins() const { return spins_; }

    void set_spins(const std::vector<std::uint64_t>& canonical);
    std::vector<std::uint64_t> canonical(std::span<const std::uint32_t> spins) const;
    std::vector<std::int32_t> energies(std::span<const std::uint32_t> spins) const;
    std::vector<std::int32_t> overlaps(std::span<const std::uint32_t> spins) const;

  private:
    void pack_bonds(const std::vector<std::int8_t>& couplings);

    GlassSetup setup_;
    Geometry geometry_;
    std::vector<Neighbours> near_;       ///< of each site, in the site order
    std::vector<std::uint32_t> number_;  ///< x + L (y + L z) of each site, in the site order
    std::vector<std::uint32_t> spins_, bonds_;
};

/// Make a glass on one backend. Use make_glass instead.
std::unique_ptr<Glass> make_glass_cpu(const GlassSetup& setup, int threads);
std::unique_ptr<Glass> make_glass_cuda(const GlassSetup& setup, int device);

}  // namespace psflip
