// Declares the CPU kernels for words of realizations, and the tasks that are their arguments. Arrays belong
// to the caller.
#pragma once

#include <cstdint>

#include "lattice/layout.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Sweeps all sites of one column and replica in one slot quad. In a slab, a task sweeps one colour of some
/// planes once.
struct SweepTask {
    HeldLattice lattice;
    int begin, end;  ///< planes begin, ..., end - 1 are updated
    int share;
    std::uint64_t* spins;             ///< slot quad of SpinLayout: (site, slot, half)
    const std::uint64_t* couplings;   ///< column of CouplingLayout: (direction, site, half)
    std::uint64_t key;                ///< key of the random numbers
    std::uint32_t first_realization;  ///< number of the column's first realization in the study, a multiple
                                      ///< of max(share, 32)
    std::uint32_t first_slot;         ///< a multiple of 4
    std::uint32_t replica;
    const std::uint32_t* thresholds;  ///< (threshold, slot): rule.thresholds() x four numbers
    std::int64_t first_half_sweep;    ///< 2 sweep + colour
    std::int64_t half_sweeps;
    SweepRule rule{};
    const std::uint64_t* absent = nullptr;  ///< words of CouplingLayout; read if rule.absent
    const std::uint32_t* always = nullptr;  ///< AcceptanceTable::always; read by the class rule
};

/// Counts unsatisfied bonds of one column, replica and slot quad, for each slot and realization. In a slab, a
/// task counts the bonds of the own red sites.
struct EnergyTask {
    HeldLattice lattice;
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    std::int32_t* unsatisfied;  ///< (slot 4, realization 128), modulo 2^32
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< words of CouplingLayout; nullptr: no bond is absent
};

/// Counts spins +1 of one column, replica and slot quad, for each slot and realization. In a slab, a task
/// counts own sites.
struct UpTask {
    HeldLattice lattice;
    const std::uint64_t* spins;
    std::int32_t* up;  ///< (slot 4, realization 128)
};

/// Draws the random numbers of purpose exchange for one column. Pair j consists of slots 2j + parity and 2j +
/// parity + 1, and takes word j % 4 of a Philox block.
struct ExchangeRandomTask {
    std::uint64_t key;
    std::int64_t sweep;
    std::uint32_t replica;
    std::uint32_t first_realization;
    int pairs;               ///< number of pairs j
    std::uint32_t* numbers;  ///< (pair j, padded to a multiple of 4; realization 128)
};

/// Makes a Houdayer move of two replicas of one lattice group. Whole lattices only.
struct HoudayerTask {
    HeldLattice lattice;
    std::uint64_t *first, *second;     ///< groups of the replicas
    int slots;                         ///< of the group, on which the move acts
    const std::uint32_t* starts;       ///< (slot 4, realization 128): site x + L (y + L z) of each lane
    std::uint64_t *differs, *cluster;  ///< memory for work, of the size of a group
    std::uint8_t* open;                ///< memory for work, (row); 0 before and after
    /// (slot 4, realization 128): the task adds the clusters and their sites
    std::int64_t *clusters, *sites;
    int dimension = 3;
    const std::uint64_t* absent = nullptr;  ///< words of CouplingLayout; nullptr: no bond is absent
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct SimdKernels {
    void (*sweep)(const SweepTask&);        ///< plain rule
    void (*class_sweep)(const SweepTask&);  ///< class rule
    void (*demon_sweep)(const SweepTask&);  ///< demons; whole lattices only
    void (*energy)(const EnergyTask&);
    void (*up)(const UpTask&);
    void (*exchange_random)(const ExchangeRandomTask&);
    void (*houdayer)(const HoudayerTask&);

    static const SimdKernels scalar, avx2, avx512;
};

}  // namespace psflip
