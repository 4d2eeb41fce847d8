#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/generators/stream_set.hpp"
#include "bench/stateful/sweep_streams.hpp"
#include "lattice/shape.hpp"
#include "lattice/site_order.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Describes the three-dimensional ±J glass with a published generator, for comparison only (Lulli,
/// Bernaschi, Parisi, arXiv:1411.0127). One number decides for the 32 realizations of a word. Replicas and
/// words have different numbers. There is one temperature.
struct GlassSetup {
    std::string generator;  ///< a name of generator_list.hpp
    int L = 0;              ///< even, 4 to 512
    int words = 1;          ///< words of 32 realizations
    int replicas = 4;       ///< 1 to 8
    double beta = 1.0;      ///< above 0
    /// Seed of the streams and of the initial spins, and key of Philox.
    std::uint64_t seed = 1;
    /// Memory order, and order in which streams update the sites of a colour; bitwise needs a power of two.
    SiteOrder site_order = SiteOrder::standard;
    StreamLayout layout{};  ///< streams of each word; stream s of word w has the index w streams + s
    /// Couplings +1 or -1, (realization, direction, z, y, x), for the 32 realizations of one word or of
    /// several words. If the glass has more words, it repeats these couplings.
    std::vector<std::int8_t> couplings{};

    /// Returns the shape of the canonical array of its spins.
    Shape shape() const {
        return {.L = L, .replicas = replicas, .realizations = std::int64_t{32} * words, .share = 32};
    }
    double flips_of_sweep() const { return 32.0 * words * replicas * static_cast<double>(shape().sites()); }
};

/// Sweeps a glass on one backend. All backends and numbers of threads give equal spins. The generator philox
/// uses psflip's counters, so the spins equal the spins of an Ensemble with this seed and share 32.
class Glass {
  public:
    virtual ~Glass() = default;
    const GlassSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    /// Sweeps in checkerboard order, red sites (even x + y + z) first. May return before the sweeps are done.
    virtual void sweep(int count) = 0;
    virtual void synchronize() {}
    /// Replaces each spin by the exclusive or of its six neighbours and bonds, `count` times and red sites
    /// first. So it reads what a sweep reads, without random numbers and without a rule (poster of the
    /// authors of arXiv:1411.0127). May return before the work is done. With threads_in_grid, blocks of a
    /// device consist of whole rows of the lattice, as the grid kernels of this paper; then rows have at most
    /// 256 sites of a colour. Errors: InputError for longer rows.
    virtual void load_neighbours(int count, bool threads_in_grid) = 0;

    /// Set or return spins as the canonical array of state files, uint64 (replica, 1, pack64, z, y, x). The
    /// start is random_spins(shape, seed).
    virtual void set_spins(const std::vector<std::uint64_t>& canonical) = 0;
    virtual std::vector<std::uint64_t> spins() const = 0;
    /// Returns -sum J s s, (replica, realization).
    virtual std::vector<std::int32_t> energies() const = 0;
    /// Returns the overlaps sum s s' of two replicas, (pair, realization), with the pairs in the order 01,
    /// 02, ..., 12, ...
    virtual std::vector<std::int32_t> overlaps() const = 0;

  protected:
    Glass(const GlassSetup& setup, std::string device) : setup_(setup), device_(std::move(device)) {}

  private:
    GlassSetup setup_;
    std::string device_;
};

/// Makes a glass. Errors: InputError for an impossible setup; EnvironmentError as make_ising_ensemble.
std::unique_ptr<Glass> make_glass(const BackendChoice& choice, const GlassSetup& setup);

}  // namespace psflip
