// Transposes spins whose lanes are (replica, slot) pairs to words of realizations, for measurements.

#include "base/cuda_check.cuh"
#include "sweep/replicas/replica_launch_cuda.cuh"

namespace psflip {
namespace {

constexpr int column_threads = 256;

/// Grid: x (site of both colours, word of the site), y 32 realizations.
__global__ void __launch_bounds__(column_threads)
    replica_columns(const __grid_constant__ ReplicaView view, std::int64_t realizations,
                    std::uint32_t* columns) {
    const ReplicaLayout& layout = view.layout;
    const int words = layout.words(), row_words = layout.row_words();
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * column_threads + threadIdx.x,
                       row = i / row_words, quarter = blockIdx.y;
    if (row >= 2 * std::int64_t{layout.rows()}) return;
    const auto colour = static_cast<int>(row % 2), number = static_cast<int>(row / 2),
               at = static_cast<int>(i % row_words);
    const std::int64_t sites = std::int64_t{layout.L} * layout.rows();
    const std::int64_t site = colour * (sites / 2) + std::int64_t{number} * (layout.L / 2) + at / words;
    std::uint32_t lanes[32] = {};
    for (int r = 0; r < 32 && 32 * quarter + r < realizations; ++r) {
        const std::uint32_t spins =
            view.spins[(32 * quarter + r) * layout.lattice_words() + layout.row(colour, number) + at];
#pragma unroll
        for (int lane = 0; lane < 32; ++lane) lanes[lane] |= (spins >> lane & 1u) << r;
    }
#pragma unroll
    for (int bit = 0; bit < 32; ++bit) {
        const int lane = at % words * 32 + bit;
        if (lane < layout.lanes())
            columns[((quarter / 4 * layout.lanes() + lane) * sites + site) * 4 + quarter % 4] = lanes[bit];
    }
}

}  // namespace

void replicas_to_columns(const ReplicaView& view, std::int64_t realizations, std::uint32_t* columns,
                         cudaStream_t stream) {
    const ReplicaLayout& layout = view.layout;
    launch(replica_columns,
           dim3(blocks_for(2ll * layout.rows() * layout.row_words(), column_threads),
                static_cast<unsigned>((realizations + 31) / 32)),
           dim3(column_threads), 0, stream, view, realizations, columns);
}

}  // namespace psflip
