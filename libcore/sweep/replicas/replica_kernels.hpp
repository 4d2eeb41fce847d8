#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "sweep/houdayer.hpp"
#include "sweep/replicas/replica_layout.hpp"
#include "sweep/sweep_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Holds tables for the first ReplicaLayout::period() words of a row, which repeat along every row. Also
/// holds the bit planes of the thresholds, most significant first.
struct ReplicaTables {
    static constexpr int early_planes = 8;

    AlignedVector<std::uint32_t> word;   ///< number within the site
    AlignedVector<std::uint32_t> site;   ///< number of the word's site minus the number of the first site
    AlignedVector<std::uint32_t> used;   ///< a set bit is a lane with a (replica, slot) pair
    AlignedVector<std::uint32_t> early;  ///< (unit of the period, plane 8, threshold, word of the unit)
    AlignedVector<std::uint32_t> late;   ///< planes of the lanes' thresholds: (plane 32, threshold, word 16)

    ReplicaTables(const ReplicaLayout& layout, const AcceptanceTable& acceptance, int thresholds);
};

/// Returns the number of thresholds with which random numbers are compared. The threshold of isolated spins
/// is not one of them, because the first bit of a random number decides isolated spins.
int own_thresholds(const SweepRule& rule);
/// Returns AcceptanceTable::always as one number, with bit i for threshold i.
std::uint32_t always_bits(const AcceptanceTable& acceptance);

/// Describes sweeps of all lattices of one realization, or a half sweep of some of their rows.
struct ReplicaSweepTask {
    ReplicaLayout layout;
    HeldLattice lattice;
    int begin, end;               ///< rows begin, ..., end - 1; with demons, bundles (DemonChains)
    std::uint32_t* spins;         ///< words of the realization
    const std::uint16_t* bonds;   ///< bonds of the realization; a set bit is J = -1
    const std::uint16_t* absent;  ///< a set bit is an absent bond; read if rule.absent
    std::uint64_t key;            ///< key of the random numbers
    std::uint32_t realization;    ///< number in the study
    const ReplicaTables* tables;
    const std::uint32_t* always;    ///< AcceptanceTable::always, of the class rule
    std::int64_t first_half_sweep;  ///< 2 * sweep + colour
    std::int64_t half_sweeps;
    SweepRule rule;
};

/// Describes a count over the own planes of one realization.
struct ReplicaCountTask {
    ReplicaLayout layout;
    HeldLattice lattice;
    const std::uint32_t* spins;
    const std::uint16_t* bonds;
    const std::uint16_t* absent;  ///< nullptr if no bond is absent
    std::int32_t* counts;         ///< (lane, padded to whole words), modulo 2^32
};

/// Describes exchanges of temperatures in one realization. Lanes l and l + 1 change places if bit l of the
/// mask is 1.
struct ReplicaExchangeTask {
    ReplicaLayout layout;
    std::uint32_t* spins;
    const std::uint32_t* mask;  ///< (word); no two neighbouring bits are 1
};

/// Makes a Houdayer move of some realizations, whose bonds are all present. Whole lattices only.
struct ReplicaHoudayerTask {
    static constexpr int realizations_at_once = 16;  ///< of which the lanes fill a word of 512 bits

    ReplicaLayout layout;
    const HoudayerMove& move;
    std::uint64_t key;                ///< key of the random numbers
    std::uint32_t first_realization;  ///< number in the study
    int realizations;                 ///< at most realizations_at_once
    std::uint32_t* spins;             ///< words of all realizations
    std::uint64_t* words;             ///< memory for work: 16 words per site
    std::uint8_t* open;               ///< memory for work, (row); 0 before and after
    std::int64_t *clusters, *sites;   ///< (realization, slot): the task adds the clusters and their sites
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct ReplicaKernels {
    void (*sweep)(const ReplicaSweepTask&);        ///< plain rule
    void (*class_sweep)(const ReplicaSweepTask&);  ///< class rule
    void (*demon_sweep)(const ReplicaSweepTask&);  ///< demons; whole lattices only
    void (*unsatisfied)(const ReplicaCountTask&);  ///< counts the unsatisfied bonds of the red sites
    void (*up)(const ReplicaCountTask&);           ///< counts the spins +1
    void (*exchange)(const ReplicaExchangeTask&);
    void (*houdayer)(const ReplicaHoudayerTask&);

    static const ReplicaKernels scalar, avx2, avx512;
};

}  // namespace psflip
