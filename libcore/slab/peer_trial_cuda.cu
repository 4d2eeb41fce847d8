#include "slab/peer_halo_cuda.cuh"

#include <algorithm>
#include <array>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/stream.cuh"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

using GpuName = std::array<char, 32>;  // PCI bus id

GpuName gpu_name(int device) {
    GpuName name{};
    const std::string text = cuda_pci_bus_id(device);
    std::copy_n(text.begin(), std::min(text.size(), name.size() - 1), name.begin());
    return name;
}

/// Returns whether the driver says that `device` can write into that GPU of this machine.
bool reaches(int device, const GpuName& other) {
    for (int there = 0; there < cuda_devices(); ++there) {
        if (gpu_name(there) != other) continue;
        int can = 0;
        if (cudaDeviceCanAccessPeer(&can, device, there) == cudaSuccess) return can != 0;
        cudaGetLastError();
        return false;
    }
    return false;
}

/// Returns the hindrance that is known without a trial.
std::string known_hindrance(Ranks& ranks, int device) {
    const char* const texts[] = {"", "the GPUs cannot write into one another's memory",
                                 "several slabs are on one GPU", "the ranks are on several machines"};
    if (ranks.maximum(ranks_here(ranks).count < ranks.size() ? 1 : 0) != 0) return texts[3];
    const GpuName mine = gpu_name(device);
    const std::vector<GpuName> gpus = of_each(ranks, mine);
    if (ranks.maximum(std::count(gpus.begin(), gpus.end(), mine) > 1 ? 1 : 0) != 0) return texts[2];
    const bool reached = reaches(device, gpus[ranks.below()]) && reaches(device, gpus[ranks.above()]);
    return texts[ranks.maximum(reached ? 0 : 1)];
}

/// Red sites of a plane of the trial's lattices.
constexpr int trial_L = 4, trial_plane = trial_L * trial_L / 2;

PSFLIP_HD uint4 trial_word(int rank, int side, unsigned site) {
    return {0x5eed0000u + static_cast<unsigned>(rank), static_cast<unsigned>(side), site, ~site};
}

/// Does with a block for each side what a kernel of a sweep does at an end.
__global__ void trial_kernel(const PeerLinks links, const Geometry g, const OwnPlanes own, const int rank) {
    const int side = static_cast<int>(blockIdx.x);
    links.await(side);
    const unsigned first = side == below ? own.begin(g) : own.end(g) - g.plane;
    *links.place(side, 0, 0, first + threadIdx.x) = trial_word(rank, side, threadIdx.x);
    links.publish(side, 1);
}

bool equal(const uint4& a, const uint4& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// Throws EnvironmentError if the words of a neighbour have not arrived in `words`.
void run_trial(const Ranks& ranks, PeerHalo& halo, const Geometry& g, const OwnPlanes& own,
               const DeviceBuffer<uint4>& words) {
    const Stream stream;
    launch(trial_kernel, dim3(sides), dim3(trial_plane), 0, stream.handle, halo.next_launch(0), g, own,
           ranks.rank());
    halo.settle(stream.handle);
    std::vector<uint4> found(words.size());
    words.download(found, stream.handle);
    halo.check();
    for (unsigned site = 0; site < g.plane; ++site)
        if (!equal(found[own.begin(g) - g.plane + site], trial_word(ranks.below(), above, site)) ||
            !equal(found[own.end(g) + site], trial_word(ranks.above(), below, site)))
            throw EnvironmentError("data that a neighbour's GPU has written does not arrive");
}

/// Returns the error with which a trial ends. Frees the memory when no neighbour uses it any more.
std::string trial_hindrance(Ranks& ranks) {
    const Shape shape{.L = trial_L, .slab_planes = 2};
    const Geometry g = make_slab(shape.L, shape.held_planes());
    DeviceBuffer<uint4> words;
    std::string text;
    try {
        all_do(ranks, [&] {
            words = DeviceBuffer<uint4>::for_peers(g.sites, "a trial of halos");
            words.zero(nullptr);
            PSFLIP_CUDA(cudaDeviceSynchronize());
        });
        PeerHalo halo(ranks, shape, {words.data()});
        all_do(ranks, [&] { run_trial(ranks, halo, g, own_planes(shape), words); });
    } catch (const EnvironmentError& error) {
        if (!error.of_all_ranks()) throw;
        text = error.what();
    }
    ranks.barrier();
    return text;
}

}  // namespace

std::string peer_hindrance(Ranks& ranks, int device) {
    if (ranks.alone()) return {};
    const std::string known = known_hindrance(ranks, device);
    return known.empty() ? trial_hindrance(ranks) : known;
}

}  // namespace psflip
