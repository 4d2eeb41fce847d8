#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slab/peer_halo_cuda.cuh"
#include "slab/staged_halo_cuda.cuh"

namespace psflip {

/// Exchanges the halos of a slab on a GPU. All ranks choose one way together at the start:
///   peer  kernels write into the neighbours' memory (ranks of one machine, each with its own GPU)
///   mpi   messages in device memory (if the ranks take them)
///   host  messages in host memory (everywhere)
class Halo {
  public:
    /// shape: a slab. wanted: as for halo_way. device: CUDA device number. The ranks must outlive the halo.
    /// Collective. Errors: as halo_way.
    Halo(const Shape& shape, Ranks& ranks, const std::string& wanted, int device);

    Ranks& ranks() const { return ranks_; }
    const OwnPlanes& own() const { return own_; }
    SiteOrder order() const { return shape_.order; }
    /// Returns the number of planes of the largest slab. Plans are made for it, so that all ranks have the
    /// same plan.
    int max_planes() const { return max_planes_; }
    bool by_peers() const { return way_ == "peer"; }
    std::string description() const { return "halos by " + way_; }

    /// Renews all halo planes of both colours after host code wrote the spins, in the order of `stream`.
    /// Collective.
    void fill(const HeldLattices& lattices, cudaStream_t stream);
    /// Returns the halos that travel in messages, for sweeps if not by_peers(). In each half sweep, call
    /// begin, launch the kernel of the outermost own planes in the stream that begin returns, and call start.
    /// Then launch the kernel of the other planes, and call finish before the kernels of the other colour.
    StagedHalo& staged() { return staged_; }
    /// Returns the halos that kernels write. Call it only if by_peers(). The first call is collective.
    /// arrays: see PeerHalo; equal in all calls.
    PeerHalo& peers(const std::vector<uint4*>& arrays);
    /// Launches a kernel that writes halos itself. If PeerHalo::early(), the kernel may start before the
    /// previous kernel of the stream ends. All threads of the kernel must therefore call
    /// wait_for_launch_before (base/cuda_check.cuh) before they touch data of the previous kernel.
    template <class... Parameters, class... Arguments>
    void launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared,
                       cudaStream_t stream, const Arguments&... arguments) const {
        if (peers_ && peers_->early())
            launch_early(kernel, grid, block, dynamic_shared, stream, arguments...);
        else
            launch(kernel, grid, block, dynamic_shared, stream, arguments...);
    }
    /// Checks that every kernel got the halos that it waited for. The kernels must have ended. Errors:
    /// EnvironmentError if a neighbour did not answer.
    void check() const;

  private:
    Shape shape_;
    Ranks& ranks_;
    OwnPlanes own_;
    int max_planes_;
    std::string way_;
    StagedHalo staged_;
    std::unique_ptr<PeerHalo> peers_;
};

}  // namespace psflip
