#include "slab/peer_halo_cuda.cuh"

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/error.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

// Both kernels run as one block of two warps, one for each side.
__global__ void ready_kernel(const PeerLinks links) {
    if (threadIdx.x % 32 == 0) links.signal(static_cast<int>(threadIdx.x / 32));
}
/// In the sliced order the neighbour above publishes last in the launch of the red sites.
__global__ void settle_kernel(const PeerLinks links, const bool sliced) {
    const int side = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) links.wait_for(side, links.number - (sliced && side == above ? 1 : 0));
}
constexpr unsigned warp_per_side = 32 * sides;

// Places of words.
constexpr int blocks_done_at = sides, failed_at = sides + 1, all_words = sides + 2;

}  // namespace

NeighbourMemory::Offer NeighbourMemory::offer(const std::vector<void*>& arrays, bool with_handles) {
    Offer mine{};
    mine.handles = with_handles;
    mine.count = static_cast<int>(arrays.size());
    PSFLIP_CUDA(cudaGetDevice(&mine.device));
    std::copy(arrays.begin(), arrays.end(), mine.plain.begin());
    for (int i = 0; with_handles && i < mine.count; ++i)
        PSFLIP_CUDA(cudaIpcGetMemHandle(&mine.handle[i], mine.plain[i]));
    return mine;
}

NeighbourMemory::~NeighbourMemory() {
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    for (const int device : reached_) cudaDeviceDisablePeerAccess(device);
}

void NeighbourMemory::reach(int device) {
    int mine = 0;
    PSFLIP_CUDA(cudaGetDevice(&mine));
    if (device == mine || std::find(reached_.begin(), reached_.end(), device) != reached_.end()) return;
    PSFLIP_CUDA(cudaDeviceEnablePeerAccess(device, 0));
    reached_.push_back(device);
}

NeighbourMemory::Arrays NeighbourMemory::open(const Offer& offer) {
    if (!offer.handles) {
        reach(offer.device);
        return offer.plain;
    }
    Arrays arrays{};
    for (int i = 0; i < offer.count; ++i) {
        PSFLIP_CUDA(cudaIpcOpenMemHandle(&arrays[i], offer.handle[i], cudaIpcMemLazyEnablePeerAccess));
        opened_.push_back(arrays[i]);
    }
    return arrays;
}

void PeerHalo::make_words() {
    words_ = DeviceBuffer<std::uint64_t>::for_peers(all_words, "words of launches");
    PSFLIP_CUDA(cudaMemset(words_.data(), 0, words_.size() * sizeof(std::uint64_t)));
    PSFLIP_CUDA(cudaDeviceSynchronize());
    std::uint32_t* failed = nullptr;
    PSFLIP_CUDA(cudaHostAlloc(&failed, sizeof *failed, cudaHostAllocMapped));
    failed_on_host_.reset(failed);
    *failed = 0;
    links_.finished = words_.data();
    links_.blocks_done = reinterpret_cast<std::uint32_t*>(words_.data() + blocks_done_at);
    links_.failed = reinterpret_cast<std::uint32_t*>(words_.data() + failed_at);
    PSFLIP_CUDA(cudaHostGetDevicePointer(&links_.failed_on_host, failed, 0));
    early_ = can_launch_early();
}

/// Takes the neighbour's arrays, first its spins and then its words.
void PeerHalo::connect(Side side, const NeighbourMemory::Arrays& arrays) {
    const std::size_t spins = spins_.size();
    for (std::size_t i = 0; i < spins; ++i) spins_[i][side] = static_cast<uint4*>(arrays[i]);
    links_.at[side].finished = static_cast<std::uint64_t*>(arrays[spins]) + (side == below ? above : below);
}

PeerHalo::PeerHalo(Ranks& ranks, const std::vector<uint4*>& arrays) : ranks_(ranks), spins_(arrays.size()) {
    NeighbourMemory::Offer mine{};
    all_do(ranks, [&] {
        make_words();
        std::vector<void*> all(arrays.begin(), arrays.end());
        all.push_back(words_.data());
        mine = NeighbourMemory::offer(all, !ranks.share_memory());
    });
    const std::vector<NeighbourMemory::Offer> offers = of_each(ranks, mine);
    all_do(ranks, [&] {
        const NeighbourMemory::Arrays down = neighbours_.open(offers[ranks.below()]),
                                      up = ranks.below() == ranks.above()
                                               ? down
                                               : neighbours_.open(offers[ranks.above()]);
        connect(below, down);
        connect(above, up);
    });
}

PeerHalo::PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays)
    : PeerHalo(ranks, arrays) {
    sliced_ = shape.order == SiteOrder::sliced;
    const std::vector<int> planes = of_each(ranks, shape.own_planes());
    for (const Side side : {below, above}) {
        const int theirs = planes[side == below ? ranks.below() : ranks.above()];
        const Geometry there = make_slab(shape.L, theirs + 2 * halo_depth);
        PeerLinks::Neighbour& at = links_.at[side];
        at.sites = there.sites;
        at.colour_sites = there.colour_sites;
        // The lowest own plane is the first plane above the own planes of the rank below, and the other way
        // round.
        at.shift = there.plane * static_cast<unsigned>(side == below ? theirs : -shape.own_planes());
    }
}

PeerHalo::~PeerHalo() {
    cudaDeviceSynchronize();
}

PeerLinks PeerHalo::next_launch(int array) {
    ranks_.count_messages(sliced_ ? 1 : sides);
    return next_links(array);
}

PeerLinks PeerHalo::next_links(int array) {
    ++links_.number;
    PeerLinks links = links_;
    for (const Side side : {below, above}) links.at[side].spins = spins_[array][side];
    return links;
}

void PeerHalo::ready(cudaStream_t stream) {
    ranks_.barrier();
    check();
    launch(ready_kernel, dim3(1), dim3(warp_per_side), 0, stream, next_links(0));
}

void PeerHalo::settle(cudaStream_t stream) {
    launch(settle_kernel, dim3(1), dim3(warp_per_side), 0, stream, links_, sliced_);
}

void PeerHalo::check() const {
    if (*static_cast<volatile std::uint32_t*>(failed_on_host_.get()) != 0)
        throw EnvironmentError("the GPU of a neighbouring rank has not answered for 20 seconds");
}

}  // namespace psflip
