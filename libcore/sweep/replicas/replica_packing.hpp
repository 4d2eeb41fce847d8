#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/replicas/replica_layout.hpp"

namespace psflip {

/// Convert own planes of all realizations between the canonical array (IsingEnsemble::spins) and words of
/// ReplicaLayout.
void pack_replica_spins(const Shape& shape, const std::vector<std::uint64_t>& canonical, std::uint32_t* words,
                        ThreadPool& pool);
std::vector<std::uint64_t> unpack_replica_spins(const Shape& shape, const std::uint32_t* words,
                                                ThreadPool& pool);

/// Writes the spins of all held planes as words of realizations, in SpinLayout with groups of `group` slots.
/// Padded slots and lanes are not written.
void replica_spins_to_columns(const Shape& shape, const std::uint32_t* words, int group,
                              std::uint64_t* columns, ThreadPool& pool);

/// Says where the planes of a slab lie in `words`, an array in ReplicaLayout on a host or a device.
CpuHalo::Memory replica_plane_memory(const Shape& shape, std::uint32_t* words);

/// Returns bond words of ReplicaLayout from the couplings of a BatchSetup. A bit is 1 if the coupling is
/// `wanted`.
AlignedVector<std::uint16_t> pack_replica_bonds(const Shape& shape, std::span<const std::int8_t> couplings,
                                                int wanted, ThreadPool& pool);
/// Returns a byte for each word of spins. Its bit k is 1 if the coupling in direction k of ReplicaLayout is
/// `wanted`. One load then reads the bonds of a site.
std::vector<std::uint8_t> pack_replica_bond_bytes(const Shape& shape, std::span<const std::int8_t> couplings,
                                                  int wanted, ThreadPool& pool);

}  // namespace psflip
