// Houdayer moves of Ising spins with real couplings on a GPU (sweep/houdayer.hpp). A block makes the move of
// one pair of states. A bit is a site, and a word holds up to 32 consecutive sites of a row.
//
// A step lets all sites join that a word can reach: from neighbouring words, then along the word. Adding a
// site of a run of set bits to the run carries through all later sites of the run. A step reads one buffer
// and writes the other, so that threads do not depend on their order. It takes 6 loads, a store and about 40
// operations per word.

#include "base/cuda_check.cuh"
#include "sweep/houdayer.hpp"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned warp = 32, max_cluster_threads = 256;
constexpr std::size_t max_shared_bytes = std::size_t{48} * 1024, max_memory_bytes = std::size_t{1} << 29;

/// Finds sites in words. Row number y + L z has in_row words.
struct ClusterWords {
    unsigned L, rows, in_row, L_reciprocal;

    __host__ __device__ explicit ClusterWords(const Geometry& g)
        : L(g.L), rows(g.L * g.depth), in_row((g.L + warp - 1) / warp), L_reciprocal(g.L_reciprocal) {}
    __host__ __device__ unsigned count() const { return rows * in_row; }
    /// Returns the number of sites in word k of a row.
    __device__ unsigned sites(unsigned k) const { return k + 1 < in_row ? warp : L - warp * k; }
    __device__ unsigned z(unsigned row) const { return corrected_quotient(row, L, L_reciprocal); }
    /// Returns where the spin of site x of a row lies in a state of one component.
    __device__ unsigned place(unsigned x, unsigned row) const {
        const unsigned above = z(row), y = row - above * L, colour = (x + y + above) & 1u;
        return (colour * rows + row) * (L / 2) + x / 2;
    }
    /// Calls use(row, word of the row, word) for the words of a thread. A block has at least in_row threads.
    template <class Use>
    __device__ void for_each(const Use& use) const {
        const unsigned first = threadIdx.x / in_row, k = threadIdx.x - first * in_row,
                       step = blockDim.x / in_row;
        if (first >= step) return;
        for (unsigned row = first; row < rows; row += step) use(row, k, row * in_row + k);
    }
    /// Calls use(word, is_site, place) in all threads of a warp, one site each, for the rows of a warp.
    template <class Use>
    __device__ void for_each_site(const Use& use) const {
        for (unsigned row = threadIdx.x / warp; row < rows; row += blockDim.x / warp)
            for (unsigned k = 0, x = threadIdx.x % warp; k < in_row; ++k, x += warp)
                use(row * in_row + k, x < L, place(x, row));
    }
    /// Returns the sites of a word that its neighbouring words reach.
    __device__ std::uint32_t reached(const std::uint32_t* cluster, unsigned row, unsigned k) const {
        const unsigned y = row - z(row) * L;
        const std::uint32_t* const line = cluster + row * in_row;
        const unsigned before = k == 0 ? in_row - 1 : k - 1, behind = k + 1 == in_row ? 0 : k + 1;
        std::uint32_t found = line[before] >> (sites(before) - 1) & 1u;
        found |= (line[behind] & 1u) << (sites(k) - 1);
        const auto at = [&](unsigned other) { return cluster[other * in_row + k]; };
        found |= at(y == 0 ? row + L - 1 : row - 1) | at(y + 1 == L ? row + 1 - L : row + 1);
        if (rows > L)
            found |= at(row < L ? row + rows - L : row - L) | at(row + L < rows ? row + L : row + L - rows);
        return found;
    }
};

/// Returns `some` and the set bits of `all` that are connected with it within the word.
__device__ std::uint32_t filled(std::uint32_t some, std::uint32_t all) {
    const auto upward = [](std::uint32_t from, std::uint32_t run) { return (run & ~(run + from)) | from; };
    return __brev(upward(__brev(upward(some, all)), __brev(all)));
}

template <class T>
struct ClusterArgs {
    VectorLattices<T> lattices;
    const StatePair* pairs;
    unsigned count;
    std::uint64_t key;
    std::int64_t completed;
    std::uint32_t* memory;                 ///< (block, 3, word); null: shared memory
    unsigned long long *clusters, *sites;  ///< (slot, realization)
};

