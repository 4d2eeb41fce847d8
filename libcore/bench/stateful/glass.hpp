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

/// The ±J glass in three dimensions with the generators of the literature, to be compared with: one number
/// for the 32 realizations of a word, numbers of their own for replicas and words, one temperature (Lulli,
/// Bernaschi, Parisi, arXiv:1411.0127). Never what a study is made with.
struct GlassSetup {
    std::string generator;  ///< of generator_list.hpp
    int L = 0;              ///< even, 4 to 512
    int words = 1;          ///< of 32 realizations
    int replicas = 4;       ///< 1 to 8
    double beta = 1.0;      ///< above 0
    /// Of the streams, of the spins at the start, and the key of Philox.
    std::uint64_t seed = 1;
    /// Of memory, and the order in which streams take the sites of a colour; bitwise for powers of two.
    SiteOrder site_order = SiteOrder::standard;
    StreamLayout layout{};  ///< streams of each word; stream s of word w is number w streams + s of all
    /// +1 or -1, (realization, direction, z, y, x), 32 words of them or as many as any number of words, which
    /// are then taken again and again.
    std::vector<std::int8_t> couplings{};

    /// Of its spins in canonical form.
    Shape shape() const {
        return {.L = L, .replicas = replicas, .realizations = std::int64_t{32} * words, .share = 32};
    }
    double flips_of_sweep() const { return 32.0 * words * replicas * static_cast<double>(shape().sites()); }
};

/// The same numbers for the same sites, on every backend, by any number of threads. With the generator philox
/// these are psflip's own counters: the spins are those of an Ensemble of the same seed and share 32.
class Glass {
  public:
    virtual ~Glass() = default;
    const GlassSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    /// Checkerboard sweeps, red sites (even x + y + z) first. They may not be done on return.
    virtual void sweep(int count) = 0;
    virtual void synchronize() {}

    /// In the canonical form of state files, uint64 (replica, 1, pack64, z, y, x), see Ensemble. At the start
    /// they are random_spins(shape, seed).
    virtual void set_spins(const std::vector<std::uint64_t>& canonical) = 0;
    virtual std::vector<std::uint64_t> spins() const = 0;
    /// -sum J s s, (replica, realization).
    virtual std::vector<std::int32_t> energies() const = 0;
    /// sum s s' of two replicas, (pair 01 02 .. 12 .., realization).
    virtual std::vector<std::int32_t> overlaps() const = 0;

  protected:
    Glass(const GlassSetup& setup, std::string device) : setup_(setup), device_(std::move(device)) {}

  private:
    GlassSetup setup_;
    std::string device_;
};

/// InputError for a setup that is not as said there; EnvironmentError as make_ising_ensemble.
std::unique_ptr<Glass> make_glass(const BackendChoice& choice, const GlassSetup& setup);

}  // namespace psflip
