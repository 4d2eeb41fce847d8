#pragma once

#include <cstdint>

namespace psflip {

/// Decides how many sweeps to give to the backend between two looks at the clock, the stop request and the
/// device. A look waits for the device, so it must be rare; but a stop request must be seen soon. The rate of
/// sweeps is measured and the number of sweeps adapted so that a look comes about every `seconds`.
class Pacer {
  public:
    explicit Pacer(double seconds = 0.25) : seconds_(seconds) {}

    /// Sweeps to give until the next look, at least 1.
    std::int64_t budget() const { return budget_; }

    /// Tells that `sweeps` took `seconds` of wall time. The budget grows at most fourfold per look.
    void looked(std::int64_t sweeps, double seconds);

  private:
    double seconds_;
    std::int64_t budget_ = 1;
};

}  // namespace psflip
