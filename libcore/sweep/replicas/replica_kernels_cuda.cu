// Sweeps, counts and exchanges in device memory where lanes are (replica, slot) pairs of one realization. A
// thread has one word of 32 lanes of one site (sweeps, counts) or all words of a site (exchanges);
// neighbouring threads have neighbouring words, so that loads are whole sectors for any number of words of a
// site.

#include "sweep/replicas/replica_kernels_cuda.cuh"

#include "base/cuda_check.cuh"
#include "model/bond_energy.hpp"
#include "word/bit_counter.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 256;

unsigned blocks_of(std::int64_t tasks) {
    return static_cast<unsigned>((tasks + threads - 1) / threads);
}

/// Number of the thread in x; realizations are blocks in y.
__device__ __forceinline__ std::int64_t thread_number() {
    return static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
}

/// Grid: x words of a colour, without those that pad rows; y realizations from `first` on.
template <class Rule>
__global__ void __launch_bounds__(threads) replica_sweep(const __grid_constant__ ReplicaView view,
                                                         std::int64_t first, int colour, std::int64_t sweep) {
    const ReplicaLayout& layout = view.layout;
    const std::int64_t i = thread_number();
    const auto row_words = static_cast<std::uint32_t>(layout.row_words());
    if (i >= std::int64_t{layout.rows()} * row_words) return;
    const auto word = static_cast<std::uint32_t>(i);
    const ReplicaPlace place{first + blockIdx.y, colour, static_cast<int>(word / row_words),
                             static_cast<int>(word % row_words)};
    view.spins[place.realization * layout.lattice_words() + layout.row(colour, place.number) + place.at] =
        updated_word<Rule, DeviceWord>(view, place, sweep).bits;
}

using SweepKernel = void (*)(ReplicaView, std::int64_t, int, std::int64_t);

template <int Degree>
SweepKernel class_kernel(const SweepRule& rule) {
    if (rule.field)
        return rule.absent ? replica_sweep<ClassReplicaRule<Degree, true, true>>
                           : replica_sweep<ClassReplicaRule<Degree, true, false>>;
    return rule.absent ? replica_sweep<ClassReplicaRule<Degree, false, true>>
                       : replica_sweep<ClassReplicaRule<Degree, false, false>>;
}
SweepKernel kernel_of(const SweepRule& rule) {
    if (rule.plain)
        return rule.degree == 6 ? replica_sweep<PlainReplicaRule<6>> : replica_sweep<PlainReplicaRule<4>>;
    return rule.degree == 6 ? class_kernel<6>(rule) : class_kernel<4>(rule);
}

/// Calls run(first, realizations) for as many as a grid has rows.
template <class Run>
void for_realizations(std::int64_t realizations, const Run& run) {
    constexpr std::int64_t most = 65535;
    for (std::int64_t first = 0; first < realizations; first += most)
        run(first, static_cast<unsigned>(realizations - first < most ? realizations - first : most));
}

constexpr int sites_per_thread = 10;  ///< at most six bits each, in six planes

/// Adds the numbers of 32 lanes to those of the block.
__device__ __forceinline__ void add_lanes(const BitCounter<DeviceWord, 6>& counter, std::uint32_t* sums) {
    for (int bit = 0; bit < 32; ++bit) {
        std::uint32_t number = 0;
#pragma unroll
        for (int p = 0; p < 6; ++p) number += (counter.plane[p].bits >> bit & 1u) << p;
        if (number != 0) atomicAdd(sums + bit, number);
    }
}

