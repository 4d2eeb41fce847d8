#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "lattice/shape.hpp"
#include "measure/sums.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

/// What decides how much memory one call needs.
struct MemoryNeeds {
    Shape shape;
    int bins = 0;  ///< log2 bins and blocks; 0: no accumulators
    int histogram_bins = 0;
    std::int64_t snapshots = 0;
    bool backend_on_host = true;  ///< false: spins and couplings of the sweeps lie on a GPU
    bool absent_bonds = false;    ///< some bonds are absent
    Measured measured = {};
    int remembered = 0;  ///< waiting times of a relaxation, whose spins the backend holds as its own
    int ranks_here = 1;  ///< on this machine, each with a slab of about this shape
    bool double_precision = false;  ///< of spins with real couplings
};

/// Returns the needs that study, shape and backend decide: all but the numbers of bins, snapshots and ranks.
MemoryNeeds memory_needs(const Parameters& parameters, const Shape& shape, const BackendChoice& choice);

/// Returns the bytes of host memory of one rank at the peak. They hold couplings as read and packed, spins of
/// the backend and in canonical form (a state and a copy for writing), accumulators with the copy for a
/// checkpoint or run file, and snapshots. Files are packed in pieces of a few MiB per thread. The hottest
/// slot by itself needs no more: its ensemble is made when the ensemble of all temperatures is gone, its
/// canonical spins before the copy for writing. Whole lattices whose sites are lanes need about 3/8 bytes per
/// spin; a glass in d dimensions needs d more for the couplings as read, and d/8 in each lattice.
double estimated_bytes(const MemoryNeeds& needs);

/// Returns the bytes that this process may still take: the least of the machine's available memory, the
/// limits of its control groups and its address-space limit; infinity if none of them can be found.
double available_bytes();

/// EnvironmentError with both sizes, and with all that would reduce the need, unless `available` bytes
/// suffice.
void check_memory(const MemoryNeeds& needs, double available);

}  // namespace psflip
