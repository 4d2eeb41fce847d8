#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/replicas/replica_layout.hpp"

namespace psflip {

/// Spins from the canonical array (Ensemble::spins) to words of ReplicaLayout, own planes of all
/// realizations, and back.
void pack_replica_spins(const Shape& shape, const std::vector<std::uint64_t>& canonical, std::uint32_t* words,
                        ThreadPool& pool);
std::vector<std::uint64_t> unpack_replica_spins(const Shape& shape, const std::uint32_t* words,
                                                ThreadPool& pool);

/// All planes that are held as words of realizations, SpinLayout with groups of `group` slots; padded slots
/// and lanes are left as they are.
void replica_spins_to_columns(const Shape& shape, const std::uint32_t* words, int group,
                              std::uint64_t* columns, ThreadPool& pool);

/// Returns where the planes of a slab lie in `words`, words of ReplicaLayout on a host or a device.
CpuHalo::Memory replica_plane_memory(const Shape& shape, std::uint32_t* words);

/// Bond words of ReplicaLayout from couplings as make_ising_ensemble takes them: bit 1 where the coupling is
/// `wanted`.
AlignedVector<std::uint16_t> pack_replica_bonds(const Shape& shape, std::span<const std::int8_t> couplings,
                                                int wanted, ThreadPool& pool);
/// Likewise a byte for each word of spins, bit k for direction k of ReplicaLayout, for one load per site.
std::vector<std::uint8_t> pack_replica_bond_bytes(const Shape& shape, std::span<const std::int8_t> couplings,
                                                  int wanted, ThreadPool& pool);

}  // namespace psflip
