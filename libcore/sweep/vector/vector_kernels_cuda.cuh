// Declares the GPU kernels of vector spins. All pointers refer to device memory; launches queue their work
// into the given stream.
#pragma once

#include <cuda_runtime.h>

#include "base/device_buffer.cuh"
#include "slab/peer_links_cuda.cuh"
#include "sweep/cuda/houdayer_counts_cuda.cuh"
#include "sweep/vector/vector_boxes.hpp"
#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_setup.hpp"
#include "sweep/vector/vector_tile_cuda.cuh"

namespace psflip {

inline constexpr int vector_sweep_threads = 128;  ///< of a block that sweeps

/// Describes how a block updates sites: first in some planes, then in the next planes, and so on.
struct VectorMarch {
    unsigned steps = 1, planes = 1;  ///< number of steps, and planes from one to the next
    QuickDivisor blocks = 1;         ///< that share these planes
};

/// Holds the arguments of the kernels that sweep one colour or add up sums.
template <class T>
struct VectorSweepArgs {
    VectorLattices<T> lattices;
    VectorConstants<T> constants;
    unsigned first_state, states;  ///< range of states
    unsigned colour;
    unsigned first_site, end_site;  ///< range of sites of the colour
    std::uint64_t key, sweep;
    PhiloxRounds rounds;          ///< of the key
    unsigned long long* renewed;  ///< (state): the kernel adds the number of renewed spins
    int sites_of_thread;          ///< maximum number of consecutive sites of a thread
    unsigned multiprocessors;     ///< of the device
    VectorMarch march{};          ///< of whole lattices
    bool exceeds_cache = false;   ///< whether a lattice does not stay in the L2 cache
    /// Whether the kernel also writes the outermost own planes of a slab into the GPUs of the neighbours.
    /// `early`: it may start before the previous kernel ends (launch_early).
    bool by_peers = false, early = false;
    PeerLinks links{};  ///< if by_peers
};

/// Returns the number of consecutive sites of half a row that a thread renews. It is the largest power of two
/// that is at most `limit`, divides `half`, and fits one instruction that reads 16 bytes.
constexpr int sites_of_thread(unsigned half, std::size_t bytes, int limit) {
    int sites = 1;
    while (sites < limit && 2 * sites * bytes <= 16 && half % (2u * static_cast<unsigned>(sites)) == 0)
        sites *= 2;
    return sites;
}

/// Sweeps one colour of all states in device memory. A Metropolis update of a site of three components in
/// three dimensions takes 20 products of 64 bits and 40 logic operations for Philox. The indices of the site
/// and its neighbours take about 40 operations, and the sum of the neighbours 18. The direction takes 35,
/// energy and exponential take 30, and there is one square root. If rows of the other colour stay in the
/// caches, a site in float moves 36 bytes: 12 read and 12 written of its colour, 12 read of the other colour.
template <class T>
void launch_vector_sweep(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                         VectorUpdate update, cudaStream_t stream);

/// Sweeps spins of three components in fast arithmetic (FastFloat), for Precision::fast.
void launch_fast_vector_sweep(const VectorSweepArgs<float>& args, VectorTerms terms, VectorUpdate update,
                              cudaStream_t stream);

/// Updates tiles of whole periodic lattices in shared memory, from sweep number args.sweep on. A launch reads
/// and writes the spins of the tiles once, and reads the sites around them. Errors: InputError if a tile does
/// not fit in shared memory.
template <class T>
void launch_vector_tiles(const VectorSweepArgs<T>& args, const VectorTiles& tiles, VectorTerms terms,
                         int components, VectorUpdate update, cudaStream_t stream);
/// Updates tiles in fast arithmetic.
void launch_fast_vector_tiles(const VectorSweepArgs<float>& args, const VectorTiles& tiles, VectorTerms terms,
                              VectorUpdate update, cudaStream_t stream);

/// Holds the arguments of a launch of the resident kernel.
template <class T>
struct ResidentArgs {
    VectorSweepArgs<T> sweep;  ///< of the first sweep
    VectorBoxes boxes;
    QuickDivisor plane_quads, row_quads;  ///< quads of a colour in a plane of a box, and in a row
    QuickDivisor boxes_of_lattice, boxes_along_y;
    unsigned row_bytes, plane_bytes, colour_bytes;  ///< of a box in shared memory, with halos
    unsigned below_lowest, above_highest;           ///< bytes from the end planes to the planes next to them
    unsigned sweeps;
    uint4* packets;           ///< (state, colour, site): numbers for other blocks (Packet)
    unsigned before;          ///< half sweeps before this launch, modulo 2^32
    unsigned threads, bytes;  ///< of a block: threads, and bytes of shared memory
};

/// Holds the arguments of a launch of the streaming kernel.
template <class T>
struct StreamArgs {
    VectorSweepArgs<T> sweep;                      ///< its spins are the spins before the sweep
    T* target;                                     ///< spins after the sweep, another array
    unsigned rows, planes;                         ///< of a tile
    QuickDivisor tiles, tiles_along_y, row_quads;  ///< tiles of a lattice; quads of a colour in a row
    unsigned threads, bytes;                       ///< of a block: threads, and bytes of shared memory
};

/// Makes a sweep of args.sweep.states lattices. It moves 24 bytes of a site, and updates sites at the ends of
/// tiles twice.
void launch_vector_stream(const StreamArgs<float>& args, VectorUpdate update, cudaStream_t stream);

/// Makes args.sweeps sweeps of args.sweep.states lattices, from args.sweep.sweep on. The spins stay in shared
/// memory, of which an update moves 87 bytes. Returns false if it did nothing because the blocks of one
/// lattice cannot run at once.
bool launch_vector_resident(const ResidentArgs<float>& args, VectorUpdate update, cudaStream_t stream);

/// Makes a Houdayer move of `count` pairs of states of Ising spins, of whole periodic lattices. `pairs` lies
/// in device memory. `memory` is for work on large lattices; the call sets its size. counts: (slot,
/// realization).
template <class T>
void launch_vector_clusters(const VectorSweepArgs<T>& args, const StatePair* pairs, unsigned count,
                            std::int64_t completed, DeviceBuffer<std::uint32_t>& memory,
                            const DeviceHoudayerCounts& counts, cudaStream_t stream);

/// Holds the memory of launch_vector_sums.
struct SumsMemory {
    unsigned long long* sums;     ///< (state, sum): zeros before and after the kernel
    unsigned* blocks_done;        ///< (state): zeros before and after the kernel
    unsigned long long* on_host;  ///< (state, sum): gets the sums
};

/// Writes the sums of all states, in units of `units`, to the host.
template <class T>
void launch_vector_sums(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                        const VectorUnits& units, const SumsMemory& sums, cudaStream_t stream);

}  // namespace psflip
