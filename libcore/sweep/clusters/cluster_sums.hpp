// Defines the sums over clusters from which the improved estimators of <m^2> and <|m(k)|^2> follow (U. Wolff,
// Phys. Rev. Lett. 60, 1461 (1988)).
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_device.hpp"

namespace psflip {

// Given the active bonds of a Swendsen-Wang sweep, each cluster C has an independent random spin. So the mean
// of M^2 over these spins is the sum of |C|^2 over clusters. The mean of |M(k)|^2 is the sum of |F_C(k)|^2,
// with F_C(k) the sum of exp(i k r) over the sites r of C. Cosines and sines at the smallest wave vectors are
// integers in units of 2^-fourier_bits, so all sums are integers and do not depend on the order of work.
inline constexpr int fourier_bits = 16;

/// Returns the numbers that FixedFourier reads.
std::vector<std::int32_t> fixed_fourier_table(int L);

/// Gives 2^fourier_bits exp(2 pi i x / L), rounded, and sums over runs of sites. Part 0 is the real part, and
/// part 1 the imaginary part.
struct FixedFourier {
    const std::int32_t* table;  ///< (x = 0, ..., L - 1; part), then (x = 0, ..., L; part): sums below x
    int L;

    PSFLIP_HD std::int64_t of(int x, int part) const { return table[2 * x + part]; }
    /// Returns the sum over x, ..., x + length - 1.
    PSFLIP_HD std::int64_t of_run(int x, int length, int part) const {
        const std::int32_t* const below = table + 2 * L + part;
        return below[2 * (x + length)] - below[2 * x];
    }
};

/// Holds a sum of squares below 2^96: low + 2^32 high, with low below 2^32.
struct SquareSum {
    std::uint64_t low = 0, high = 0;

    PSFLIP_HD void add(std::uint64_t low_part, std::uint64_t high_part) {
        low += low_part;
        high += high_part + (low >> 32);
        low &= 0xFFFFFFFFu;
    }
    PSFLIP_HD void add(const SquareSum& other) { add(other.low, other.high); }
    /// Adds the square of a number whose absolute value is below 2^48.
    PSFLIP_HD void add_square(std::int64_t number) {
        const auto n = static_cast<std::uint64_t>(number < 0 ? -number : number);
        const std::uint64_t n0 = n & 0xFFFFFFFFu, n1 = n >> 32, square = n0 * n0;
        add(square & 0xFFFFFFFFu, (square >> 32) + 2 * n0 * n1 + (n1 * n1 << 32));
    }
    /// Returns the sum as a real number. `low` may have any value.
    PSFLIP_HD double value() const {
        return static_cast<double>(high + (low >> 32)) * 4294967296.0 +
               static_cast<double>(low & 0xFFFFFFFFu);
    }
    bool operator==(const SquareSum&) const = default;
};

/// Holds the sums over the clusters of a lattice: of |C|^2, and of |F_C(k)|^2 over all axes, in units of
/// 2^(-2 fourier_bits).
struct ClusterSums {
    SquareSum size, modes;

    /// Return the mean of (M/N)^2, and of |M(k)|^2/N^2 added over the axes.
    PSFLIP_HD double square(double sites) const { return size.value() / (sites * sites); }
    PSFLIP_HD double kmin(double sites) const {
        constexpr double unit = 1.0 / (std::uint64_t{1} << 2 * fourier_bits);
        return modes.value() * unit / (sites * sites);
    }
    bool operator==(const ClusterSums&) const = default;
};

}  // namespace psflip
