#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"

namespace psflip {

/// Lattices of any Ising model whose energies are wanted, `per_column` of them to each column.
struct ModelCountArgs {
    Geometry geometry;
    const uint4* spins;         ///< (lattice, site)
    const uint4* couplings;     ///< (column, direction, site)
    const uint4* absent;        ///< likewise; null: every bond is there
    const std::int32_t* bonds;  ///< (column, lane): bonds that are there
    std::uint32_t per_column, lattices;
    int degree;
};

/// energy[lattice * 128 + lane] = -(bonds) + 2 (unsatisfied bonds), and, unless null, magnetisation =
/// -(sites)
/// + 2 (spins +1).
void count_model(const ModelCountArgs& args, std::int32_t* energy, std::int32_t* magnetisation,
                 cudaStream_t stream);

}  // namespace psflip
