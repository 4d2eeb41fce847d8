#pragma once

// Sweeps lattices of the three-dimensional ±J glass whose words hold 24 temperatures of one realization, as
// Fang et al. (arXiv:1311.5582). Each spin and temperature draws its own number R of 32 bits. A spin s with u
// unsatisfied bonds flips with probability min(1, exp(-beta (12 - 4 u + 2 h s))). For timings only: studies
// use `multispin.lanes: replicas`.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

inline constexpr int packed_temperatures = 24;

/// Says how many bits of a word a temperature has. `amsc1`, `amsc3` and `amsc4` have 1, 3 and 4 bits in
/// memory and in registers. `camsc` has one bit in memory and four in registers.
enum class TemperatureCoding { amsc1, amsc3, amsc4, camsc };

/// Says how an update finds the probability p of a flip, and what it compares:
/// - exponential, fast_exponential: computes exp in single precision, and flips if R / 2^32 < p
/// - memory_table, shared_table: reads p from a table in device or shared memory, and flips if R / 2^32 < p
/// - thresholds: reads round(2^32 p) - 1 from a table in shared memory, and flips if R is at most this number
enum class FlipProbability { exponential, fast_exponential, memory_table, shared_table, thresholds };

/// Says where a lattice lies that only loads its neighbours. `unified`: in one array. `separated`: each
/// colour in its own array. `shuffled`: two lattices in two arrays, each with one colour of both.
enum class LatticeArrangement { unified, separated, shuffled };

std::string_view name(TemperatureCoding coding);
std::string_view name(FlipProbability probability);
std::string_view name(LatticeArrangement arrangement);

struct TemperatureWordsSetup {
    std::string generator;  ///< lcg32, philox or philox7
    TemperatureCoding coding = TemperatureCoding::camsc;
    FlipProbability probability = FlipProbability::thresholds;
    int L = 16;  ///< 4, 8 or 16
    int realizations = 1;
    double coldest = 2.0, hottest = 0.5;  ///< inverse temperatures; those between have equal distances
    double field = 0.0;
    std::uint64_t seed = 1;

    std::size_t sites() const { return static_cast<std::size_t>(L) * L * L; }
    double beta(int temperature) const {
        return coldest + (hottest - coldest) * temperature / (packed_temperatures - 1);
    }
    double flips_of_sweep() const {
        return static_cast<double>(sites()) * packed_temperatures * realizations;
    }
};

/// Returns a word for each (realization, site x + L (y + L z)). Bit t < 24 is set if the spin at temperature
/// t is +1. Bits 24 to 29 are set if the bonds along +x, -x, +y, -y, +z and -z are -1.
std::vector<std::uint32_t> initial_temperature_words(const TemperatureWordsSetup& setup);

/// Holds the lattices in the memory of one backend. If probabilities are thresholds, all backends, codings
/// and numbers of threads give equal spins.
class TemperatureWords {
  public:
    virtual ~TemperatureWords() = default;
    const TemperatureWordsSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    virtual void sweep(int count) = 0;
    /// Replaces each word of loaded() by the exclusive or of itself and its six neighbours, `count` times in
    /// each colour (unified, separated) or in each array (shuffled).
    virtual void load_neighbours(int count, LatticeArrangement arrangement) = 0;
    /// Returns random words on which load_neighbours works, (realization, array, site or index in a colour).
    /// There are two arrays of L^3 words (shuffled), two of L^3 / 2 words (separated), or one (unified).
    virtual std::vector<std::uint32_t> loaded() const = 0;
    /// Returns words as initial_temperature_words.
    virtual std::vector<std::uint32_t> words() const = 0;
    virtual void synchronize() {}

  protected:
    TemperatureWords(const TemperatureWordsSetup& setup, std::string device)
        : setup_(setup), device_(std::move(device)) {}

  private:
    TemperatureWordsSetup setup_;
    std::string device_;
};

/// Returns the number of words that loads of one lattice, or of two shuffled lattices, write in all
/// realizations.
double transactions_of_loads(const TemperatureWordsSetup& setup, LatticeArrangement arrangement);

/// Errors: InputError for a setup outside the ranges above; EnvironmentError as make_ising_ensemble.
std::unique_ptr<TemperatureWords> make_temperature_words(const BackendChoice& choice,
                                                         const TemperatureWordsSetup& setup);

/// Make the lattices on one backend. Use make_temperature_words instead.
std::unique_ptr<TemperatureWords> make_temperature_words_cpu(const TemperatureWordsSetup& setup, int threads);
std::unique_ptr<TemperatureWords> make_temperature_words_cuda(const TemperatureWordsSetup& setup, int device);

}  // namespace psflip
