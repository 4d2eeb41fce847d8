#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

/// Numbers of a generator alone, without spins.
struct NumbersSetup {
    std::string generator;  ///< of generator_list.hpp
    std::uint64_t seed = 1;
    std::uint32_t streams = 1;
    /// Numbers that a stream gives next to each other in an array: its j-th one is element (j / run * streams
    /// + stream) run + j % run. On a device 1, or the threads of a block that draw side by side from a ring.
    std::uint32_t run = 1;
    std::uint64_t each = 1;  ///< numbers of a stream in a call, a multiple of run

    std::uint64_t numbers() const { return each * streams; }
};

/// The streams of a setup in the memory of one backend. Calls go on where the last one ended; they give the
/// same on every backend by any number of threads.
class Numbers {
  public:
    virtual ~Numbers() = default;
    const NumbersSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    /// Fills the array of numbers() single-precision fractions number / range, as Lulli, Bernaschi and Parisi
    /// do (arXiv:1411.0127, table I). The first call makes the array.
    virtual void fill() = 0;
    virtual std::vector<float> floats() const = 0;
    /// Draws numbers() and returns how many are odd (table II).
    virtual std::uint64_t count_odd() = 0;
    virtual void synchronize() {}

  protected:
    Numbers(const NumbersSetup& setup, std::string device) : setup_(setup), device_(std::move(device)) {}

  private:
    NumbersSetup setup_;
    std::string device_;
};

/// Seeds the streams on the host. InputError for a setup that is not as said there; EnvironmentError as
/// make_ising_ensemble.
std::unique_ptr<Numbers> make_numbers(const BackendChoice& choice, const NumbersSetup& setup);

/// Backends; use make_numbers.
std::unique_ptr<Numbers> make_numbers_cpu(const NumbersSetup& setup, int threads);
std::unique_ptr<Numbers> make_numbers_cuda(const NumbersSetup& setup, int device);

}  // namespace psflip
