#include "slab/halo_cuda.cuh"

#include "slab/agreement.hpp"

namespace psflip {

namespace {

/// The way that is taken, the same on all ranks. Collective.
std::string chosen_way(Ranks& ranks, const std::string& wanted, int device) {
    if (wanted != "auto" && wanted != "peer" && wanted != "mpi" && wanted != "host")
        throw_of_all_ranks<InputError>("--halo '" + wanted + "' is unknown; use auto, peer, mpi or host");
    const std::string no_peers = PeerHalo::hindrance(ranks, device);
    const bool in_device_memory = ranks.maximum(ranks.takes_device_memory() ? 0 : 1) == 0;
    if (wanted == "peer" && !no_peers.empty())
        throw_of_all_ranks<EnvironmentError>("--halo peer does not work here: " + no_peers + "; use auto");
    if (wanted == "mpi" && !in_device_memory)
        throw_of_all_ranks<EnvironmentError>(
            "--halo mpi does not work here: this MPI library does not take the memory of GPUs; use auto");
    if (wanted != "auto") return wanted;
    return no_peers.empty() ? "peer" : in_device_memory ? "mpi" : "host";
}

}  // namespace

Halo::Halo(const Shape& shape, Ranks& ranks, const std::string& wanted, int device)
    : shape_(shape),
      ranks_(ranks),
      own_(own_planes(shape)),
      most_planes_(static_cast<int>(ranks.maximum(shape.own_planes()))),
      way_(chosen_way(ranks, wanted, device)),
      staged_(ranks, way_ == "mpi") {}

void Halo::fill(const HeldLattices& lattices, cudaStream_t stream) {
    staged_.start(lattices, {{0, halo_depth, true, true}, {1, halo_depth, true, true}}, stream);
    staged_.finish(stream);
}

PeerHalo& Halo::peers(const std::vector<uint4*>& arrays) {
    if (!peers_) peers_ = std::make_unique<PeerHalo>(ranks_, shape_, arrays);
    return *peers_;
}

void Halo::check() const {
    if (peers_) peers_->check();
}

}  // namespace psflip
