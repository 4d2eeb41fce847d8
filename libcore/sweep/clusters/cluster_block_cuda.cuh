// Updates the clusters of some lanes of a batch in kernels: phases that cluster_kernel_cuda.cu puts together.
#pragma once

#include <type_traits>

#include "lattice/geometry_cuda.cuh"
#include "sweep/clusters/cluster_labels_cuda.cuh"
#include "sweep/clusters/cluster_sums.hpp"

namespace psflip {

/// Returns the words that 32 sites need for bonds, new spins and ends of the lattice.
PSFLIP_HD constexpr std::uint32_t chunk_words(int directions) {
    return static_cast<std::uint32_t>(2 * directions + 1);
}

/// Holds the arguments of the kernels. Pointers refer to device memory.
struct ClusterArgs {
    Geometry geometry;
    std::uint32_t* spins;         ///< 32-bit words (column, replica, slot, site, word)
    const std::uint32_t* absent;  ///< (column, direction, site, word); null: no bond is absent
    std::uint32_t replicas, temperatures;
    std::uint32_t realizations, first_realization;
    std::uint32_t lanes;  ///< lanes of a task: 1, 2, 4 or 8
    std::int64_t tasks;   ///< (replica, slot, realizations / lanes)
    std::uint64_t key, step;
    RoundKeys keys;
    std::uint32_t* memory;        ///< words of arrays that are not in shared memory
    std::size_t block_words;      ///< of a block, or of a task if no array is in shared memory
    ClusterSums* sums;            ///< (column, replica, slot, lane), 0 before the step; null: not summed
    const std::int32_t* fourier;  ///< fixed_fourier_table
    void* totals;  ///< (block or task, 32 ceil(sites / 32)): ClusterBlock::Total; null: in shared memory
    std::uint32_t thresholds[max_temperatures];
};

/// Holds the coordinates of a site.
struct ClusterSite {
    std::uint32_t x, y, z;

    __device__ __forceinline__ ClusterSite(const Geometry& g, std::uint32_t site) {
        const std::uint32_t row = corrected_quotient(site, g.L, g.L_reciprocal);
        x = site - row * g.L;
        z = corrected_quotient(row, g.L, g.L_reciprocal);
        y = row - z * g.L;
    }
    /// Returns the index of the site in memory.
    __device__ __forceinline__ std::uint32_t index(const Geometry& g) const {
        return ((x + y + z) & 1u) * g.colour_sites + g.plane * z + g.half * y + x / 2;
    }
    /// Returns whether the next site along an axis is the first one.
    __device__ __forceinline__ bool is_last(const Geometry& g, int d) const {
        return (d == 0 ? x : d == 1 ? y : z) + 1 == (d == 2 ? g.depth : g.L);
    }
    __device__ __forceinline__ Neighbours neighbours(const Geometry& g) const {
        return neighbours_of(g, (x + y + z) & 1u, {x / 2, y, z, x & 1u});
    }
};

/// Names some lanes of the lattices of a column, replica and slot.
struct ClusterLanes {
    std::uint32_t slot, replica, column, in_batch;  ///< in_batch: the first realization

    __device__ __forceinline__ ClusterLanes(const ClusterArgs& a, std::int64_t task) {
        const std::uint32_t groups = (a.realizations + a.lanes - 1) / a.lanes;
        const auto lattice = static_cast<std::uint32_t>(task / groups);
        in_batch = static_cast<std::uint32_t>(task % groups) * a.lanes;
        column = in_batch / 128;
        replica = lattice / a.temperatures;
        slot = lattice - replica * a.temperatures;
    }
    /// Returns the number of realizations.
    __device__ __forceinline__ std::uint32_t count(const ClusterArgs& a) const {
        return min(a.lanes, a.realizations - in_batch);
    }
    /// Returns the bit of the first lane in a word of 32 lanes.
    __device__ __forceinline__ std::uint32_t bit() const { return in_batch % 32; }
    __device__ __forceinline__ std::uint32_t mask(const ClusterArgs& a) const { return (1u << count(a)) - 1; }
    __device__ __forceinline__ std::uint32_t* spins(const ClusterArgs& a) const {
        const std::size_t lattice = (std::size_t{column} * a.replicas + replica) * a.temperatures + slot;
        return a.spins + 4 * lattice * a.geometry.sites + in_batch % 128 / 32;
    }
    /// Returns the sums of the first lane.
    __device__ __forceinline__ ClusterSums* sums(const ClusterArgs& a) const {
        const std::size_t lattice = (std::size_t{column} * a.replicas + replica) * a.temperatures + slot;
        return a.sums + 128 * lattice + in_batch % 128;
    }
    __device__ __forceinline__ ClusterStep step(const ClusterArgs& a, std::uint32_t lane) const {
        return {a.key, a.step, slot, replica, a.first_realization + in_batch + lane};
    }
};

/// Updates the lanes of a task. Apart: many blocks work on a task, in one launch after the other.
template <int Directions, bool Wolff, bool Apart>
struct ClusterBlock {
    const ClusterArgs& a;
    const ClusterLanes task;
    std::uint32_t *bonds, *labels, *packed;  ///< packed: bytes of a site: spins, equal along x, y and z
    std::uint32_t* rings;                    ///< WarpQueue of each warp

