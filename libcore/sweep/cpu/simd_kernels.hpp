#pragma once

#include <cstdint>

#include "lattice/layout.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Sweeps of one lattice group: the words of all sites of one column and replica at four neighbouring slots.
/// In a slab, one colour of some planes in one sweep.
struct SweepTask {
    HeldLattice lattice;
    int begin, end;  ///< planes
    int share;
    std::uint64_t* spins;            ///< SpinLayout group: (site, slot, half)
    const std::uint64_t* couplings;  ///< CouplingLayout column: (direction, site, half)
    std::uint64_t key;               ///< of the random numbers
    std::uint32_t
        first_realization;  ///< global number of the column's first realization, a multiple of max(share, 32)
    std::uint32_t first_slot;  ///< a multiple of 4
    std::uint32_t replica;
    const std::uint32_t* thresholds;  ///< (threshold, slot): rule.thresholds() times four numbers
    std::int64_t first_half_sweep;    ///< 2 sweep + colour
    std::int64_t half_sweeps;
    SweepRule rule{};
    const std::uint64_t* absent = nullptr;  ///< absent bonds as couplings, if rule.absent
    const std::uint32_t* always = nullptr;  ///< AcceptanceTable::always, of the class rule
};

/// Counts unsatisfied bonds of one lattice group, per slot and realization. In a slab, counts the bonds of
/// the slab's red sites.
struct EnergyTask {
    HeldLattice lattice;
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    std::int32_t* unsatisfied;  ///< (slot 4, realization 128), modulo 2^32
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< absent bonds; nullptr if there are none
};

/// Counts spins +1 of one lattice group, per slot and realization. In a slab, counts the slab's sites.
struct UpTask {
    HeldLattice lattice;
    const std::uint64_t* spins;
    std::int32_t* up;  ///< (slot 4, realization 128)
};

/// Random numbers of purpose exchange for one column: word j % 4 of the block for pairs (2j + parity, +1).
struct ExchangeRandomTask {
    std::uint64_t key;
    std::int64_t sweep;
    std::uint32_t replica;
    std::uint32_t first_realization;
    int pairs;               ///< number of pairs j
    std::uint32_t* numbers;  ///< (j rounded up to a multiple of 4, realization 128)
};

struct SimdKernels {
    void (*sweep)(const SweepTask&);        ///< plain rule
    void (*class_sweep)(const SweepTask&);  ///< class rule
    void (*energy)(const EnergyTask&);
    void (*up)(const UpTask&);
    void (*exchange_random)(const ExchangeRandomTask&);

    static const SimdKernels scalar, avx2, avx512;
};

}  // namespace psflip
