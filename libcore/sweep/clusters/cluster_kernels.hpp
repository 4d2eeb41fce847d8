// Declares the CPU kernels of cluster updates, and their tasks. Arrays belong to the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "sweep/clusters/cluster_lattice.hpp"
#include "sweep/clusters/cluster_rule.hpp"
#include "word/simd_level.hpp"

namespace psflip {

/// Holds memory for steps of lattices of one shape. The nodes of a union-find forest are runs: sites of a row
/// that active bonds connect. Their numbers ascend with their first sites. So the root with the smallest
/// number begins at the label of its cluster.
struct ClusterMemory {
    explicit ClusterMemory(const ClusterLattice& lattice);

    SiteBits bonds[3];  ///< active bonds by direction
    SiteBits starts;    ///< sites at which runs begin
    /// (word): number of the first run that begins in this word or later. A strip begins with the number of
    /// its first site.
    std::unique_ptr<std::uint32_t[]> base;
    /// (run): number of a run of the same cluster, or its own number. Wolff steps keep sites here, and may
    /// write one number more.
    std::unique_ptr<std::uint32_t[]> parent;
    std::unique_ptr<std::uint8_t[]> up;  ///< (run): whether the new spin is +1
    /// Pairs of runs of one cluster that `connect` made roots, the larger number first. Only of steps with
    /// totals.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;
    std::vector<AlignedVector<std::int64_t>> totals;  ///< (strip): see ClusterTask
};

/// Describes a step of one lattice, or of a strip: whole layers across the last axis that are whole words.
struct ClusterTask {
    const ClusterLattice* lattice;
    ClusterStep step;
    std::uint32_t threshold;              ///< bond_threshold
    std::uint64_t* spins;                 ///< of SiteBits; a set bit is +1
    const std::uint64_t* const* present;  ///< (direction): words of present bonds; null: all are present
    ClusterMemory* memory;
    std::int64_t begin, end;  ///< words of the strip
    /// (cluster, number): totals of the clusters of the strip, or null if they are not wanted; see
    /// cluster_sums.hpp. Number 0 is the size. Real and imaginary parts of F_C are 1 and 2 along x, 4 and 5
    /// along y, 6 and 7 along z. Other numbers are 0.
    AlignedVector<std::int64_t>* totals = nullptr;
    static constexpr int numbers = 8;
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct ClusterKernels {
    /// Draws the bonds of a strip, and joins its runs to clusters.
    void (*label)(const ClusterTask&);
    /// Joins the clusters of several strips, which are a whole lattice in ascending order.
    void (*connect)(const ClusterTask* strips, std::int64_t count);
    /// Gives the sites of a strip the new spins of their clusters. If totals are wanted, also adds the sites
    /// to the totals of their clusters, and makes the number of its cluster the parent of each run.
    void (*assign)(const ClusterTask&);
    /// Flips the cluster of one site.
    void (*wolff)(const ClusterTask&);
    /// Transposes 64 x 64 bits: bit j of word i and bit i of word j change places.
    void (*transpose)(std::uint64_t (&words)[64]);

    static const ClusterKernels scalar, avx2, avx512;
};

}  // namespace psflip