template <class T>
__device__ void move_cluster(const ClusterArgs<T>& a, const StatePair& pair, std::uint32_t* memory) {
    const VectorLattices<T>& of = a.lattices;
    const Geometry& g = of.geometry;
    const ClusterWords words(g);
    const unsigned above = pair.first / of.realizations;
    const std::uint32_t start =
        houdayer_site(a.key, a.completed, of.first_realization + pair.first % of.realizations,
                      above / of.slots, above % of.slots, g.sites);
    T *const one = of.spins + std::size_t{pair.first} * g.sites, *const other =
                                                                     of.spins +
                                                                     std::size_t{pair.second} * g.sites;
    const unsigned start_row = start / g.L, start_x = start % g.L,
                   start_place = words.place(start_x, start_row);
    if (one[start_place] == other[start_place]) return;
    const unsigned count = words.count();
    std::uint32_t *const differs = memory, *now = memory + count, *next = now + count;
    const unsigned start_word = start_row * words.in_row + start_x / warp;
    words.for_each_site([&](unsigned word, bool is_site, unsigned place) {
        const std::uint32_t found = __ballot_sync(~0u, is_site && one[place] != other[place]);
        if (threadIdx.x % warp != 0) return;
        differs[word] = found;
        now[word] = word == start_word ? filled(1u << start_x % warp, found) : 0u;
    });
    __syncthreads();
    for (bool joined = true; joined;) {
        joined = false;
        words.for_each([&](unsigned row, unsigned k, unsigned word) {
            const std::uint32_t all = differs[word], old = now[word];
            std::uint32_t grown = old;
            if (all != old) grown = filled(old | (all & words.reached(now, row, k)), all);
            next[word] = grown;
            joined |= grown != old;
        });
        joined = __syncthreads_or(joined) != 0;
        std::uint32_t* const kept = now;
        now = next, next = kept;
    }
    unsigned sites = 0;
    words.for_each([&](unsigned, unsigned, unsigned word) { sites += __popc(now[word]); });
    const unsigned lane = above % of.slots * of.realizations + pair.first % of.realizations;
    if (threadIdx.x == 0) atomicAdd(a.clusters + lane, 1ull);
    if (sites > 0) atomicAdd(a.sites + lane, static_cast<unsigned long long>(sites));
    words.for_each_site([&](unsigned word, bool is_site, unsigned place) {
        if (!is_site || (now[word] >> threadIdx.x % warp & 1u) == 0) return;
        const T kept = one[place];
        one[place] = other[place];
        other[place] = kept;
    });
    __syncthreads();
}

/// Blocks take one pair after the other.
template <class T>
__global__ void __launch_bounds__(max_cluster_threads)
    vector_clusters(const __grid_constant__ ClusterArgs<T> a) {
    extern __shared__ std::uint32_t shared[];
    const ClusterWords words(a.lattices.geometry);
    std::uint32_t* const memory = a.memory ? a.memory + std::size_t{3} * words.count() * blockIdx.x : shared;
    for (unsigned i = blockIdx.x; i < a.count; i += gridDim.x) move_cluster(a, a.pairs[i], memory);
}

}  // namespace

template <class T>
void launch_vector_clusters(const VectorSweepArgs<T>& args, const StatePair* pairs, unsigned count,
                            std::int64_t completed, DeviceBuffer<std::uint32_t>& memory,
                            const DeviceHoudayerCounts& counts, cudaStream_t stream) {
    const ClusterWords words(args.lattices.geometry);
    const std::size_t needed = std::size_t{3} * words.count(), bytes = sizeof(std::uint32_t) * needed;
    ClusterArgs<T> a{args.lattices,     pairs,         count, args.key, completed, nullptr,
                     counts.clusters(), counts.sites()};
    unsigned blocks = std::min(count, 1u << 20);
    if (bytes > max_shared_bytes) {
        blocks = static_cast<unsigned>(
            std::min<std::size_t>(blocks, std::max<std::size_t>(max_memory_bytes / bytes, 1)));
        if (memory.size() < blocks * needed) memory = {blocks * needed, "clusters"};
        a.memory = memory.data();
    }
    const unsigned threads = std::min(max_cluster_threads, (words.count() + warp - 1) / warp * warp);
    launch(vector_clusters<T>, dim3(blocks), dim3(threads), a.memory ? 0 : bytes, stream, a);
}

template void launch_vector_clusters(const VectorSweepArgs<float>&, const StatePair*, unsigned, std::int64_t,
                                     DeviceBuffer<std::uint32_t>&, const DeviceHoudayerCounts&, cudaStream_t);
template void launch_vector_clusters(const VectorSweepArgs<double>&, const StatePair*, unsigned, std::int64_t,
                                     DeviceBuffer<std::uint32_t>&, const DeviceHoudayerCounts&, cudaStream_t);

}  // namespace psflip
