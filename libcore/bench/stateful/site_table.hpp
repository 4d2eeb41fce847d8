#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/host_device.hpp"

namespace psflip {

/// In which order a sweep goes through the sites, and which of them it updates at once.
///   sequential          row by row, one after the other
///   checkerboard        all sites of even x + y + z, then all others
///   double_checkerboard two dimensions: tiles of 16 x 16 sites, as squares of a board; the even sites of the
///                       even tiles, their odd sites, then those of the odd tiles (Weigel, arXiv:1101.1427,
///                       section 3.1, with one sweep of a tile at a time); L is a multiple of 32
enum class UpdateOrder { sequential, checkerboard, double_checkerboard };

/// "sequential", "checkerboard", "double-checkerboard".
std::string name(UpdateOrder order);

/// Sites in the order of their updates, as loops and kernels get them: place i of memory is the i-th site of
/// a sweep. A phase is what is updated at once.
struct SitesView {
    std::uint32_t sites = 0, phases = 1;
    const std::uint32_t* number = nullptr;  ///< (place): x + L (y + L z)
    const std::uint32_t* near = nullptr;    ///< (+x, -x, +y, -y, +z, -z; place): places of the neighbours

    PSFLIP_HD std::uint32_t sites_of_phase() const { return sites / phases; }
};

/// InputError for a size that the order does not take: L is even, 4 to 4096 (3D: to 512), and as said above.
void check_site_table(int L, int dimension, UpdateOrder order);
/// Sites that are updated at once.
std::uint32_t sites_of_phase(int L, int dimension, UpdateOrder order);

/// The tables themselves, of a periodic lattice.
class SiteTable {
  public:
    /// Errors as check_site_table.
    SiteTable(int L, int dimension, UpdateOrder order);

    SitesView view() const;
    const std::vector<std::uint32_t>& number() const { return number_; }
    const std::vector<std::uint32_t>& near() const { return near_; }
    int degree() const { return degree_; }

  private:
    int degree_;
    std::uint32_t phases_;
    std::vector<std::uint32_t> number_, near_;
};

}  // namespace psflip
