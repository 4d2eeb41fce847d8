#include "slab/halo_cuda.cuh"

#include "slab/agreement.hpp"
#include "slab/halo_way.hpp"

namespace psflip {
namespace {

/// On one machine, copies between GPU and host through PCIe limit messages. Between machines, or if ranks
/// copied messages themselves, 4 to 7.5 GB/s were measured (two H200).
double speed_of_messages(Ranks& ranks) {
    constexpr double between_machines = 6000, on_one_machine = 20000;
    const bool together = ranks.maximum(ranks_here(ranks).count < ranks.size() ? 1 : 0) == 0;
    return together ? on_one_machine : between_machines;
}

}  // namespace

Halo::Halo(const Shape& shape, Ranks& ranks, const std::string& wanted, int device)
    : shape_(shape),
      ranks_(ranks),
      own_(own_planes(shape)),
      max_planes_(static_cast<int>(ranks.maximum(shape.own_planes()))),
      way_(halo_way(ranks, wanted, [&] { return peer_hindrance(ranks, device); })),
      bytes_per_microsecond_(speed_of_messages(ranks)),
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
