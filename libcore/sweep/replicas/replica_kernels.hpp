#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "sweep/replicas/replica_layout.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Tables for words number 0, ..., period - 1 of a row, which repeat along the rows of a batch, and the
/// planes of its thresholds.
struct ReplicaTables {
    static constexpr int early_planes = 8;

    AlignedVector<std::uint32_t> word;   ///< number within the site
    AlignedVector<std::uint32_t> site;   ///< number of the site less that of the row's first one
    AlignedVector<std::uint32_t> used;   ///< bit 1 where the lane is a (replica, slot) pair
    AlignedVector<std::uint32_t> early;  ///< (unit of the period, plane 8, threshold, word of the unit)
    AlignedVector<std::uint32_t> late;   ///< planes of the lanes' thresholds: (plane 32, threshold, word 16)

    ReplicaTables(const ReplicaLayout& layout, const AcceptanceTable& acceptance, int thresholds);
};

/// Returns the number of thresholds of a spin's class, without the one of isolated spins: the first bit of a
/// number decides these.
int own_thresholds(const SweepRule& rule);
/// Returns AcceptanceTable::always of threshold i as bit i.
std::uint32_t always_bits(const AcceptanceTable& acceptance);

/// Sweeps of all lattices of one realization, or one sweep of some rows of one colour.
struct ReplicaSweepTask {
    ReplicaLayout layout;
    HeldLattice lattice;
    int begin, end;               ///< rows
    std::uint32_t* spins;         ///< of the realization
    const std::uint16_t* bonds;   ///< of the realization: bit 1 if J = -1
    const std::uint16_t* absent;  ///< bit 1 if the bond is absent; read if rule.absent
    std::uint64_t key;            ///< of the random numbers
    std::uint32_t realization;    ///< its global number
    const ReplicaTables* tables;
    const std::uint32_t* always;    ///< AcceptanceTable::always, of the class rule
    std::int64_t first_half_sweep;  ///< 2 sweep + colour
    std::int64_t half_sweeps;
    SweepRule rule;
};

/// Counts of one realization: rows of own planes.
struct ReplicaCountTask {
    ReplicaLayout layout;
    HeldLattice lattice;
    const std::uint32_t* spins;
    const std::uint16_t* bonds;
    const std::uint16_t* absent;  ///< nullptr if no bond is absent
    std::int32_t* counts;         ///< (lane, padded to whole words), modulo 2^32
};

/// An exchange in one realization: lanes l and l + 1 change places if bit l of the mask is 1.
struct ReplicaExchangeTask {
    ReplicaLayout layout;
    std::uint32_t* spins;
    const std::uint32_t* mask;  ///< (word); no two neighbouring bits are 1
};

struct ReplicaKernels {
    void (*sweep)(const ReplicaSweepTask&);        ///< plain rule
    void (*class_sweep)(const ReplicaSweepTask&);  ///< class rule
    void (*unsatisfied)(const ReplicaCountTask&);  ///< bonds of the red sites
    void (*up)(const ReplicaCountTask&);           ///< spins +1
    void (*exchange)(const ReplicaExchangeTask&);

    static const ReplicaKernels scalar, avx2, avx512;
};

}  // namespace psflip
