#pragma once

// Fills arrays with random numbers of published generators, on CPU or GPU.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

/// Describes streams of random numbers that are timed without spins.
struct NumbersSetup {
    std::string generator;  ///< a name of generator_list.hpp
    std::uint64_t seed = 1;
    std::uint32_t streams = 1;
    /// Number of consecutive numbers of a stream that are neighbours in an array. Number j of a stream has
    /// the index (j / run * streams + stream) run + j % run. On a device, run is 1, or, if a block shares a
    /// ring, its number of threads.
    std::uint32_t run = 1;
    std::uint64_t each = 1;  ///< numbers per stream and call; a multiple of run

    std::uint64_t numbers() const { return each * streams; }
};

/// Holds the streams of a setup in the memory of one backend. Each call continues the streams of the previous
/// call. All backends and numbers of threads give equal numbers.
class Numbers {
  public:
    virtual ~Numbers() = default;
    const NumbersSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    /// Fills an array with numbers() fractions number / range in single precision, like Lulli, Bernaschi and
    /// Parisi (arXiv:1411.0127, table I). The first call allocates the array.
    virtual void fill() = 0;
    virtual std::vector<float> floats() const = 0;
    /// Draws numbers() numbers and returns the number of odd ones (table II of arXiv:1411.0127).
    virtual std::uint64_t count_odd() = 0;
    virtual void synchronize() {}

  protected:
    Numbers(const NumbersSetup& setup, std::string device) : setup_(setup), device_(std::move(device)) {}

  private:
    NumbersSetup setup_;
    std::string device_;
};

/// Makes the streams and seeds them on the host. Errors: InputError for an impossible setup; EnvironmentError
/// as make_ising_ensemble.
std::unique_ptr<Numbers> make_numbers(const BackendChoice& choice, const NumbersSetup& setup);

/// Make the streams on one backend. Use make_numbers instead.
std::unique_ptr<Numbers> make_numbers_cpu(const NumbersSetup& setup, int threads);
std::unique_ptr<Numbers> make_numbers_cuda(const NumbersSetup& setup, int device);

}  // namespace psflip