/// Grid: x (some sites of a colour, word of the site), y realizations. Bonds of red sites; or, of both
/// colours, spins +1.
template <int Degree, bool Up>
__global__ void __launch_bounds__(threads)
    replica_count(const __grid_constant__ ReplicaView view, std::int64_t first, std::uint32_t* counts) {
    __shared__ std::uint32_t sums[32 * ReplicaLayout::most_words];
    const ReplicaLayout& layout = view.layout;
    const int words = layout.words(), lanes = 32 * words, row_sites = layout.L / 2;
    for (int i = threadIdx.x; i < lanes; i += threads) sums[i] = 0;
    __syncthreads();
    const std::int64_t i = thread_number(), realization = first + blockIdx.y;
    const auto word = static_cast<int>(i % words);
    BitCounter<DeviceWord, 6> counter;
    counter.clear();
    for (int k = 0; k < sites_per_thread; ++k) {
        const std::int64_t site = i / words * sites_per_thread + k;
        if (site >= std::int64_t{layout.rows()} * row_sites) break;
        const auto number = static_cast<int>(site / row_sites),
                   at = static_cast<int>(site % row_sites) * words + word;
        if constexpr (Up) {
            const std::uint32_t* const spins = view.spins + realization * layout.lattice_words() + at;
            const DeviceWord s[2] = {{spins[layout.row(0, number)]}, {spins[layout.row(1, number)]}};
            counter.add(s);
        } else {
            DeviceWord e[Degree];
            ReplicaNear<Degree, DeviceWord>(view, {realization, 0, number, at}).unsatisfied(e);
            counter.add(e);
        }
    }
    add_lanes(counter, sums + 32 * word);
    __syncthreads();
    for (int lane = threadIdx.x; lane < lanes; lane += threads)
        if (sums[lane] != 0) atomicAdd(counts + realization * lanes + lane, sums[lane]);
}

/// Grid: x (realization, lane).
__global__ void __launch_bounds__(threads)
    replica_energies(const __grid_constant__ ReplicaLayout layout, std::int64_t realizations,
                     const std::uint32_t* unsatisfied, const std::uint32_t* up, const std::int32_t* bonds,
                     int unit, std::int32_t sites, std::int32_t* energies, std::int32_t* magnetisations) {
    const std::int64_t i = thread_number(), realization = i / layout.lanes();
    if (realization >= realizations) return;
    const auto lane = static_cast<int>(i % layout.lanes());
    const std::int64_t from = realization * 32 * layout.words() + lane,
                       to = (realization / column_bits * layout.lanes() + lane) * column_bits +
                            realization % column_bits;
    energies[to] = bond_energy(unsatisfied[from], bonds[realization], unit);
    if (magnetisations) magnetisations[to] = signed_sum(up[from], sites);
}

/// Bit l: lanes l and l + 1 of word `word` are exchanged.
__device__ __forceinline__ std::uint32_t exchange_word(const ReplicaLayout& layout, const std::uint32_t* mask,
                                                       std::int64_t realization, int parity, int word) {
    const int T = layout.temperatures, steps = (T + parity + 1) / 2;
    std::uint32_t accepted = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const int lane = 32 * word + bit, replica = lane / T, slot = lane % T;
        if (lane >= layout.lanes() || (slot + parity) % 2 != 0 || slot + 1 >= T) continue;
        const std::int64_t stack = realization / column_bits * layout.replicas + replica;
        const std::uint32_t lanes =
            mask[(stack * steps + (slot + parity) / 2) * 4 + realization % column_bits / 32];
        accepted |= (lanes >> realization % 32 & 1u) << bit;
    }
    return accepted;
}

/// Grid: x sites of both colours, y realizations.
__global__ void __launch_bounds__(threads)
    replica_exchange(const __grid_constant__ ReplicaView view, std::int64_t first, const std::uint32_t* mask,
                     int parity) {
    __shared__ std::uint32_t accepted[ReplicaLayout::most_words + 1];
    const ReplicaLayout& layout = view.layout;
    const std::int64_t i = thread_number(), realization = first + blockIdx.y;
    const int words = layout.words(), row_sites = layout.L / 2;
    if (threadIdx.x <= words)
        accepted[threadIdx.x] =
            threadIdx.x < words ? exchange_word(layout, mask, realization, parity, threadIdx.x) : 0;
    __syncthreads();
    const std::int64_t row = i / row_sites;
    if (row >= 2 * std::int64_t{layout.rows()}) return;
    std::uint32_t* const x = view.spins + realization * layout.lattice_words() +
                             layout.row(static_cast<int>(row % 2), static_cast<int>(row / 2)) +
                             i % row_sites * words;
    std::uint32_t own = x[0], from_below = 0;
    for (int word = 0; word < words; ++word) {
        const std::uint32_t next = word + 1 < words ? x[word + 1] : 0;
        const std::uint32_t change = (own ^ (own >> 1 | next << 31)) & accepted[word];
        x[word] = own ^ change ^ (change << 1 | from_below);
        from_below = change >> 31;
        own = next;
    }
}

