#include "slab/staged_halo_cuda.cuh"

#include <algorithm>
#include <span>
#include <utility>

#include "lattice/shape.hpp"

namespace psflip {
namespace {

/// Shorter messages would wait longer for their start than for their bytes.
constexpr std::size_t min_batch_bytes = std::size_t{1} << 20;

/// Copies `width` bytes of each lattice between a message and lattices that are `pitch` bytes apart.
void copy_rows(HaloMessage which, std::byte* lattices, std::int64_t pitch, std::byte* message,
               std::int64_t width, std::int64_t count, cudaStream_t stream, bool behind_sweeps) {
    constexpr std::int64_t max_pitch = 0x7fffffff, long_row = 65536;
    const bool taken = which == to_below || which == to_above;
    // Lattices farther apart than a copy of rows allows are copied one by one. So are long rows behind
    // sweeps, because such a copy never needs a multiprocessor.
    const std::int64_t together = pitch <= max_pitch && !(behind_sweeps && width >= long_row) ? count : 1,
                       stride = together > 1 ? pitch : width;
    for (std::int64_t i = 0; i < count; i += together) {
        std::byte *const there = lattices + i * pitch, *const here = message + i * width;
        PSFLIP_CUDA(cudaMemcpy2DAsync(taken ? here : there, taken ? width : stride, taken ? there : here,
                                      taken ? stride : width, width, together, cudaMemcpyDefault, stream));
    }
}

/// Exchanges messages; of(which) returns their bytes.
template <class Of>
void exchange_messages(Ranks& ranks, const Of& of) {
    ranks.start_exchange({of(to_below), of(to_above), of(from_below), of(from_above)});
    ranks.finish_exchange();
}

/// Allocate and free memory for messages: device memory or pinned host memory.
std::byte* allocate_messages(std::size_t bytes, bool in_device_memory) {
    void* memory = nullptr;
    if (in_device_memory)
        memory = allocate_device(bytes, "messages between slabs");
    else
        PSFLIP_CUDA(cudaMallocHost(&memory, bytes));
    return static_cast<std::byte*>(memory);
}
void free_messages(std::byte* memory, bool in_device_memory) {
    if (in_device_memory)
        cudaFree(memory);
    else
        cudaFreeHost(memory);
}

}  // namespace

StagedHalo::StagedHalo(Ranks& ranks, bool in_device_memory)
    : ranks_(ranks), in_device_memory_(in_device_memory) {}

StagedHalo::~StagedHalo() {
    release();
}

void StagedHalo::release() {
    cudaStreamSynchronize(stream_.handle());
    unshare();
    free_messages(memory_, in_device_memory_);
    memory_ = nullptr;
    reserved_ = 0;
}

void StagedHalo::reserve(std::size_t bytes) {
    if (bytes <= reserved_) return;
    release();
    reserved_ = bytes;
    if (!in_device_memory_ && share(bytes)) return;
    memory_ = allocate_messages(bytes, in_device_memory_);
}

bool StagedHalo::share(std::size_t bytes) {
    shared_ = std::make_unique<SharedMessages>(ranks_, bytes);
    if (!shared_->reached()) return shared_ = nullptr, false;
    std::vector<std::byte*> mappings{shared_->own(), shared_->below()};
    if (shared_->above() != shared_->below()) mappings.push_back(shared_->above());
    bool works = true;
    for (std::byte* mapping : mappings) {
        works = works && cudaHostRegister(mapping, bytes, cudaHostRegisterPortable) == cudaSuccess;
        if (works) registered_.push_back(mapping);
    }
    if (!works) cudaGetLastError();  // the next call must not report it
    if (ranks_.maximum(works ? 0 : 1) == 0) return true;
    unshare();
    return false;
}

void StagedHalo::unshare() {
    for (std::byte* mapping : registered_) cudaHostUnregister(mapping);
    registered_.clear();
    shared_ = nullptr;
}

std::span<std::byte> StagedHalo::message(HaloMessage which, int batch) const {
    std::byte* all = memory_;
    if (shared_) {
        // A room has the message to the rank below, then the message to the rank above.
        all = which == from_below   ? shared_->below()
              : which == from_above ? shared_->above()
                                    : shared_->own();
        all += static_cast<std::size_t>(turn_) * (reserved_ / 2) + (downwards(which) ? 0 : bytes_[0]);
    } else {
        for (int earlier = 0; earlier < which; ++earlier) all += bytes(static_cast<HaloMessage>(earlier));
    }
    const std::size_t of_lattice = bytes(which) / static_cast<std::size_t>(lattices_.count);
    const std::int64_t first = first_of(batch);
    return {all + of_lattice * first, of_lattice * (first_of(batch + 1) - first)};
}

/// Own planes begin behind the lower halo; the halos are the planes next to them.
void StagedHalo::copy_parts(HaloMessage which, int batch) {
    const Geometry& g = lattices_.geometry;
    const unsigned end = g.depth - halo_depth;
    const std::int64_t first = first_of(batch), count = first_of(batch + 1) - first;
    std::byte* packed = message(which, batch).data();
    for (const HaloPart& part : parts_) {
        if (!part.goes(downwards(which))) continue;
        const unsigned plane = which == to_below     ? halo_depth
                               : which == to_above   ? end - part.planes
                               : which == from_below ? halo_depth - part.planes
                                                     : end;
        auto* const planes = reinterpret_cast<std::byte*>(
            lattices_.spins + (static_cast<std::size_t>(first) * g.sites +
                               std::size_t{part.colour} * g.colour_sites + std::size_t{plane} * g.plane));
        const std::int64_t width = std::int64_t{16} * part.planes * g.plane;
        copy_rows(which, planes, std::int64_t{16} * g.sites, packed, width, count, stream_.handle(), true);
        packed += width * count;
    }
}

cudaStream_t StagedHalo::begin(cudaStream_t stream) {
    stream_.fork(stream);
    return stream_.handle();
}

void StagedHalo::start(const HeldLattices& lattices, const std::vector<HaloPart>& parts) {
    lattices_ = lattices;
    parts_ = parts;
    bytes_[0] = bytes_[1] = 0;
    for (const HaloPart& part : parts)
        for (int way = 0; way < 2; ++way)
            if (part.goes(way == 0))
                bytes_[way] += std::size_t{16} * part.planes * lattices.geometry.plane * lattices.count;
    reserve(2 * (bytes_[0] + bytes_[1]));
    turn_ = 1 - turn_;
    const auto long_messages = static_cast<std::int64_t>(std::max(bytes_[0], bytes_[1]) / min_batch_bytes);
    batches_ = static_cast<int>(
        std::clamp<std::int64_t>(long_messages, 1, std::min<std::int64_t>(lattices.count, max_batches)));
    for (int batch = 0; batch < batches_; ++batch) {
        copy_parts(to_below, batch);
        copy_parts(to_above, batch);
        PSFLIP_CUDA(cudaEventRecord(taken_[batch].handle, stream_.handle()));
    }
}

void StagedHalo::finish(cudaStream_t stream) {
    std::byte complete[halo_messages] = {};
    // With shared memory, a byte goes both ways also for an empty message. It says that this rank has read
    // the message before the last one, whose memory the neighbour may then write.
    const auto sent = [&](HaloMessage which, int batch) {
        return shared_ ? std::span(complete + which, 1) : message(which, batch);
    };
    for (int batch = 0; batch < batches_; ++batch) {
        PSFLIP_CUDA(cudaEventSynchronize(taken_[batch].handle));
        exchange_messages(ranks_, [&](HaloMessage which) { return sent(which, batch); });
        copy_parts(from_below, batch);
        copy_parts(from_above, batch);
    }
    stream_.join(stream);
}

PlaneHalo::PlaneHalo(Ranks& ranks, CpuHalo::Memory memory, bool in_device_memory)
    : ranks_(ranks),
      memory_(std::move(memory)),
      in_device_memory_(in_device_memory),
      room_(bytes({0, 1})),
      messages_(allocate_messages(halo_messages * room_, in_device_memory)) {}

PlaneHalo::~PlaneHalo() {
    cudaDeviceSynchronize();
    free_messages(messages_, in_device_memory_);
}

std::size_t PlaneHalo::bytes(const std::vector<int>& colours) const {
    std::size_t all = 0;
    for (const int colour : colours) all += bytes(colour);
    return all;
}

void PlaneHalo::copy(HaloMessage which, const std::vector<int>& colours, cudaStream_t stream) const {
    const int plane = which == to_below     ? memory_.begin
                      : which == to_above   ? memory_.end - 1
                      : which == from_below ? memory_.begin - 1
                                            : memory_.end;
    std::byte* packed = message(which);
    for (const int colour : colours) {
        const auto [offset, width] = memory_.part(colour, plane);
        copy_rows(which, memory_.first + offset, memory_.stride, packed, width, memory_.lattices, stream,
                  ahead_ != nullptr);
        packed += bytes(colour);
    }
}

void PlaneHalo::exchange_all(const std::vector<int>& colours) {
    exchange_messages(ranks_, [&](HaloMessage which) { return std::span(message(which), bytes(colours)); });
}

/// Earlier messages have been copied when the stream is done.
void PlaneHalo::exchange(int colour, cudaStream_t stream) {
    copy(to_below, {colour}, stream);
    copy(to_above, {colour}, stream);
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    exchange_all({colour});
    copy(from_below, {colour}, stream);
    copy(from_above, {colour}, stream);
}

cudaStream_t PlaneHalo::begin(cudaStream_t stream) {
    if (!ahead_) ahead_ = std::make_unique<SideStream>(true);
    ahead_->fork(stream);
    return ahead_->handle();
}

void PlaneHalo::start(const std::vector<int>& colours) {
    colours_ = colours;
    copy(to_below, colours, ahead_->handle());
    copy(to_above, colours, ahead_->handle());
}

void PlaneHalo::finish(cudaStream_t stream) {
    PSFLIP_CUDA(cudaStreamSynchronize(ahead_->handle()));
    exchange_all(colours_);
    copy(from_below, colours_, ahead_->handle());
    copy(from_above, colours_, ahead_->handle());
    ahead_->join(stream);
}

}  // namespace psflip
