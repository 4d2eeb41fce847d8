#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/geometry_cuda.cuh"

namespace psflip {

/// What bond counting reads. Lattice k = column * per_column + j of the result is, for energies, the lattice
/// k of `a` with the couplings of the column; for link overlaps, `couplings` is null and the spins are a ^ b
/// with lattice (column * stride + j) of both arrays.
struct BondCountArgs {
    Geometry geometry;
    const uint4* a;
    const uint4* b;          ///< null for energies
    const uint4* couplings;  ///< null for link overlaps
    std::uint32_t per_column, stride;
    std::uint32_t lattices;
};

/// result[lattice * 128 + lane] = offset + factor * (number of unsatisfied bonds).
void count_bonds(const BondCountArgs& args, std::int32_t* result, std::int32_t offset, std::int32_t factor,
                 cudaStream_t stream);

}  // namespace psflip