/// Grid: x (site of both colours, word of the site), y 32 realizations.
__global__ void __launch_bounds__(threads)
    replica_columns(const __grid_constant__ ReplicaView view, std::int64_t realizations,
                    std::uint32_t* columns) {
    const ReplicaLayout& layout = view.layout;
    const int words = layout.words(), row_words = layout.row_words();
    const std::int64_t i = thread_number(), row = i / row_words, quarter = blockIdx.y;
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

void sweep_replicas(const ReplicaLaunch& batch, std::int64_t first, int count, cudaStream_t stream) {
    const ReplicaLayout& layout = batch.view.layout;
    const SweepKernel kernel = kernel_of(batch.rule);
    for (std::int64_t half = 2 * first; half < 2 * (first + count); ++half)
        for_realizations(batch.realizations, [&](std::int64_t begin, unsigned here) {
            launch(kernel, dim3(blocks_of(std::int64_t{layout.rows()} * layout.row_words()), here),
                   dim3(threads), 0, stream, batch.view, begin, static_cast<int>(half % 2), half / 2);
        });
}

void count_replicas(const ReplicaLaunch& batch, std::uint32_t* unsatisfied, std::uint32_t* up,
                    cudaStream_t stream) {
    const ReplicaLayout& layout = batch.view.layout;
    const std::int64_t sites = std::int64_t{layout.rows()} * (layout.L / 2),
                       tasks = (sites + sites_per_thread - 1) / sites_per_thread * layout.words();
    const std::size_t bytes = sizeof(std::uint32_t) * 32 * layout.words() * batch.realizations;
    const auto count = [&](auto kernel, std::uint32_t* counts) {
        PSFLIP_CUDA(cudaMemsetAsync(counts, 0, bytes, stream));
        for_realizations(batch.realizations, [&](std::int64_t begin, unsigned here) {
            launch(kernel, dim3(blocks_of(tasks), here), dim3(threads), 0, stream, batch.view, begin, counts);
        });
    };
    batch.rule.degree == 6 ? count(replica_count<6, false>, unsatisfied)
                           : count(replica_count<4, false>, unsatisfied);
    if (up) count(replica_count<4, true>, up);
}

void energies_of_replicas(const ReplicaLaunch& batch, const std::uint32_t* unsatisfied,
                          const std::uint32_t* up, const std::int32_t* bonds, int unit, std::int32_t sites,
                          std::int32_t* energies, std::int32_t* magnetisations, cudaStream_t stream) {
    launch(replica_energies, dim3(blocks_of(batch.realizations * batch.view.layout.lanes())), dim3(threads),
           0, stream, batch.view.layout, batch.realizations, unsatisfied, up, bonds, unit, sites, energies,
           magnetisations);
}

void exchange_replicas(const ReplicaLaunch& batch, const std::uint32_t* mask, int parity,
                       cudaStream_t stream) {
    const ReplicaLayout& layout = batch.view.layout;
    for_realizations(batch.realizations, [&](std::int64_t begin, unsigned here) {
        launch(replica_exchange, dim3(blocks_of(std::int64_t{layout.L} * layout.rows()), here), dim3(threads),
               0, stream, batch.view, begin, mask, parity);
    });
}

void replicas_to_columns(const ReplicaLaunch& batch, std::uint32_t* columns, cudaStream_t stream) {
    const ReplicaLayout& layout = batch.view.layout;
    launch(replica_columns,
           dim3(blocks_of(2 * std::int64_t{layout.rows()} * layout.row_words()),
                static_cast<unsigned>((batch.realizations + 31) / 32)),
           dim3(threads), 0, stream, batch.view, batch.realizations, columns);
}

}  // namespace psflip
