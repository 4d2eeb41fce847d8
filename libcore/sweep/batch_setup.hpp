// Declares the setup of a batch: everything that its spins are made from, and the backend that sweeps them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lattice/shape.hpp"
#include "model/model.hpp"
#include "slab/ranks.hpp"
#include "sweep/houdayer.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

enum class Backend { cpu, cuda };

/// Names the requested backend, and settings that do not change results.
struct BackendChoice {
    std::string backend = "auto";  ///< auto, cpu or cuda; auto takes a GPU if one works, otherwise the CPU
    int threads = 0;               ///< CPU threads; 0: all cores that this process may use
    int device = 0;                ///< CUDA device number
    std::string kernel = "auto";   ///< CUDA kernel and plan, in the form of KernelRequest
    std::string halo = "auto";  ///< how slabs exchange halos: auto, host, mpi or peer; see slab/halo_cuda.cuh
    std::string plan_source = "requested";  ///< where `kernel` comes from, for Ensemble::description
};

/// Holds everything that the spins of a batch are made from. It does not own the couplings, ranks and vectors
/// to which it refers.
struct BatchSetup {
    BackendChoice choice{};
    Shape shape{};
    std::vector<double> betas{};  ///< (slot): 1 / (k_B T) in units of 1/J; slot 0 is the coldest
    std::uint64_t seed = 0;       ///< seed of the study
    /// Bonds (realization, direction, z, y, x), without z in two dimensions: +1, -1, or 0 for an absent bond.
    /// A bond leads from a site to its neighbour in direction 0 = x, 1 = y, 2 = z. These values decide which
    /// bonds exist, whatever the model says. A slab has (realization, direction, w, v, u) of its own planes
    /// and halo planes, in coordinates of the site order. The constructor of the ensemble copies them.
    std::span<const std::int8_t> couplings{};
    int sweeps_per_swap = 0;  ///< sweeps between two exchanges of temperatures; 0: no exchange
    Model model{};
    Ranks* ranks = &single_rank();  ///< ranks that hold the slabs of each lattice; they must outlive the
                                    ///< ensemble
    /// Set for vector spins or real couplings; `couplings` is then empty. The constructor of the ensemble
    /// copies the setup to which it points.
    const VectorSetup* vectors = nullptr;
    VectorProgram program{};  ///< how vector spins are swept
    /// Number of sweeps that the caller will do. If it is large and no plan is stored, make_sampler times
    /// plans of CUDA kernels and takes the fastest. With 0 (unknown), it times no plans.
    std::int64_t sweeps = 0;
    HoudayerSetup houdayer{};  ///< for Ising spins

    /// Returns the setup with another shape.
    BatchSetup with(const Shape& other) const {
        BatchSetup setup = *this;
        setup.shape = other;
        return setup;
    }
};

}  // namespace psflip
