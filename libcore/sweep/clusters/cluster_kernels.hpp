// Declares the CPU kernels of cluster updates, and their tasks. Arrays belong to the caller.
#pragma once

#include <cstdint>
#include <memory>

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
};

/// Holds the kernels of one SIMD level. Every level gives equal bits.
struct ClusterKernels {
    /// Draws the bonds of a strip, and joins its runs to clusters.
    void (*label)(const ClusterTask&);
    /// Joins the clusters of several strips, which are a whole lattice in ascending order.
    void (*connect)(const ClusterTask* strips, std::int64_t count);
    /// Gives the sites of a strip the new spins of their clusters.
    void (*assign)(const ClusterTask&);
    /// Flips the cluster of one site.
    void (*wolff)(const ClusterTask&);
    /// Transposes 64 x 64 bits: bit j of word i and bit i of word j change places.
    void (*transpose)(std::uint64_t (&words)[64]);

    static const ClusterKernels scalar, avx2, avx512;
};

}  // namespace psflip
