#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/host_device.hpp"

namespace psflip {

/// Selects the order in which a sweep updates sites, and which sites it updates together.
/// - sequential: row by row, one site after the other
/// - checkerboard: all sites with even x + y + z, then all others
/// - double_checkerboard: tiles of 16 x 16 sites that form a checkerboard, in two dimensions. First come the
///   even sites of even tiles, then the odd sites of even tiles, then the sites of odd tiles. L is a multiple
///   of 32. (Weigel, arXiv:1101.1427, section 3.1, with one sweep of a tile at a time.)
enum class UpdateOrder { sequential, checkerboard, double_checkerboard };

/// Returns "sequential", "checkerboard" or "double-checkerboard".
std::string name(UpdateOrder order);

/// Lists sites in the order of their updates, for loops and kernels. Index i of memory is site i of a sweep.
/// The sites of a phase are updated together.
struct SitesView {
    std::uint32_t sites = 0, phases = 1;
    const std::uint32_t* number = nullptr;  ///< x + L (y + L z) of site i
    const std::uint32_t* near = nullptr;    ///< (+x, -x, +y, -y, +z, -z; site i) indices of the neighbours

    PSFLIP_HD std::uint32_t sites_of_phase() const { return sites / phases; }
};

/// Checks that the order exists for L. L is even, 4 to 4096 (in three dimensions to 512), and as UpdateOrder
/// says. Errors: InputError.
void check_site_table(int L, int dimension, UpdateOrder order);
/// Returns the number of sites that are updated together.
std::uint32_t sites_of_phase(int L, int dimension, UpdateOrder order);

/// Owns the tables of sites of a periodic lattice.
class SiteTable {
  public:
    /// Makes the tables. Errors: InputError as check_site_table.
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
