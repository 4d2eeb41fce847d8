#include "slab/halo_cuda.cuh"

#include "slab/halo_way.hpp"

namespace psflip {

Halo::Halo(const Shape& shape, Ranks& ranks, const std::string& wanted, int device)
    : shape_(shape),
      ranks_(ranks),
      own_(own_planes(shape)),
      max_planes_(static_cast<int>(ranks.maximum(shape.own_planes()))),
      way_(halo_way(ranks, wanted, [&] { return peer_hindrance(ranks, device); })),
      staged_(ranks, way_ == "mpi") {}

void Halo::fill(const HeldLattices& lattices, cudaStream_t stream) {
    staged_.begin(stream);
    staged_.start(lattices, {{0, halo_depth, true, true}, {1, halo_depth, true, true}});
    staged_.finish(stream);
    if (by_peers()) staged_.release();
}

PeerHalo& Halo::peers(const std::vector<uint4*>& arrays) {
    if (!peers_) peers_ = std::make_unique<PeerHalo>(ranks_, shape_, arrays);
    return *peers_;
}

void Halo::check() const {
    if (peers_) peers_->check();
}

}  // namespace psflip
