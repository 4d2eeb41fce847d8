#pragma once

// Sweeps both colours of large lattices in one pass through device memory.

#include "sweep/cuda/shared_memory_cuda.cuh"
#include "sweep/vector/vector_quads_cuda.cuh"
#include "sweep/vector/vector_sweep_kernel_cuda.cuh"

namespace psflip {

/// Marches through the planes of a tile. Step t renews colour 0 of plane t - 1 of the tile, and then colour 1
/// of plane t - 2. Tiles are `rows` rows of `planes` planes. The block also renews the spins of colour 0 that
/// lie next to its tile, because other blocks may renew them later. So it reads from one array and writes to
/// another one.
///
/// Shared memory holds colour 1 before the sweep, of four planes and `rows` + 4 rows, and colour 0 after the
/// sweep, of three planes and `rows` + 2 rows. A thread has one place in these planes.
template <class T, VectorUpdate update>
class StreamTile {
    static constexpr int N = 3;
    static constexpr unsigned old_planes = 4, new_planes = 3;

  public:
    __device__ StreamTile(const StreamArgs<T>& args, unsigned char* memory)
        : args_(args), memory_(memory), row_bytes_(args.row_quads * quad_bytes<T>) {
        const Geometry& g = args.sweep.lattices.geometry;
        const unsigned lattice = args.tiles.of(blockIdx.x), tile = blockIdx.x - lattice * args.tiles,
                       tile_z = args.tiles_along_y.of(tile);
        first_row_ = (tile - tile_z * args.tiles_along_y) * args.rows;
        first_plane_ = tile_z * args.planes;
        state_ = args.sweep.first_state + lattice;
        const std::size_t first = std::size_t{state_} * g.sites * N;
        from_ = args.sweep.lattices.spins + first, to_ = args.target + first;
        row_ = args.row_quads.of(threadIdx.x), h_ = threadIdx.x - row_ * args.row_quads;
    }
    __device__ unsigned state() const { return state_; }

    /// Makes the sweep of the tile and returns the number of renewed spins in it.
    __device__ unsigned sweep(const Counter& counter, T beta, T width) {
        for (unsigned plane = 0; plane < 3; ++plane) copy_plane(plane);
        read_own(0);
        all_copies_done();
        __syncthreads();
        unsigned renewed = 0;
        for (unsigned step = 0; step < args_.planes + 2; ++step) {
            if (step + 3 < args_.planes + 4) copy_plane(step + 3);
            if (row_ < args_.rows + 2) renewed += renew_first(step, counter, beta, width);
            __syncthreads();
            if (step >= 2 && row_ < args_.rows) renewed += renew_second(step, counter, beta, width);
            all_copies_done();
            __syncthreads();
        }
        return renewed;
    }

  private:
    /// Returns the coordinate of a row or plane that lies up to 2 outside of the lattice.
    __device__ unsigned wrapped(unsigned i) const {
        const unsigned L = args_.sweep.lattices.geometry.L;
        return i >= 2 * L ? i + L : (i >= L ? i - L : i);
    }
    /// Returns the first site, in its colour, of a quad. y and z may lie up to 2 outside of the lattice.
    __device__ unsigned site(unsigned y, unsigned z, unsigned h) const {
        const Geometry& g = args_.sweep.lattices.geometry;
        return (wrapped(z) * g.L + wrapped(y)) * g.half + quad_sites * h;
    }
    /// Return the bytes before a quad of colour 1 before the sweep, and of colour 0 after the sweep.
    __device__ unsigned old_quad(unsigned plane, unsigned row, unsigned h) const {
        return ((plane % old_planes) * (args_.rows + 4) + row) * row_bytes_ + h * quad_bytes<T>;
    }
    __device__ unsigned new_quad(unsigned plane, unsigned row, unsigned h) const {
        return (old_planes * (args_.rows + 4) + (plane % new_planes) * (args_.rows + 2) + row) * row_bytes_ +
               h * quad_bytes<T>;
    }
    __device__ Quad<T>* at(unsigned bytes) const { return reinterpret_cast<Quad<T>*>(memory_ + bytes); }

