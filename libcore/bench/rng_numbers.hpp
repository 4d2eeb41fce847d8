#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"

namespace psflip {

/// Describes a generator without spins.
struct NumbersSetup {
    std::string generator;  ///< name from generator_list.hpp
    std::uint64_t seed = 1;
    std::uint32_t streams = 1;
    /// Consecutive numbers of a stream in an array: number j is element (j / run * streams + stream) run
    /// + j % run. On a device, run is 1, or the number of threads of a block that share a ring.
    std::uint32_t run = 1;
    std::uint64_t each = 1;  ///< numbers of a stream per call, a multiple of run

    std::uint64_t numbers() const { return each * streams; }
};

/// Holds the streams of a setup in the memory of one backend. A call continues the streams of the previous
/// call. All backends and numbers of threads give equal numbers.
class Numbers {
  public:
    virtual ~Numbers() = default;
    const NumbersSetup& setup() const { return setup_; }
    const std::string& device() const { return device_; }

    /// Fills an array with numbers() single-precision fractions number / range, as Lulli, Bernaschi and
    /// Parisi do (arXiv:1411.0127, table I). The first call allocates the array.
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

/// Makes the streams and seeds them on the host. Errors: InputError for an impossible setup; EnvironmentError
/// as make_ising_ensemble.
std::unique_ptr<Numbers> make_numbers(const BackendChoice& choice, const NumbersSetup& setup);

/// Make the streams of the backends. Use make_numbers instead.
std::unique_ptr<Numbers> make_numbers_cpu(const NumbersSetup& setup, int threads);
std::unique_ptr<Numbers> make_numbers_cuda(const NumbersSetup& setup, int device);

}  // namespace psflip
