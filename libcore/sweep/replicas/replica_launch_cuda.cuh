#pragma once

#include <cuda_runtime.h>

#include "sweep/demon_rule.hpp"
#include "sweep/replicas/replica_site.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

class ReplicaHalo;
struct KernelRequest;

/// Says how a launch shares its work. A group of `blocks` blocks shares the rows of a realization. The
/// `groups` groups share the realizations.
struct ReplicaCut {
    int blocks = 2, groups = 1;
    int words = 1;  ///< words of a site that a thread updates at a time: 1 or 2
    bool operator==(const ReplicaCut&) const = default;
};

/// Names the arrays of the energies that a launch counts, in device memory.
struct ReplicaEnergies {
    std::uint32_t* counts;    ///< (realization, kind of ReplicaSums, lane of whole words); 0 between launches
    std::uint32_t* finished;  ///< (realization): number of blocks that have counted; 0 between launches
    const std::int32_t* bonds;  ///< (realization): number of bonds, divided by `unit`
    int unit;                   ///< unit of energies
    std::int32_t sites;         ///< sites of a lattice
    std::int32_t *energies,
        *magnetisations;  ///< (column, replica, slot, lane); the latter null without field
};

/// Names the own rows of a slab, and the number of its held plane 0 in the lattice.
struct ReplicaPart {
    std::uint32_t first_row, rows, plane;
};

/// Holds the arguments of a launch: first an exchange, then sweeps, then energies. Pointers refer to device
/// memory.
struct ReplicaSweepArgs {
    ReplicaView view;
    std::int64_t realizations;
    ReplicaCut cut;
    std::uint32_t* arrivals;    ///< (realization): number of arrivals of blocks, modulo 2^32
    std::uint32_t arrived;      ///< number of arrivals before the launch
    const std::uint32_t* mask;  ///< mask of the exchange, (column, replica, step, lane / 32); null: no
                                ///< exchange
    int parity;                 ///< step i exchanges the slots 2 i - parity and 2 i - parity + 1
    std::int64_t first;         ///< number of the first sweep
    int sweeps;
    ReplicaEnergies count;   ///< energies are null if none are counted
    std::uint32_t row_part;  ///< 2^32 / L, rounded up
    ReplicaPart part;        ///< of slabs; whole lattices ignore it
    DemonChains chains;      ///< of demons; other rules ignore it

#ifdef __CUDACC__
    /// Returns the plane of a row. It is exact for L^3 < 2^32.
    __device__ __forceinline__ std::uint32_t plane_of(std::uint32_t row) const {
        return __umulhi(row, row_part);
    }
    /// Returns the number in the lattice of row v of held plane w of a slab.
    __device__ __forceinline__ std::uint32_t row_of_lattice(std::uint32_t v, std::uint32_t w) const {
        const auto L = static_cast<std::uint32_t>(view.layout.L);
        const std::uint32_t z = part.plane + w;
        return v + L * (z >= L ? z - L : z);
    }
#endif
};

/// Returns the cut with the shortest predicted time. If the requested kernel is "replicas", its numbers set
/// blocks, groups and words. Errors: EnvironmentError if the device has no room for a cut, or cannot run
/// blocks that wait for each other.
ReplicaCut cut_replicas(const ReplicaLayout& layout, std::int64_t realizations, const SweepRule& rule,
                        int device, const KernelRequest& wanted);

/// Returns the bytes of dynamic shared memory of a sweeping kernel, which holds the thresholds.
std::size_t replica_shared_bytes(const ReplicaLayout& layout, const SweepRule& rule);

/// Returns the number of blocks that arrive for each realization in a launch.
std::uint32_t replica_arrivals(const ReplicaSweepArgs& args);

/// Launches an exchange, sweeps and a count of energies in `stream`, and returns at once. A word of 32 lanes
/// takes about 2.2 digits, each with 33 multiplications and 40 logic operations, and 100 more logic
/// operations. A word reads 28 bytes of spins and 1 of bonds, and writes 4.
void launch_replicas(const ReplicaSweepArgs& args, const SweepRule& rule, cudaStream_t stream);

/// Returns the cut for slabs. Their launches have a group for every realization.
ReplicaCut cut_replica_slab(const ReplicaLayout& layout, const ReplicaPart& part, std::int64_t realizations,
                            const SweepRule& rule, int device, const KernelRequest& wanted);

/// Launches an exchange, half sweeps and energies of the own rows of a slab in three dimensions. The halo
/// planes of a colour are up to date after each of its half sweeps. Collective.
void launch_replica_slab(const ReplicaSweepArgs& args, const SweepRule& rule, ReplicaHalo& halo,
                         cudaStream_t stream);

/// Writes spins as words of realizations: 32-bit words of SpinLayout with groups of one slot.
void replicas_to_columns(const ReplicaView& view, std::int64_t realizations, std::uint32_t* columns,
                         cudaStream_t stream);

}  // namespace psflip