    /// Returns the active bonds, or for Directions the new spins, of 32 sites.
    __device__ __forceinline__ std::uint32_t& bits(std::uint32_t direction, std::uint32_t chunk) const {
        return bonds[chunk * chunk_words(Directions) + direction];
    }
    /// Returns which of 32 sites are the last ones along an axis.
    __device__ __forceinline__ std::uint32_t& last(std::uint32_t direction, std::uint32_t chunk) const {
        return bonds[chunk * chunk_words(Directions) + Directions + 1 + direction];
    }
    __device__ __forceinline__ std::uint32_t next_site(std::uint32_t site, std::uint32_t d) const {
        const Geometry& g = a.geometry;
        const std::uint32_t stride = d == 0   ? 1
                                     : d == 1 ? g.L
                                              : g.L * g.L,
                            all = stride * (d == 2 ? g.depth : g.L);
        return site + stride - (last(d, site / 32) >> site % 32 & 1 ? all : 0);
    }
    /// Entries of queues are site + d * first_direction, because lattices with share 1 have at most 2^28
    /// sites.
    static constexpr std::uint32_t first_direction = 1u << 28;
    /// Calls use(site) for all sites. Warps take 32 sites at once, also beyond the last site.
    template <class Use>
    __device__ __forceinline__ void for_each_site(const Use& use) const {
        const std::uint32_t all = (a.geometry.sites + 31) / 32 * 32,
                            first = Apart ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x,
                            stride = Apart ? gridDim.x * blockDim.x : blockDim.x;
        for (std::uint32_t site = first; site < all; site += stride) use(site);
    }

    /// Loads the spins of the lanes, and finds the last sites along each axis.
    __device__ void load() const {
        const Geometry& g = a.geometry;
        const std::uint32_t mask = task.mask(a), first = task.bit();
        const std::uint32_t* const spins = task.spins(a);
        const std::uint32_t* const absent =
            a.absent
                ? a.absent + 4 * std::size_t{task.column} * Directions * g.sites + task.in_batch % 128 / 32
                : nullptr;
        for_each_site([&](std::uint32_t site) {
            const ClusterSite at(g, site);
#pragma unroll
            for (std::uint32_t d = 0; d < Directions; ++d) {
                const std::uint32_t ends =
                    __ballot_sync(~0u, site < g.sites && at.is_last(g, static_cast<int>(d)));
                if (site % 32 == 0) last(d, site / 32) = ends;
            }
            if (site >= g.sites) return;
            const Neighbours near = at.neighbours(g);
            const std::uint32_t own = spins[4 * std::size_t{near.own}];
            std::uint32_t bytes = own >> first & mask;
#pragma unroll
            for (int d = 0; d < Directions; ++d) {
                std::uint32_t equal = ~(own ^ spins[4 * std::size_t{near.site[d]}]);
                if (absent)
                    equal &=
                        ~__ldg(absent + 4 * (std::size_t{static_cast<unsigned>(d)} * g.sites + near.own));
                bytes |= (equal >> first & mask) << 8 * (d + 1);
            }
            packed[site] = bytes;
        });
    }

    /// Draws the bonds of a lane. Runs of sites along x get labels.
    __device__ void draw_bonds(std::uint32_t lane) const {
        constexpr std::uint32_t drawn = Wolff ? Directions : Directions + 1;  // Wolff has no new spins
        const Geometry& g = a.geometry;
        const ClusterSource source(task.step(a, lane), a.keys);
        const std::uint32_t in_warp = threadIdx.x % 32, threshold = a.thresholds[task.slot];
        for_each_site([&](std::uint32_t site) {
            const bool is_site = site < g.sites;
            const std::uint32_t equal = is_site ? packed[site] >> lane : 0;
            const RandomBlock numbers = source.draw(site);
            std::uint32_t active[drawn];
#pragma unroll
            for (int d = 0; d < Directions; ++d)
                active[d] = __ballot_sync(
                    ~0u, (equal >> 8 * (d + 1) & 1u) != 0 && is_bond_active(numbers, d, threshold));
            if constexpr (!Wolff) active[Directions] = __ballot_sync(~0u, is_new_spin_up(numbers));
            labels[site] = site - in_warp + run_start(active[0] & ~last(0, site / 32), in_warp);
            if (in_warp == 0)
#pragma unroll
                for (std::uint32_t d = 0; d < drawn; ++d) bits(d, site / 32) = active[d];
        });
    }

