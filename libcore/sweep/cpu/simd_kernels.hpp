#pragma once

#include <cstdint>

#include "word/simd_level.hpp"

namespace psflip {

/// A burst of sweeps of one lattice group: the L^3 words of one column and replica at four neighbouring
/// slots.
struct SweepTask {
    int L;
    int share;
    std::uint64_t* spins;            ///< SpinLayout group: (site in checkerboard order, slot, half)
    const std::uint64_t* couplings;  ///< CouplingLayout column: (direction, site, half)
    std::uint64_t seed;
    std::uint32_t
        first_realization;  ///< global number of the column's first realization, a multiple of max(share, 32)
    std::uint32_t first_slot;  ///< a multiple of 4
    std::uint32_t replica;
    const std::uint32_t* thresholds;  ///< (dE = 4, 8, 12; slot): 12 numbers
    std::int64_t first_sweep;
    int count;
};

/// Unsatisfied bonds of one lattice group, per slot and realization.
struct EnergyTask {
    int L;
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    std::int32_t* unsatisfied;  ///< (slot 4, realization 128)
};

/// Random numbers of purpose exchange for one column: word j % 4 of the block for pairs (2j + parity, +1).
struct ExchangeRandomTask {
    std::uint64_t seed;
    std::int64_t sweep;
    std::uint32_t replica;
    std::uint32_t first_realization;
    int pairs;               ///< number of pairs j
    std::uint32_t* numbers;  ///< (j rounded up to a multiple of 4, realization 128)
};

struct SimdKernels {
    void (*sweep)(const SweepTask&);
    void (*energy)(const EnergyTask&);
    void (*exchange_random)(const ExchangeRandomTask&);
};

/// Kernels of a level.
const SimdKernels& simd_kernels(SimdLevel level);

namespace scalar {
extern const SimdKernels kernels;
}
namespace avx2 {
extern const SimdKernels kernels;
}
namespace avx512 {
extern const SimdKernels kernels;
}

}  // namespace psflip
