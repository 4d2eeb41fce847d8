#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/stateful/site_table.hpp"
#include "bench/stateful/sweep_streams.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Describes one lattice of the ferromagnet with a published generator, one number per proposed flip (Weigel,
/// arXiv:1101.1427), for comparison only. Spins are integers, or bits (packed). A word of packed spins has 32
/// successive sites of one colour and row. Packed spins need the checkerboard and L a multiple of 64.
struct FerromagnetSetup {
    std::string generator;  ///< a name of generator_list.hpp
    int dimension = 2;      ///< 2 or 3
    int L = 0;              ///< see check_site_table; packed up to 16384, in three dimensions 1024
    bool packed = false;    ///< one bit per spin
    UpdateOrder order = UpdateOrder::checkerboard;
    double beta = 0.4;  ///< above 0
    /// Seed of the streams and of the initial spins, and key of Philox.
    std::uint64_t seed = 1;
    /// The streams of a phase, which is a set of sites that are updated together (site_table.hpp). In
    /// sequential order there is one stream, which draws only if a flip costs energy, like Weigel's code for
    /// CPUs. In other orders every site takes a number.
    StreamLayout layout{};

    /// Returns the number of units of a phase, which share the streams. A unit is a site, or a word of packed
    /// spins.
    std::uint32_t units_of_phase() const;
    int numbers_of_unit() const { return packed ? 32 : 1; }
    double flips_of_sweep() const {
        return static_cast<double>(L) * L * (dimension == 3 ? static_cast<double>(L) : 1.0);
    }
};

/// Checks size, dimension, order and packing. Errors: InputError.
void check_ferromagnet_size(const FerromagnetSetup& setup);

/// Sweeps a ferromagnet on one backend. All backends and numbers of threads give equal spins. The generator
/// philox uses psflip's counters of purpose metropolis (replica, slot and pack 0), one word per spin. So
/// packed and integer spins are equal.
class Ferromagnet {
  public:
    virtual ~Ferromagnet() = default;
    const FerromagnetSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    virtual void sweep(int count) = 0;
    /// Sweeps and returns the energy after each sweep.
    virtual std::vector<std::int64_t> sweep_with_energies(int count) = 0;
    virtual void synchronize() {}

    /// Set or return spins +1 or -1 as ([z,] y, x). The start is random.
    virtual void set_spins(const std::vector<std::int8_t>& spins) = 0;
    virtual std::vector<std::int8_t> spins() const = 0;
    /// Returns -sum s s over bonds. Each flip updates this number.
    virtual std::int64_t energy() const = 0;

  protected:
    Ferromagnet(const FerromagnetSetup& setup, std::string device)
        : setup_(setup), device_(std::move(device)) {}

  private:
    FerromagnetSetup setup_;
    std::string device_;
};

/// Makes a ferromagnet. Errors: InputError for an impossible setup, or for the sequential order on a GPU;
/// EnvironmentError as make_ising_ensemble.
std::unique_ptr<Ferromagnet> make_ferromagnet(const BackendChoice& choice, const FerromagnetSetup& setup);

}  // namespace psflip
