#include "slab/neighbour_memory_cuda.cuh"

#include <algorithm>

#include "base/cuda_check.cuh"

namespace psflip {

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

}  // namespace psflip
