#pragma once

#include <functional>
#include <memory>

#include "measure/correlations.hpp"

namespace psflip {

/// Returns the present spins in host memory, valid until the next call or sweep. The nearest halo plane above
/// a slab is fresh. Collective.
using HostSpins = std::function<CpuView()>;

/// Counts on the CPU. Slabs must have the standard order (InputError for the sliced order). Their axes x and
/// y and all bonds are counted in place. Along z the differences are transposed first: for every group and
/// each of the p pairs of replicas (p = 3 for the six of four), a rank sends and receives 64 bytes for every
/// own site, less its own part, and holds twice as much for each of its threads. The ensemble must outlive
/// this. Collective.
std::unique_ptr<Correlations> make_cpu_correlations(const Ensemble& ensemble, HostSpins spins,
                                                    const Measured& measured, int bins);

/// Counts on the GPU in the ensemble's stream; the host adds up the counts.
std::unique_ptr<Correlations> make_cuda_correlations(Sampler& sampler, const Measured& measured, int bins);

/// Returns the spins of a slab on a GPU, copied to host memory in the layout of the CPU at every call: for
/// rare measurements. A call moves 16 bytes for every held site, replica, temperature and 128 realizations
/// from the GPU, and the outermost planes to the neighbours. threads: 0 takes all cores this process may use.
HostSpins copied_slab(Sampler& sampler, int threads);

}  // namespace psflip
