#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slab/peer_halo_cuda.cuh"
#include "slab/staged_halo_cuda.cuh"

namespace psflip {

/// How the halos of a slab on a GPU come to it, chosen at the start by what all ranks find:
///   peer  kernels write into the neighbours' memory (ranks of one machine with a GPU each)
///   mpi   messages in device memory (where the ranks take it)
///   host  messages in host memory (everywhere)
class Halo {
  public:
    /// wanted: one of these, or auto, which takes the first that works. Throws InputError for others,
    /// EnvironmentError on all ranks where one does not work. Collective.
    Halo(const Shape& shape, Ranks& ranks, const std::string& wanted, int device);

    Ranks& ranks() const { return ranks_; }
    const OwnPlanes& own() const { return own_; }
    SiteOrder order() const { return shape_.order; }
    /// Planes of the largest slab: what plans are made for, which are the same on all ranks.
    int most_planes() const { return most_planes_; }
    bool by_peers() const { return way_ == "peer"; }
    std::string description() const { return "halos by " + way_; }

    /// All halo planes of both colours, where host code has written spins. Collective.
    void fill(const HeldLattices& lattices, cudaStream_t stream);
    StagedHalo& staged() { return staged_; }
    /// Where by_peers. The first call is collective; arrays: see PeerHalo, the same in all calls.
    PeerHalo& peers(const std::vector<uint4*>& arrays);
    /// Launches of kernels that write halos themselves overlap where the device can.
    template <class... Parameters, class... Arguments>
    void launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared,
                       cudaStream_t stream, const Arguments&... arguments) const {
        if (peers_ && peers_->early())
            launch_early(kernel, grid, block, dynamic_shared, stream, arguments...);
        else
            launch(kernel, grid, block, dynamic_shared, stream, arguments...);
    }
    /// Throws EnvironmentError where a kernel that has ended has waited in vain for a neighbour.
    void check() const;

    /// The value of rank 0, on all. Collective.
    template <class T>
    T agreed(T value) const {
        ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
        return value;
    }

  private:
    Shape shape_;
    Ranks& ranks_;
    OwnPlanes own_;
    int most_planes_;
    std::string way_;
    StagedHalo staged_;
    std::unique_ptr<PeerHalo> peers_;
};

}  // namespace psflip
