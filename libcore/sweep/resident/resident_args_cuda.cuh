#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

/// How the resident kernel cuts a batch into blocks; made by plan_resident.
struct ResidentPlan {
    int slots_per_block = 0;  ///< lattices in shared memory; 0: they do not fit
    int groups = 0;           ///< slot groups per (column, replica)
    int threads = 0;
    int bond_sites = 0;            ///< of a thread that counts energies
    int lattice_bytes = 0;         ///< of shared memory
    int shared_bytes = 0;          ///< with the queues and tables of share 1
    int cluster = 1;               ///< blocks that share a slot group; each has L / cluster planes
    std::uint32_t first_task = 0;  ///< of a launch: slot groups of all stacks count on
    double cost = 0;               ///< of a sweep: microseconds on one H200
};

/// The part of a lattice that a block has, in layers: z planes, in two dimensions rows.
struct Layers {
    std::uint32_t depth, layer;  ///< layers; sites of a colour in one
    std::uint32_t colour_sites, sites;
};

/// Largest number of threads per block of the resident kernel: leaves each 128 registers. The plain rule in
/// two dimensions sweeps with 64.
inline constexpr int resident_threads = 512, planar_threads = 1024;

/// A kernel with whole lattices in a block, and the one with slabs in the blocks of a cluster (null: none).
struct ResidentForms {
    const void *whole, *clustered;
    int fixed_bytes = 0;                  ///< of shared memory beside those of a plan
    int most_threads = resident_threads;  ///< of a block
};

/// Returns the kernels of the plain rule in three dimensions: args, plan, slab as Geometry (of two planes at
/// least), burst, GaugedBonds. Share 1 has none with clusters: its streaming kernel is as fast on lattices
/// that do not fit.
ResidentForms resident_forms(int share);

/// Returns the kernels for a rule of class_update_cuda.cuh: args, class args, plan, slab as Layers, burst.
/// Share 1 has none with clusters. Several files instantiate the template, because one file with all kernels
/// compiles for 100 s.
template <class Rule>
ResidentForms resident_class_forms(int share);
/// Returns the kernel of the plain rule in two dimensions with share 1, of the same arguments.
ResidentForms resident_planar_forms();

}  // namespace psflip
