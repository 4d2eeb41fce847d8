#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/stateful/site_table.hpp"
#include "bench/stateful/sweep_streams.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// One lattice of the ferromagnet with the generators of the literature, a number for each proposed flip
/// (Weigel, arXiv:1101.1427). Never what a study is made with.
/// Spins are integers, or bits of words: packed, 32 neighbouring sites of a colour and row in a word, for the
/// checkerboard and L a multiple of 64.
struct FerromagnetSetup {
    std::string generator;  ///< of generator_list.hpp
    int dimension = 2;      ///< 2 or 3
    int L = 0;              ///< of SiteTable; packed: up to 16384, in three dimensions 1024
    bool packed = false;    ///< a bit for each spin
    UpdateOrder order = UpdateOrder::checkerboard;
    double beta = 0.4;  ///< above 0
    /// Of the streams, of the spins at the start, and the key of Philox.
    std::uint64_t seed = 1;
    /// Of a phase. In sequential order there is one stream, which gives a number only where a flip costs
    /// energy, as Weigel's code for the CPU draws them; elsewhere every site takes one.
    StreamLayout layout{};

    /// What streams share out: sites that are updated at once, or words of them.
    std::uint32_t units_of_phase() const;
    int numbers_of_unit() const { return packed ? 32 : 1; }
    double flips_of_sweep() const {
        return static_cast<double>(L) * L * (dimension == 3 ? static_cast<double>(L) : 1.0);
    }
};

/// InputError for a size that the dimension, the order or packing do not take.
void check_ferromagnet_size(const FerromagnetSetup& setup);

/// The same numbers for the same sites, on every backend, by any number of threads. The generator philox
/// takes psflip's counters of purpose metropolis (replica, slot and pack 0), one word for each spin: packed
/// or not, the spins are the same.
class Ferromagnet {
  public:
    virtual ~Ferromagnet() = default;
    const FerromagnetSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    virtual void sweep(int count) = 0;
    /// The same, with the energy after each sweep.
    virtual std::vector<std::int64_t> sweep_with_energies(int count) = 0;
    virtual void synchronize() {}

    /// +1 or -1, ([z,] y, x). At the start each is + or - with even odds.
    virtual void set_spins(const std::vector<std::int8_t>& spins) = 0;
    virtual std::vector<std::int8_t> spins() const = 0;
    /// -sum s s, from the flips since the start.
    virtual std::int64_t energy() const = 0;

  protected:
    Ferromagnet(const FerromagnetSetup& setup, std::string device)
        : setup_(setup), device_(std::move(device)) {}

  private:
    FerromagnetSetup setup_;
    std::string device_;
};

/// InputError for a setup that is not as said there, or the sequential order on a GPU; EnvironmentError as
/// make_ising_ensemble.
std::unique_ptr<Ferromagnet> make_ferromagnet(const BackendChoice& choice, const FerromagnetSetup& setup);

}  // namespace psflip
