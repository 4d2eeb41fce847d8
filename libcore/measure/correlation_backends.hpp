// Declares the backends of Correlations: words of realizations on the CPU or GPU, and bits of sites.
#pragma once

#include <memory>

#include "measure/correlations.hpp"

namespace psflip {

/// Makes correlations that are counted on the CPU. The sampler must outlive the result. All bonds, and
/// lines in the planes of a slab, are counted in place. For each axis whose lines go through all slabs
/// (measure/slab_lines.hpp), ranks first transpose the differences, so that each rank has whole lines.
/// To do so, a rank sends and receives 64 p bytes per own site and lattice group, except for the lines that
/// it keeps. p is the number of configurations that are compared with another one at the same time
/// (DistanceTask::others): 3 for the overlaps of four replicas, otherwise 1. Each thread needs 128 p bytes
/// for every own site of a lattice group. Collective.
std::unique_ptr<Correlations> make_cpu_correlations(Sampler& sampler, const Measured& measured, int bins);

/// Makes correlations that are counted on the GPU, in the ensemble's stream. The host adds up the counts. The
/// sampler must outlive the result. Slabs are counted in place, except along lines that go through all slabs
/// (measure/slab_lines_cuda.cuh). Collective.
std::unique_ptr<Correlations> make_cuda_correlations(Sampler& sampler, const Measured& measured, int bins);

/// Makes correlations of lattices with one bit per site (holds_site_bits), which the threads of the CPU
/// count, wherever the lattices lie. A comparison of two lattices of N sites at all distances costs about d N
/// L / 512 operations on words of 512 bits. Needs N / 8 bytes for each lattice now and at each earlier time,
/// and for the differences of two lattices. The sampler must outlive the result. Collective.
std::unique_ptr<Correlations> make_site_correlations(Sampler& sampler, const Measured& measured, int bins);

}  // namespace psflip
