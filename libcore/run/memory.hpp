// Estimates the host memory of one call. Programs compare it with the available memory before any work.
#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "lattice/shape.hpp"
#include "measure/sums.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// Holds the numbers that decide how much memory one call needs.
struct MemoryNeeds {
    Shape shape;
    int bins = 0;  ///< log2 bins and blocks; 0: no accumulators
    int histogram_bins = 0;
    std::int64_t snapshots = 0;
    bool backend_on_host = true;  ///< false: spins and couplings of the sweeps lie on a GPU
    bool absent_bonds = false;    ///< some bonds are absent
    Measured measured = {};
    int remembered = 0;             ///< number of waiting times whose spins the backend holds (relaxations)
    int ranks_here = 1;             ///< ranks on this machine, each with a slab of about this shape
    bool double_precision = false;  ///< spins with real couplings use doubles
    bool has_houdayer = false;      ///< replicas exchange clusters
    bool has_clusters = false;      ///< cluster updates (Model::has_clusters)
};

/// Returns the needs that study, shape and backend decide. The caller sets bins, histogram_bins, snapshots,
/// remembered and ranks_here.
MemoryNeeds memory_needs(const Parameters& parameters, const Shape& shape, const BackendChoice& choice);

/// Returns the bytes of host memory of one rank at the peak.
/// The estimate counts couplings as read and packed, spins of the backend, and spins in canonical form (a
/// state and a copy for writing). It also counts snapshots, and accumulators with a copy for a checkpoint or
/// run file. Files are packed in pieces of a few MiB per thread. The test of the hottest slot needs no more
/// memory, because its ensemble is made when the ensemble of all temperatures is gone.
/// Whole lattices with `lanes: sites` need about 3/8 bytes per spin. A glass in d dimensions also needs d/8
/// bytes per spin for packed couplings, and d bytes per site of a realization for couplings as read.
double estimated_bytes(const MemoryNeeds& needs);

/// Returns the bytes that this process may still take: the smallest of the machine's available memory, the
/// limits of its control groups and its address-space limit. Returns infinity if none of them can be found.
double available_bytes();

/// Checks that `available` bytes suffice. Errors: EnvironmentError with both sizes and with every setting
/// that would reduce the need.
void check_memory(const MemoryNeeds& needs, double available);

}  // namespace psflip
