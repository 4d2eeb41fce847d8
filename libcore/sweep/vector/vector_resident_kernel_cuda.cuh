#pragma once

// Sweeps lattices that stay in shared memory during all sweeps of a launch.

#include "sweep/vector/vector_quads_cuda.cuh"
#include "sweep/vector/vector_sweep_kernel_cuda.cuh"

namespace psflip {

/// Holds a spin for other blocks, and the number of the half sweep that made it. One access reads or writes
/// both, so accesses need no other order. Before a box sends a spin again, it has got a packet from each
/// neighbouring box, which has read the last spin before.
struct alignas(16) Packet {
    std::uint32_t component[3], half_sweep;
};
inline constexpr int packets_of_quad = 4;

__device__ __forceinline__ Packet received(const Packet* from) {
    std::uint64_t low, high;
    asm volatile("{.reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q;}"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    return {{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
             static_cast<std::uint32_t>(high)},
            static_cast<std::uint32_t>(high >> 32)};
}
__device__ __forceinline__ void send(Packet* to, const Packet& packet) {
    const std::uint64_t low = packet.component[0] | std::uint64_t{packet.component[1]} << 32,
                        high = packet.component[2] | std::uint64_t{packet.half_sweep} << 32;
    asm volatile("{.reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q;}" ::"l"(to),
                 "l"(low), "l"(high)
                 : "memory");
}

/// Keeps a box of a lattice in shared memory: (colour, plane, row, quad, component, site of the quad). Each
/// thread updates the quads at one place of some planes. It also copies at most one quad of the halos.
template <class T, VectorUpdate update, bool draws_early>
class ResidentBox {
    static constexpr int N = 3;

  public:
    __device__ ResidentBox(const ResidentArgs<T>& args, unsigned char* memory)
        : args_(args), boxes_(args.boxes), memory_(memory) {
        const Geometry& g = args.sweep.lattices.geometry;
        const unsigned lattice = args.boxes_of_lattice.of(blockIdx.x),
                       box = blockIdx.x - lattice * args.boxes_of_lattice;
        box_z_ = args.boxes_along_y.of(box), box_y_ = box - box_z_ * args.boxes_along_y;
        state_ = args.sweep.first_state + lattice;
        spins_ = args.sweep.lattices.spins + std::size_t{state_} * g.sites * N;
        first_plane_ = args.plane_quads.of(threadIdx.x);
        const unsigned place = threadIdx.x - first_plane_ * args.plane_quads;
        y_ = args.row_quads.of(place);
        const unsigned h = place - y_ * args.row_quads;
        step_ = blockDim.x / args.plane_quads;
        place_ = ((y_ + boxes_.halo_y()) * args.row_quads + h) * quad_bytes<T>;
        h_ = h;
        const unsigned row = args.row_bytes, wrap = (boxes_.rows - 1) * row;
        const bool whole = boxes_.along_y == 1;
        down_ = whole && y_ == 0 ? wrap : 0u - row;
        up_ = whole && y_ == boxes_.rows - 1 ? 0u - wrap : row;
        far_ = ((box_z_ * boxes_.planes) * g.L + box_y_ * boxes_.rows + y_) * g.half + quad_sites * h;
        parity_ = (box_y_ * boxes_.rows + y_ + box_z_ * boxes_.planes) & 1u;
        edge_ = boxes_.along_y > 1 && (y_ == 0 || y_ == boxes_.rows - 1);
        find_halo();
    }
    __device__ unsigned state() const { return state_; }

    /// Copies the own spins from device memory, or to it.
    template <bool load>
    __device__ void copy_own() const {
        const Geometry& g = args_.sweep.lattices.geometry;
        for (unsigned p = first_plane_; p < boxes_.planes; p += step_)
            for (unsigned colour = 0; colour < 2; ++colour)
                for (int k = 0; k < N; ++k) {
                    T* const far = spins_ + (colour * N + k) * g.colour_sites + far_ + p * g.plane;
                    Quad<T>& near = at(
                        colour * args_.colour_bytes + (p + boxes_.halo_z()) * args_.plane_bytes + place_, k);
                    if (load)
                        near = *reinterpret_cast<Quad<T>*>(far);
                    else
                        near.write(far);
                }
        __syncthreads();
    }

    /// Copies the spins of a colour of the boxes next to this one, after `half` half sweeps of this launch.
    __device__ void take_halo(unsigned half, unsigned colour) const {
        if (boxes_.count() == 1) return;
        if (halo_ != no_halo) {
            const Geometry& g = args_.sweep.lattices.geometry;
            Quad<T> numbers[N];
            if (half == 0) {
                const T* const from = spins_ + colour * N * g.colour_sites + halo_far_;
                for (int k = 0; k < N; ++k)
                    numbers[k] = *reinterpret_cast<const Quad<T>*>(from + std::size_t{g.colour_sites} * k);
            } else {
                const Packet* const from = packets(colour, halo_far_);
                Packet found[packets_of_quad];
                bool all;
                do {
                    all = true;
                    for (int i = 0; i < packets_of_quad; ++i) found[i] = received(from + i);
                    for (int i = 0; i < packets_of_quad; ++i)
                        all = all && found[i].half_sweep == args_.before + half;
                } while (!all);
                for (int i = 0; i < packets_of_quad; ++i)
                    for (int k = 0; k < N; ++k) numbers[k].of[i] = RealTraits<T>::real(found[i].component[k]);
            }
            for (int k = 0; k < N; ++k) at(colour * args_.colour_bytes + halo_, k) = numbers[k];
        }
        __syncthreads();
    }

    /// Returns the plane in the box of the thread's quad number `round`, or a number that is too large.
    __device__ __forceinline__ unsigned plane(unsigned round) const {
        const unsigned p = first_plane_ + round * step_;
        // The lowest and the highest plane come first, because other boxes wait for them.
        return p == 0 || p >= boxes_.planes ? p : (p == 1 ? boxes_.planes - 1 : p - 1);
    }
    __device__ unsigned rounds() const { return (boxes_.planes + step_ - 1) / step_; }
    /// Returns the random words of site j of the quad of plane z.
    __device__ __forceinline__ RandomBlock words(unsigned z, unsigned colour, Counter counter, int j) const {
        if constexpr (update == VectorUpdate::over_relaxation) return {};
        counter.site = 2 * (far_ + z * args_.sweep.lattices.geometry.plane + static_cast<unsigned>(j)) +
                       (odd(colour, z) ? 1 : 0);
        return args_.sweep.rounds.block(counter);
    }

    /// Updates the quad of plane z and returns the number of renewed spins.
    __device__ __forceinline__ unsigned update_quad(unsigned z, unsigned half, T beta, T width,
                                                    const Counter& counter,
                                                    const RandomBlock (&blocks)[quad_sites]) const {
        const unsigned colour = half & 1u;
        const bool is_odd = odd(colour, z);
        const unsigned here = (z + boxes_.halo_z()) * args_.plane_bytes + place_,
                       own = here + (colour ? args_.colour_bytes : 0u),
                       other = here + (colour ? 0u : args_.colour_bytes);
        const QuadNeighbours neighbours{
            other,
            other + bytes_to_side<T>(is_odd, h_, args_.row_quads),
            other + down_,
            other + up_,
            other + (z == 0 ? args_.below_lowest : 0u - args_.plane_bytes),
            other + (z == boxes_.planes - 1 ? args_.above_highest : args_.plane_bytes)};
        Quad<T> spins[N];
        for (int k = 0; k < N; ++k) spins[k] = at(own, k);
        const auto words_of = [&](int j) { return draws_early ? blocks[j] : words(z, colour, counter, j); };
        const unsigned renewed = psflip::update_quad<update>(
            memory_, neighbours, is_odd, args_.sweep.constants.exchange[0], beta, width, words_of, spins);
        for (int k = 0; k < N; ++k) at(own, k) = spins[k];
        if (edge_ || (boxes_.halo_z() && (z == 0 || z == boxes_.planes - 1))) {
            Packet* const to = packets(colour, far_ + z * args_.sweep.lattices.geometry.plane);
            for (int j = 0; j < packets_of_quad; ++j)
                send(to + j, {{RealTraits<T>::bits(spins[0].of[j]), RealTraits<T>::bits(spins[1].of[j]),
                               RealTraits<T>::bits(spins[2].of[j])},
                              args_.before + half + 1});
        }
        return renewed;
    }

  private:
    static constexpr unsigned no_halo = ~0u;

    __device__ bool odd(unsigned colour, unsigned z) const { return ((colour + parity_ + z) & 1u) != 0; }
    /// Returns the packets of a quad, which has its first site at `site` of the colour.
    __device__ Packet* packets(unsigned colour, unsigned site) const {
        return reinterpret_cast<Packet*>(args_.packets) +
               std::size_t{state_} * args_.sweep.lattices.geometry.sites +
               (colour * args_.sweep.lattices.geometry.colour_sites + site);
    }
    __device__ Quad<T>& at(unsigned place, int k) const {
        return reinterpret_cast<Quad<T>*>(memory_ + place)[k];
    }
    /// Finds the quad of the halos that this thread copies.
    __device__ void find_halo() {
        halo_ = no_halo, halo_far_ = 0;
        const unsigned row = args_.row_quads.of(threadIdx.x), h = threadIdx.x - row * args_.row_quads;
        const unsigned in_planes = 2 * boxes_.halo_z() * boxes_.rows,
                       in_rows = 2 * boxes_.halo_y() * boxes_.planes;
        if (row >= in_planes + in_rows) return;
        unsigned y, z, box_y = box_y_, box_z = box_z_;  // y and z in the memory of the box
        unsigned far_y, far_z;                          // in the other box
        if (row < in_planes) {
            const bool high = row >= boxes_.rows;
            far_y = row - (high ? boxes_.rows : 0u), y = far_y + boxes_.halo_y();
            z = high ? boxes_.planes + 1 : 0u, far_z = high ? 0u : boxes_.planes - 1;
            box_z = high ? (box_z + 1 == boxes_.along_z ? 0u : box_z + 1)
                         : (box_z == 0 ? boxes_.along_z : box_z) - 1;
        } else {
            const unsigned i = row - in_planes;
            const bool high = i >= boxes_.planes;
            far_z = i - (high ? boxes_.planes : 0u), z = far_z + boxes_.halo_z();
            y = high ? boxes_.rows + 1 : 0u, far_y = high ? 0u : boxes_.rows - 1;
            box_y = high ? (box_y + 1 == boxes_.along_y ? 0u : box_y + 1)
                         : (box_y == 0 ? boxes_.along_y : box_y) - 1;
        }
        const Geometry& g = args_.sweep.lattices.geometry;
        halo_ = ((z * boxes_.held_rows() + y) * args_.row_quads + h) * quad_bytes<T>;
        halo_far_ =
            ((box_z * boxes_.planes + far_z) * g.L + box_y * boxes_.rows + far_y) * g.half + quad_sites * h;
    }

    const ResidentArgs<T>& args_;
    const VectorBoxes& boxes_;
    unsigned char* memory_;
    T* spins_;  ///< of the lattice in device memory
    unsigned box_y_, box_z_, state_;
    unsigned first_plane_, step_;     ///< the thread's planes: the first one, and from one to the next
    unsigned y_, parity_;             ///< row in the box; parity of y + z in plane 0
    unsigned h_, place_, down_, up_;  ///< bytes: place of the quad in plane 0, and steps to neighbours
    unsigned far_;  ///< first site of the quad in plane 0 of the box, in its colour in device memory
    bool edge_;     ///< other boxes read this row
    unsigned halo_, halo_far_;  ///< place of a quad of the halos, here and in device memory
};

template <class T, VectorUpdate update, int max_threads>
__global__ void __launch_bounds__(max_threads)
    vector_resident_kernel(const __grid_constant__ ResidentArgs<T> args) {
    extern __shared__ __align__(16) unsigned char resident[];
    constexpr bool draws_early = max_threads <= max_early_threads;
    const ResidentBox<T, update, draws_early> box(args, resident);
    const VectorLattices<T>& of = args.sweep.lattices;
    const unsigned above = of.realizations.of(box.state()),
                   realization = box.state() - above * of.realizations, replica = of.slots.of(above),
                   slot = above - replica * of.slots;
    const T beta = of.betas[slot], width = of.widths[box.state()];
    box.template copy_own<true>();
    const unsigned rounds = box.rounds();
    unsigned renewed = 0;
    for (unsigned half = 0; half < 2 * args.sweeps; ++half) {
        const unsigned colour = half & 1u;
        const Counter counter = make_counter(Purpose::vector_update, 0, args.sweep.sweep + half / 2, slot,
                                             replica, 0, of.first_realization + realization);
        RandomBlock blocks[quad_sites] = {};
        unsigned z = box.plane(0);
        if (draws_early)
            for (int j = 0; j < quad_sites; ++j) blocks[j] = box.words(z, colour, counter, j);
        box.take_halo(half, 1 - colour);
        for (unsigned round = 0; round < rounds; ++round) {
            if (round > 0) {
                z = box.plane(round);
                if (draws_early)
                    for (int j = 0; j < quad_sites; ++j) blocks[j] = box.words(z, colour, counter, j);
            }
            if (z < args.boxes.planes) renewed += box.update_quad(z, half, beta, width, counter, blocks);
        }
        __syncthreads();
    }
    box.template copy_own<false>();
    if constexpr (update != VectorUpdate::over_relaxation)
        add_renewed(renewed, args.sweep.renewed + box.state());
}

/// Launches the resident kernel. Returns false if the blocks of one lattice cannot run at once.
template <class T, VectorUpdate update, int max_threads>
bool launch_resident_threads(ResidentArgs<T> args, cudaStream_t stream) {
    const unsigned bytes = args.bytes, threads = args.threads;
    const auto kernel = vector_resident_kernel<T, update, max_threads>;
    PSFLIP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const unsigned states = args.sweep.states, count = args.boxes.count();
    unsigned group = states;
    if (count > 1) {
        int blocks = 0;
        PSFLIP_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), bytes));
        group = std::min(states, static_cast<unsigned>(blocks) * args.sweep.multiprocessors / count);
        if (group == 0) return false;
    }
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    for (unsigned first = 0; first < states; first += group) {
        args.sweep.first_state = first;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(std::min(group, states - first) * count);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = bytes;
        config.stream = stream;
        config.attrs = &cooperative;
        config.numAttrs = count > 1 ? 1 : 0;
        PSFLIP_CUDA(cudaLaunchKernelEx(&config, kernel, args));
    }
    return true;
}

template <class T>
bool launch_resident(const ResidentArgs<T>& args, VectorUpdate update, cudaStream_t stream) {
    bool launched = false;
    with_update<3>(update, [&]<VectorUpdate one>() {
        constexpr int few = one == VectorUpdate::heat_bath ? max_resident_threads : max_early_threads;
        launched = args.threads > max_early_threads
                       ? launch_resident_threads<T, one, max_resident_threads>(args, stream)
                       : launch_resident_threads<T, one, few>(args, stream);
    });
    return launched;
}

}  // namespace psflip
