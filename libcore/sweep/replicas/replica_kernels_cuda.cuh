#pragma once

#include <cuda_runtime.h>

#include "sweep/replicas/replica_site.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// The batch of a launch: its view in device memory, realizations and planes.
struct ReplicaLaunch {
    ReplicaView view;
    std::int64_t realizations;
    SweepRule rule;
};

/// Sweeps number first, ..., first + count - 1 of all realizations: a launch per colour, a thread per word.
/// Per word of 32 lanes about 2.1 to 4 digits of 10 rounds; 28 bytes of spins read, 4 written.
void sweep_replicas(const ReplicaLaunch& batch, std::int64_t first, int count, cudaStream_t stream);

/// Unsatisfied bonds, and where `up` is not null spins +1, modulo 2^32: (realization, lane padded to whole
/// words).
void count_replicas(const ReplicaLaunch& batch, std::uint32_t* unsatisfied, std::uint32_t* up,
                    cudaStream_t stream);
/// From these to energies (column, replica, slot, lane) in the unit, bonds: (realization), of lattices of
/// `sites`; up and magnetisations null without a field.
void energies_of_replicas(const ReplicaLaunch& batch, const std::uint32_t* unsatisfied,
                          const std::uint32_t* up, const std::int32_t* bonds, int unit, std::int32_t sites,
                          std::int32_t* energies, std::int32_t* magnetisations, cudaStream_t stream);

/// Exchanges neighbouring lanes by a mask (column, replica, step, lane / 32): that of slots 2 step - parity
/// and the next one.
void exchange_replicas(const ReplicaLaunch& batch, const std::uint32_t* mask, int parity,
                       cudaStream_t stream);

/// Spins as words of realizations: 32-bit words of SpinLayout with groups of one slot.
void replicas_to_columns(const ReplicaLaunch& batch, std::uint32_t* columns, cudaStream_t stream);

}  // namespace psflip
