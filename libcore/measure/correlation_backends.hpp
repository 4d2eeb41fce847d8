// Declares the backends of Correlations: CPU and GPU.
#pragma once

#include <functional>
#include <memory>

#include "measure/correlations.hpp"

namespace psflip {

/// Returns the present spins in host memory. The spins are valid until the next call or the next sweep. In a
/// slab the nearest halo plane above is up to date. Collective.
using HostSpins = std::function<CpuView()>;

/// Makes correlations that are counted on the CPU. The ensemble must outlive the result. Slabs in the sliced
/// order are first moved to the standard order (measure/standard_slab.hpp). Axes x and y and all bonds are
/// counted in place. Along z a slab first transposes the differences, so that each rank has whole lines.
/// To do so, a rank sends and receives 64 p bytes per own site and lattice group, except for the lines that
/// it keeps. p is the number of configurations that are compared with another one at the same time
/// (DistanceTask::others): 3 for the overlaps of four replicas, otherwise 1. Each thread needs 128 p bytes
/// for every own site of a lattice group. Collective.
std::unique_ptr<Correlations> make_cpu_correlations(const Ensemble& ensemble, HostSpins spins,
                                                    const Measured& measured, int bins);

/// Makes correlations that are counted on the GPU, in the ensemble's stream. The host adds up the counts. The
/// sampler must outlive the result.
std::unique_ptr<Correlations> make_cuda_correlations(Sampler& sampler, const Measured& measured, int bins);

/// Returns a function that copies the spins of a slab from a GPU to host memory, in the layout of the CPU, at
/// every call. It suits rare measurements. For each held site, replica and temperature, a call copies 16
/// bytes per 128 realizations from the GPU. It also sends the outermost planes to the neighbours. The sampler
/// must outlive the function. threads: 0 takes all cores that this process may use.
HostSpins copied_slab(Sampler& sampler, int threads);

}  // namespace psflip