    /// Starts to copy plane number `plane` of colour 1, where 0 is two planes below the tile.
    __device__ void copy_plane(unsigned plane) const {
        const Geometry& g = args_.sweep.lattices.geometry;
        for (unsigned i = threadIdx.x; i < (args_.rows + 4) * args_.row_quads; i += blockDim.x) {
            const unsigned row = args_.row_quads.of(i), h = i - row * args_.row_quads;
            const T* const from =
                from_ + N * g.colour_sites + site(first_row_ + row - 2, first_plane_ + plane - 2, h);
            Quad<T>* const to = at(old_quad(plane, row, h));
            for (int k = 0; k < N; ++k)
                copy_past_l1(shared_address(to + k),
                             reinterpret_cast<const uint4*>(from + std::size_t{g.colour_sites} * k));
        }
        end_of_copies();
    }
    /// Reads the quad of colour 0 that this thread renews in a step.
    __device__ void read_own(unsigned step) {
        const Geometry& g = args_.sweep.lattices.geometry;
        if (row_ >= args_.rows + 2) return;
        const T* const from = from_ + site(first_row_ + row_ - 1, first_plane_ + step - 1, h_);
        for (int k = 0; k < N; ++k)
            own_[k] = *reinterpret_cast<const Quad<T>*>(from + std::size_t{g.colour_sites} * k);
    }
    /// Updates a quad and returns the number of renewed spins.
    __device__ __forceinline__ unsigned renew(Quad<T> (&spins)[N], unsigned colour, unsigned y, unsigned z,
                                              unsigned first, QuadNeighbours neighbours, Counter counter,
                                              T beta, T width) const {
        const bool odd = ((colour + y + z) & 1u) != 0;
        neighbours.side = neighbours.row + bytes_to_side<T>(odd, h_, args_.row_quads);
        neighbours.down = neighbours.row - row_bytes_, neighbours.up = neighbours.row + row_bytes_;
        const auto words = [&](int j) {
            if constexpr (update == VectorUpdate::over_relaxation) return RandomBlock{};
            counter.site = 2 * (first + static_cast<unsigned>(j)) + (odd ? 1 : 0);
            return args_.sweep.rounds.block(counter);
        };
        return update_quad<update>(memory_, neighbours, odd, args_.sweep.constants.exchange[0], beta, width,
                                   words, spins);
    }
    __device__ void write(const Quad<T> (&spins)[N], unsigned colour, unsigned first) const {
        const Geometry& g = args_.sweep.lattices.geometry;
        for (int k = 0; k < N; ++k) spins[k].write(to_ + (colour * N + k) * g.colour_sites + first);
    }

    /// Renews colour 0 of the plane below the tile (step 0), of the tile, or above it.
    __device__ __forceinline__ unsigned renew_first(unsigned step, const Counter& counter, T beta, T width) {
        const unsigned y = first_row_ + row_ - 1, z = first_plane_ + step - 1, first = site(y, z, h_);
        Quad<T> spins[N];
        for (int k = 0; k < N; ++k) spins[k] = own_[k];
        if (step + 1 < args_.planes + 2) read_own(step + 1);
        QuadNeighbours neighbours{};
        neighbours.row = old_quad(step + 1, row_ + 1, h_);
        neighbours.below = old_quad(step, row_ + 1, h_), neighbours.above = old_quad(step + 2, row_ + 1, h_);
        const unsigned renewed = renew(spins, 0, y, z, first, neighbours, counter, beta, width);
        for (int k = 0; k < N; ++k) at(new_quad(step, row_, h_))[k] = spins[k];
        if (step == 0 || step > args_.planes || row_ == 0 || row_ > args_.rows) return 0;
        write(spins, 0, first);
        return renewed;
    }
    /// Renews colour 1 of the plane below the plane of renew_first.
    __device__ __forceinline__ unsigned renew_second(unsigned step, const Counter& counter, T beta,
                                                     T width) const {
        const unsigned y = first_row_ + row_, z = first_plane_ + step - 2, first = site(y, z, h_);
        Quad<T> spins[N];
        for (int k = 0; k < N; ++k) spins[k] = at(old_quad(step, row_ + 2, h_))[k];
        QuadNeighbours neighbours{};
        neighbours.row = new_quad(step - 1, row_ + 1, h_);
        neighbours.below = new_quad(step - 2, row_ + 1, h_), neighbours.above = new_quad(step, row_ + 1, h_);
        const unsigned renewed = renew(spins, 1, y, z, first, neighbours, counter, beta, width);
        write(spins, 1, first);
        return renewed;
    }

    const StreamArgs<T>& args_;
    unsigned char* memory_;
    unsigned row_bytes_;
    unsigned first_row_, first_plane_, state_;
    unsigned row_, h_;  ///< of the thread
    const T* from_;     ///< spins of the lattice before the sweep
    T* to_;             ///< and after it
    Quad<T> own_[N];    ///< spins of colour 0 that the thread renews next
};

template <class T, VectorUpdate update>
__global__ void __launch_bounds__(max_stream_threads, 1)
    vector_stream_kernel(const __grid_constant__ StreamArgs<T> args) {
    extern __shared__ __align__(16) unsigned char tile_memory[];
    StreamTile<T, update> tile(args, tile_memory);
    const VectorLattices<T>& of = args.sweep.lattices;
    const unsigned above = of.realizations.of(tile.state()),
                   realization = tile.state() - above * of.realizations, replica = of.slots.of(above),
                   slot = above - replica * of.slots;
    const Counter counter = make_counter(Purpose::vector_update, 0, args.sweep.sweep, slot, replica, 0,
                                         of.first_realization + realization);
    const unsigned renewed = tile.sweep(counter, of.betas[slot], of.widths[tile.state()]);
    if constexpr (update != VectorUpdate::over_relaxation)
        add_renewed(renewed, args.sweep.renewed + tile.state());
}

}  // namespace psflip
