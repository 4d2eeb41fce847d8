#include "measure/slab_lines_cuda.cuh"

#include <algorithm>
#include <span>

#include "base/cuda_check.cuh"

namespace psflip {
namespace {

constexpr int threads = 256, max_blocks = 4096;

/// A piece of the lines of one lattice, and the own planes that it crosses.
struct CollectArgs {
    CorrelationArgs spins;  ///< of the lattice
    int axis, begin, lines;
    int lowest;  ///< lattice index of the first own plane
    int own, ranks;
    uint4* to;  ///< (rank; own plane; field; line of the rank)
};

template <int Fields>
__global__ void __launch_bounds__(threads) collect_kernel(const __grid_constant__ CollectArgs args) {
    const LinePlanes& planes = args.spins.planes;
    const std::int64_t all = std::int64_t{args.own} * args.lines;
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < all;
         i += std::int64_t{gridDim.x} * threads) {
        const int plane = static_cast<int>(i / args.lines), line = static_cast<int>(i % args.lines);
        const int rank = rank_of_line(args.lines, line, args.ranks);
        const std::int64_t first = first_line(args.lines, rank, args.ranks),
                           count = first_line(args.lines, rank + 1, args.ranks) - first;
        const PlaceInPlane at =
            crossing(planes.order, planes.L, args.axis, args.begin + line, args.lowest + plane);
        uint4* const to = args.to + (args.own * first + plane * count) * Fields + (line - first);
        put_fields<Fields>(to, static_cast<std::size_t>(count), args.spins,
                           planes.index(at.u, at.v, planes.first + plane));
    }
}

}  // namespace

SlabLineCounter::SlabLineCounter(Ranks& ranks, const Shape& shape, int fields)
    : ranks_(ranks),
      shape_(shape),
      fields_(fields),
      at_once_(lines_at_once(shape.L, planes_of_rank(shape.L, 0, ranks.size()).count, ranks.size(), fields)) {
    const std::size_t lines = static_cast<std::size_t>(at_once_) * fields,
                      own_lines = static_cast<std::size_t>((at_once_ + ranks.size() - 1) / ranks.size());
    sent_ = {lines * shape.own_planes(), "fields of lines to ranks"};
    received_ = {own_lines * fields * shape.L, "fields of lines from ranks"};
    const auto pin = [](Pinned& memory, std::size_t words) {
        uint4* pinned = nullptr;
        PSFLIP_CUDA(cudaMallocHost(&pinned, words * sizeof(uint4)));
        memory.reset(pinned);
    };
    for (int turn = 0; turn < 2; ++turn) {
        pin(sent_on_host_[turn], sent_.size());
        pin(received_on_host_[turn], received_.size());
    }
}

std::vector<SlabLineCounter::Piece> SlabLineCounter::pieces_of(const CorrelationArgs& args) const {
    std::vector<Piece> pieces;
    const int all = shape_.L * shape_.L;
    for (std::uint32_t column = 0; column < args.columns; ++column)
        for (std::uint32_t slot = 0; slot < args.temperatures; ++slot)
            for (int axis = first_axis_through_slabs(shape_.order); axis < shape_.dimension; ++axis)
                for (int begin = 0; begin < all; begin += at_once_)
                    pieces.push_back({axis, begin, std::min(at_once_, all - begin), slot, column});
    return pieces;
}

void SlabLineCounter::collect(const CorrelationArgs& args, const Piece& piece, int turn,
                              cudaStream_t stream) {
    CollectArgs own{.spins = args,
                    .axis = piece.axis,
                    .begin = piece.begin,
                    .lines = piece.lines,
                    .lowest = shape_.first_plane,
                    .own = shape_.own_planes(),
                    .ranks = ranks_.size(),
                    .to = sent_.data()};
    const std::size_t lattice = std::size_t{piece.column} * args.stride + piece.slot;
    for (int replica = 0; replica < args.replicas; ++replica)
        own.spins.replica[replica] += lattice * args.planes.sites();
    const std::size_t sites = static_cast<std::size_t>(own.own) * piece.lines;
    const unsigned blocks =
        std::min<unsigned>(blocks_for(static_cast<long long>(sites), threads), max_blocks);
    launch(fields_ == 3 ? collect_kernel<3> : collect_kernel<1>, dim3(blocks), dim3(threads), 0, stream, own);
    PSFLIP_CUDA(cudaMemcpyAsync(sent_on_host_[turn].get(), sent_.data(), sites * fields_ * sizeof(uint4),
                                cudaMemcpyDeviceToHost, stream));
    PSFLIP_CUDA(cudaEventRecord(collected_[turn].handle, stream));
}

void SlabLineCounter::exchange(const Piece& piece, int turn) {
    const std::size_t site = fields_ * sizeof(uint4), mine = lines_of(piece, ranks_.rank()),
                      own = static_cast<std::size_t>(shape_.own_planes());
    std::vector<std::size_t> to, from;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
        to.push_back(own * lines_of(piece, rank) * site);
        from.push_back(planes_of_rank(shape_.L, rank, ranks_.size()).count * mine * site);
    }
    ranks_.all_to_all(
        std::as_bytes(std::span(sent_on_host_[turn].get(), own * piece.lines * fields_)), to,
        std::as_writable_bytes(std::span(received_on_host_[turn].get(), shape_.L * mine * fields_)), from);
}

void SlabLineCounter::count_piece(const CorrelationArgs& args, const Piece& piece, int turn,
                                  cudaStream_t stream) {
    const std::size_t mine = lines_of(piece, ranks_.rank()), columns = args.columns;
    if (mine == 0) return;
    PSFLIP_CUDA(cudaMemcpyAsync(received_.data(), received_on_host_[turn].get(),
                                shape_.L * mine * fields_ * sizeof(uint4), cudaMemcpyHostToDevice, stream));
    count_correlations(LineFieldArgs{.fields = received_.data(),
                                     .fields_of_site = fields_,
                                     .L = shape_.L,
                                     .lines = static_cast<int>(mine),
                                     .distances = args.distances,
                                     .counts = args.counts + (piece.slot * columns + piece.column) * 128,
                                     .row = args.temperatures * columns * 128},
                       stream);
}

/// When piece i + 1 has arrived in host memory, the stream has done all earlier work. This includes the copy
/// of what the exchange of piece i - 1 received, so the exchange of piece i + 1 may overwrite it.
void SlabLineCounter::count(const CorrelationArgs& args, cudaStream_t stream) {
    const std::vector<Piece> pieces = pieces_of(args);
    collect(args, pieces[0], 0, stream);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const int turn = static_cast<int>(i % 2);
        PSFLIP_CUDA(cudaEventSynchronize(collected_[turn].handle));
        if (i + 1 < pieces.size()) collect(args, pieces[i + 1], 1 - turn, stream);
        exchange(pieces[i], turn);
        count_piece(args, pieces[i], turn, stream);
    }
}

}  // namespace psflip