    /// Joins runs of sites by bonds along y and z, and by bonds along x that leave 32 sites.
    __device__ void join_sites() const {
        const std::uint32_t in_warp = threadIdx.x % 32;
        const auto work = [&](std::uint32_t entry) {
            const std::uint32_t site = entry & (first_direction - 1);
            join<Apart>(labels, site, next_site(site, entry / first_direction));
        };
        WarpQueue<std::uint32_t> queue{rings + threadIdx.x / 32 * WarpQueue<std::uint32_t>::size, in_warp};
        for_each_site([&](std::uint32_t site) {
            const std::uint32_t chunk = site / 32, along_x = bits(0, chunk), ends = last(0, chunk);
            queue.add((along_x & (ends | 1u << 31)) >> in_warp & 1, site, work);
#pragma unroll
            for (std::uint32_t d = 1; d < Directions; ++d) {
                // If the left neighbour is in the run and has an active bond, too, the runs may be joined
                // there.
                const std::uint32_t active = bits(d, chunk), both = (active & along_x & ~ends) << 1 & active;
                bool wanted = active >> in_warp & 1;
                if (both >> in_warp & 1) {
                    const std::uint32_t left = next_site(site, d) - 1;
                    wanted = (bits(0, left / 32) >> left % 32 & 1) == 0;
                }
                queue.add(wanted, site + d * first_direction, work);
            }
        });
        queue.finish(work);
    }

    /// Sets the bits of a lane in the first bytes: whether spins change.
    __device__ void set_changes(std::uint32_t lane) const {
        std::uint32_t wolff_root = 0;
        if constexpr (Wolff) wolff_root = root_of(labels, wolff_seed(task.step(a, lane), a.geometry.sites));
        for_each_site([&](std::uint32_t site) {
            if (site >= a.geometry.sites) return;
            const std::uint32_t root = Apart ? settled_root_of(labels, site) : root_as_label(labels, site),
                                old = packed[site];
            if constexpr (Wolff)
                packed[site] = (old & ~(1u << lane)) | (root == wolff_root ? 1u : 0u) << lane;
            else
                packed[site] = old ^ (bits(Directions, root / 32) >> root % 32 & 1u) << lane;
        });
    }

    /// The type of totals of clusters. Lattices in shared memory have at most 2^16 sites, and
    /// 2^(16 + fourier_bits) / pi is below 2^31.
    using Total = std::conditional_t<Apart, unsigned long long, std::uint32_t>;
    /// The number of totals of a cluster: sites, and real and imaginary part of F_C along each axis.
    static constexpr int numbers = 1 + 2 * Directions;

    __device__ void clear_totals(Total* totals) const {
        for_each_site([&](std::uint32_t site) { totals[site] = 0; });
    }
    /// Adds one of the numbers of all sites to the totals at the roots, after set_changes. The sites of a
    /// cluster that follow each other in a warp are added at once.
    __device__ void add_totals(Total* totals, int number) const {
        const Geometry& g = a.geometry;
        const FixedFourier fourier{a.fourier, static_cast<int>(g.L)};
        const std::uint32_t in_warp = threadIdx.x % 32;
        for_each_site([&](std::uint32_t site) {
            const ClusterSite at(g, site);
            const std::uint32_t root = site >= g.sites ? ~0u
                                       : Apart         ? settled_root_of(labels, site)
                                                       : labels[site],
                                before = __shfl_up_sync(~0u, root, 1);
            const bool begins = in_warp == 0 || at.x == 0 || root != before;
            const std::uint32_t begin = __ballot_sync(~0u, begins);
            if (!begins || site >= g.sites) return;
            const int length = run_length(begin, in_warp), part = (number - 1) % 2, axis = (number - 1) / 2;
            const std::int64_t added =
                number == 0 ? length
                : axis == 0 ? fourier.of_run(static_cast<int>(at.x), length, part)
                            : length * fourier.of(static_cast<int>(axis == 1 ? at.y : at.z), part);
            atomicAdd(totals + root, static_cast<Total>(added));
        });
    }
    /// Adds the squares of the totals to the sums of a lane.
    __device__ void add_squares(const Total* totals, int number, std::uint32_t lane) const {
        using Signed = std::make_signed_t<Total>;
        SquareSum own;
        for_each_site([&](std::uint32_t site) { own.add_square(static_cast<Signed>(totals[site])); });
        ClusterSums& sums = task.sums(a)[lane];
        add_of_warp(number == 0 ? sums.size : sums.modes, own);
    }
    /// Adds the sums of a lane. All threads of a block work on the lane.
    __device__ void add_sums(std::uint32_t lane, Total* totals) const {
        for (int number = 0; number < numbers; ++number) {
            clear_totals(totals);
            __syncthreads();
            add_totals(totals, number);
            __syncthreads();
            add_squares(totals, number, lane);
            __syncthreads();
        }
    }

    /// Flips the spins that change.
    __device__ void store() const {
        const Geometry& g = a.geometry;
        const std::uint32_t mask = task.mask(a);
        std::uint32_t* const spins = task.spins(a);
        for_each_site([&](std::uint32_t site) {
            if (site >= g.sites) return;
            const std::uint32_t changes = (packed[site] & mask) << task.bit();
            if (changes != 0) atomicXor(spins + 4 * std::size_t{ClusterSite(g, site).index(g)}, changes);
        });
    }
};

}  // namespace psflip
