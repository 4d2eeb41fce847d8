#include "slab/staged_halo_cuda.cuh"

#include "lattice/shape.hpp"

namespace psflip {

StagedHalo::StagedHalo(Ranks& ranks, bool in_device_memory)
    : ranks_(ranks), in_device_memory_(in_device_memory) {}

StagedHalo::~StagedHalo() {
    release();
}

void StagedHalo::release() {
    cudaStreamSynchronize(copies_.handle);
    if (in_device_memory_)
        cudaFree(memory_);
    else
        cudaFreeHost(memory_);
    memory_ = nullptr;
    reserved_ = 0;
}

void StagedHalo::reserve(std::size_t bytes) {
    if (bytes <= reserved_) return;
    release();
    void* memory = nullptr;
    if (in_device_memory_)
        memory = allocate_device(bytes, "messages between slabs");
    else
        PSFLIP_CUDA(cudaMallocHost(&memory, bytes));
    memory_ = static_cast<std::byte*>(memory);
    reserved_ = bytes;
}

void StagedHalo::copy(Message which, std::size_t offset, const HaloPart& part, unsigned plane) {
    constexpr std::size_t most_pitch = 0x7fffffff;
    const Geometry& g = lattices_.geometry;
    const std::size_t width = std::size_t{16} * part.planes * g.plane, pitch = std::size_t{16} * g.sites;
    auto* const planes = reinterpret_cast<std::byte*>(
        lattices_.spins + (std::size_t{part.colour} * g.colour_sites + std::size_t{plane} * g.plane));
    std::byte* const packed = message(which) + offset;
    const bool taken = which == to_below || which == to_above;
    // Lattices farther apart than a copy of rows allows are copied one by one.
    const std::int64_t together = pitch <= most_pitch ? lattices_.count : 1;
    for (std::int64_t first = 0; first < lattices_.count; first += together) {
        std::byte *const there = planes + first * pitch, *const here = packed + first * width;
        PSFLIP_CUDA(cudaMemcpy2DAsync(taken ? here : there, taken ? width : pitch, taken ? there : here,
                                      taken ? pitch : width, width, together, cudaMemcpyDefault,
                                      copies_.handle));
    }
}

std::byte* StagedHalo::message(Message which) const {
    std::size_t before = 0;
    for (int earlier = 0; earlier < which; ++earlier) before += bytes(static_cast<Message>(earlier));
    return memory_ + before;
}

/// Own planes begin behind the lower halo; the halos are the planes next to them.
void StagedHalo::copy_parts(Message which) {
    const unsigned end = lattices_.geometry.depth - halo_depth;
    std::size_t offset = 0;
    for (const HaloPart& part : parts_) {
        if (!part.goes(downwards(which))) continue;
        const unsigned plane = which == to_below     ? halo_depth
                               : which == to_above   ? end - part.planes
                               : which == from_below ? halo_depth - part.planes
                                                     : end;
        copy(which, offset, part, plane);
        offset += std::size_t{16} * part.planes * lattices_.geometry.plane * lattices_.count;
    }
}

void StagedHalo::start(const HeldLattices& lattices, const std::vector<HaloPart>& parts,
                       cudaStream_t stream) {
    lattices_ = lattices;
    parts_ = parts;
    bytes_[0] = bytes_[1] = 0;
    for (const HaloPart& part : parts)
        for (int way = 0; way < 2; ++way)
            if (part.goes(way == 0))
                bytes_[way] += std::size_t{16} * part.planes * lattices.geometry.plane * lattices.count;
    reserve(2 * (bytes_[0] + bytes_[1]));
    taken_.order(stream, copies_.handle);
    copy_parts(to_below);
    copy_parts(to_above);
}

void StagedHalo::finish(cudaStream_t stream) {
    PSFLIP_CUDA(cudaStreamSynchronize(copies_.handle));
    const auto of = [&](Message which) { return std::span(message(which), bytes(which)); };
    ranks_.start_exchange({of(to_below), of(to_above), of(from_below), of(from_above)});
    ranks_.finish_exchange();
    copy_parts(from_below);
    copy_parts(from_above);
    put_.order(copies_.handle, stream);
}

}  // namespace psflip
