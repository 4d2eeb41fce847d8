#include "slab/peer_halo_cuda.cuh"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/device.hpp"

namespace psflip {

namespace {

/// By one block of two warps: what each side is told or waited for.
__global__ void ready_kernel(const PeerLinks links) {
    if (threadIdx.x % 32 == 0) links.tell(static_cast<int>(threadIdx.x / 32));
}
/// In the sliced order the neighbour above is last heard of in the launch of the red sites.
__global__ void settle_kernel(const PeerLinks links, const bool sliced) {
    const int side = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) links.wait_for(side, links.number - (sliced && side == above ? 1 : 0));
}
constexpr unsigned warp_per_side = 32 * sides;

/// Where a rank is.
struct Seat {
    char machine[128], gpu[32];

    explicit Seat(int device) : machine{}, gpu{} {
        gethostname(machine, 63);
        if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
            const std::size_t used = std::strlen(machine);
            machine[used + std::fread(machine + used, 1, 36, file)] = 0;
            std::fclose(file);
        }
        std::snprintf(gpu, sizeof gpu, "%s", cuda_pci_bus_id(device).c_str());
    }
    Seat() = default;
    bool same_machine(const Seat& other) const { return std::strcmp(machine, other.machine) == 0; }
    bool same_gpu(const Seat& other) const { return std::strcmp(gpu, other.gpu) == 0; }
};

template <class T>
std::vector<T> gathered(Ranks& ranks, const T& mine) {
    const std::vector<std::byte> bytes = ranks.all_gather(std::as_bytes(std::span(&mine, 1)));
    std::vector<T> all(bytes.size() / sizeof(T));
    std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
    return all;
}

bool reaches(int device, const Seat& other) {
    int there = -1, can = 0;
    if (cudaDeviceGetByPCIBusId(&there, other.gpu) != cudaSuccess ||
        cudaDeviceCanAccessPeer(&can, device, there) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return can != 0;
}

}  // namespace

std::string PeerHalo::hindrance(Ranks& ranks, int device) {
    const std::vector<Seat> seats = gathered(ranks, Seat(device));
    const Seat& mine = seats[ranks.rank()];
    const char* const texts[] = {"", "the GPUs cannot write into one another's memory",
                                 "several slabs are on one GPU", "the ranks are on several machines"};
    if (ranks.alone()) return {};
    int found = reaches(device, seats[ranks.below()]) && reaches(device, seats[ranks.above()]) ? 0 : 1;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        if (rank != ranks.rank() && mine.same_gpu(seats[rank])) found = std::max(found, 2);
        if (!mine.same_machine(seats[rank])) found = 3;
    }
    return texts[ranks.maximum(found)];
}

/// What a rank tells the others of its memory: arrays of spins, then the words.
struct PeerHalo::Offer {
    static constexpr int most = 3;
    long process;
    int device, planes;
    void* plain[most];
    cudaIpcMemHandle_t handle[most];
};

void* PeerHalo::opened(const Offer& offer, int which) {
    if (offer.process == static_cast<long>(getpid())) return offer.plain[which];
    void* memory = nullptr;
    PSFLIP_CUDA(cudaIpcOpenMemHandle(&memory, offer.handle[which], cudaIpcMemLazyEnablePeerAccess));
    opened_.push_back(memory);
    return memory;
}

PeerHalo::PeerHalo(Ranks& ranks, const Shape& shape, const std::vector<uint4*>& arrays)
    : ranks_(ranks),
      sliced_(shape.order == SiteOrder::sliced),
      words_(DeviceBuffer<std::uint64_t>::for_peers(sides + 2, "words of launches")) {
    PSFLIP_CUDA(cudaMemset(words_.data(), 0, words_.size() * sizeof(std::uint64_t)));
    PSFLIP_CUDA(cudaDeviceSynchronize());
    PSFLIP_CUDA(cudaHostAlloc(&failed_on_host_, sizeof *failed_on_host_, cudaHostAllocMapped));
    *failed_on_host_ = 0;
    links_.finished = words_.data();
    links_.blocks_done = reinterpret_cast<std::uint32_t*>(words_.data() + sides);
    links_.failed = reinterpret_cast<std::uint32_t*>(words_.data() + sides + 1);
    PSFLIP_CUDA(cudaHostGetDevicePointer(&links_.failed_on_host, failed_on_host_, 0));

    Offer mine{};
    mine.process = getpid();
    PSFLIP_CUDA(cudaGetDevice(&mine.device));
    int capability = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, mine.device));
    early_ = capability >= 9;
    mine.planes = shape.own_planes();
    std::copy(arrays.begin(), arrays.end(), mine.plain);
    mine.plain[arrays.size()] = words_.data();
    if (!ranks.share_memory())
        for (std::size_t i = 0; i <= arrays.size(); ++i)
            PSFLIP_CUDA(cudaIpcGetMemHandle(&mine.handle[i], mine.plain[i]));
    const std::vector<Offer> offers = gathered(ranks, mine);

    spins_.resize(arrays.size());
    const int neighbour[sides] = {ranks.below(), ranks.above()};
    for (int side = 0; side < sides; ++side) {
        const Offer& offer = offers[neighbour[side]];
        if (offer.process == mine.process && offer.device != mine.device) {
            const cudaError_t enabled = cudaDeviceEnablePeerAccess(offer.device, 0);
            if (enabled == cudaErrorPeerAccessAlreadyEnabled)
                cudaGetLastError();
            else
                PSFLIP_CUDA(enabled);
        }
        for (std::size_t i = 0; i < arrays.size(); ++i)
            spins_[i][side] = static_cast<uint4*>(opened(offer, static_cast<int>(i)));
        const Geometry there = make_slab(shape.L, offer.planes + 2 * halo_depth);
        PeerLinks::Neighbour& to = links_.at[side];
        to.sites = there.sites;
        to.colour_sites = there.colour_sites;
        // The lowest own plane is the first above the own ones of the rank below, and the other way round.
        to.shift = there.plane * static_cast<unsigned>(side == below ? offer.planes : -shape.own_planes());
        to.finished = static_cast<std::uint64_t*>(opened(offer, static_cast<int>(arrays.size()))) +
                      (side == below ? above : below);
    }
    ranks.barrier();
}

PeerHalo::~PeerHalo() {
    cudaDeviceSynchronize();
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    cudaFreeHost(failed_on_host_);
}

PeerLinks PeerHalo::next_launch(int array) {
    ++links_.number;
    for (int side = 0; side < sides; ++side) links_.at[side].spins = spins_[array][side];
    return links_;
}

void PeerHalo::ready(cudaStream_t stream) {
    ranks_.barrier();
    check();
    launch(ready_kernel, dim3(1), dim3(warp_per_side), 0, stream, next_launch(0));
}

void PeerHalo::settle(cudaStream_t stream) {
    launch(settle_kernel, dim3(1), dim3(warp_per_side), 0, stream, links_, sliced_);
}

void PeerHalo::check() const {
    if (*static_cast<volatile std::uint32_t*>(failed_on_host_) != 0)
        throw EnvironmentError("the GPU of a neighbouring rank has not answered for 20 seconds");
}

}  // namespace psflip
