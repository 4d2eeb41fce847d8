// Overlap counts on the CPU, compiled once per instruction set (see word/word_simd.hpp).

#include "config/limits.hpp"
#include "lattice/neighbours_simd.hpp"
#include "measure/moments.hpp"
#include "measure/overlap_kernels.hpp"
#include "measure/plane_sites.hpp"
#include "measure/replicon.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

Word load_site(const std::uint64_t* words, std::int64_t site) {
    return load(words + site * 2 * slots_per_word);
}

/// Counts sites with d = 1 in a plane of a family of parallel planes, for the temperatures of one register.
template <int Planes>
void count_plane(const HeldLattice& held, const std::uint64_t* difference, int family, int plane,
                 std::int32_t* out) {
    BufferedCounter<Planes> counter;
    for_each_in_plane(held, family, plane, [&](int u, int v, int w) {
        counter.add({load_site(difference, held.index(u, v, w))});
    });
    counter.flush();
    unpack_counter(counter.total, out);
}

/// Counts present bonds of the own red sites whose ends differ in d.
template <int Degree, bool Absent, int Planes>
void count_links(const OverlapTask& task, const std::uint64_t* difference, std::int32_t* out) {
    const Lattice lattice(task.lattice);
    BufferedCounter<Planes> counter;
    for (int w = lattice.first_plane(0); w < lattice.end; w += lattice.step)
        for (int v = 0; v < lattice.L; ++v) {
            const Row row = lattice.row(0, v, w);
            for (int h = 0; h < lattice.length; ++h) {
                const Word own = load_site(difference, row.own + h);
                Word e[Degree];
                bond_words(
                    row, h, lattice.length,
                    [&](std::int64_t neighbour, int direction, std::int64_t from) {
                        const Word near = load_site(difference, neighbour);
                        if constexpr (!Absent) return own ^ near;
                        const std::int64_t bond = 2 * direction * lattice.colour_sites + from;
                        return xor_unless(own, near, broadcast128(task.absent + 2 * bond));
                    },
                    e);
                counter.add(e);
            }
        }
    counter.flush();
    unpack_counter(counter.total, out);
}

/// Counts lattices up to size MaxL.
template <int Degree, int MaxL>
void count_overlap_up_to(const OverlapTask& task) {
    constexpr bool space = Degree == 6;
    constexpr int link_planes = planes_for(space ? 3LL * MaxL * MaxL * MaxL : 2LL * MaxL * MaxL);
    constexpr int axes = Degree / 2, plane_bits = planes_for(space ? MaxL * MaxL : MaxL);
    const int L = task.lattice.L, families = plane_families(axes, task.diagonals);
    for (int reg = 0; reg < registers; ++reg) {
        const std::uint64_t* difference = task.difference + reg * word_slots * 2;
        const int slot_lanes = reg * word_slots * 128;
        for (int family = 0; family < families; ++family)
            for (int plane = 0; plane < L; ++plane)
                count_plane<plane_bits>(
                    task.lattice, difference, family < axes ? family : 3 + family - axes, plane,
                    task.planes + (family * L + plane) * slots_per_word * 128 + slot_lanes);
        if (!task.links) continue;
        if (task.absent)
            count_links<Degree, true, link_planes>(task, difference, task.links + slot_lanes);
        else
            count_links<Degree, false, link_planes>(task, difference, task.links + slot_lanes);
    }
}

void count_overlap(const OverlapTask& task) {
    const int L = task.lattice.L;
    const std::int64_t sites = 2 * task.lattice.colour_sites();
    for (std::int64_t i = 0; i < sites * 2 * slots_per_word; i += word_lanes64)
        store(task.difference + i, load(task.a + i) ^ load(task.b + i));
    if (task.dimension == 2)
        count_overlap_up_to<4, limits::max_L>(task);
    else if (L <= 8)
        count_overlap_up_to<6, 8>(task);
    else if (L <= 16)
        count_overlap_up_to<6, 16>(task);
    else
        count_overlap_up_to<6, limits::max_L>(task);
}

typedef double NativeDouble __attribute__((vector_size(word_bytes), may_alias));
typedef std::int64_t NativeInt __attribute__((vector_size(word_bytes), may_alias));
typedef std::int32_t HalfInt __attribute__((vector_size(word_bytes / 2), may_alias));

int plane_sites(int L, int dimension) {
    return dimension == 3 ? L * L : L;
}

double sites_of(int L, int dimension) {
    return static_cast<double>(plane_sites(L, dimension)) * L;
}

void put(double* to, NativeDouble value) {
    *reinterpret_cast<NativeDouble*>(to) = value;
}

// Arguments of templates lose may_alias.
typedef double Doubles __attribute__((vector_size(word_bytes)));
typedef std::int32_t Ints __attribute__((vector_size(word_bytes / 2)));

/// Returns the mode of a family of parallel planes for as many realizations as a register holds doubles.
template <class Task>
PlaneMode<Doubles, Ints> family_mode(const Task& task, int family, int lane) {
    const int sites = plane_sites(task.L, task.dimension);
    PlaneMode<Doubles, Ints> mode;
    for (int x = 0; x < task.L; ++x) {
        const std::int32_t* plane = task.planes + (family * task.L + x) * slots_per_word * 128 + lane;
        const HalfInt Q = sites - 2 * *reinterpret_cast<const HalfInt*>(plane);
        mode.add(task.fourier[x], task.fourier[task.L + x], Q, __builtin_convertvector(Q, NativeDouble));
    }
    return mode;
}

/// Does the operations of overlap_moments in the same order.
void lane_moments(const MomentTask& task) {
    const double N = sites_of(task.L, task.dimension);
    for (int lane = 0; lane < 128; lane += word_lanes64) {
        HalfInt overlap{};
        for (int axis = 0; axis < task.dimension; ++axis) {
            const auto mode = family_mode(task, axis, lane);
            if (axis == 0) overlap = mode.total;
            put(task.moments->kmin[axis] + lane, mode.square() / (N * N));
        }
        *reinterpret_cast<NativeInt*>(task.moments->overlap + lane) =
            __builtin_convertvector(overlap, NativeInt);
        const NativeDouble q = __builtin_convertvector(overlap, NativeDouble) / N, q2 = q * q;
        put(task.moments->overlap2 + lane, q2);
        put(task.moments->overlap4 + lane, q2 * q2);
    }
}

void lane_modes(const ModeTask& task) {
    for (int lane = 0; lane < 128; lane += word_lanes64)
        for (int family = 0; family + 1 < replicon_modes(task.dimension); ++family) {
            const auto mode = family_mode(task, family, lane);
            double* const to = task.modes + lane;
            if (family == 0) {
                put(to, __builtin_convertvector(mode.total, NativeDouble));
                put(to + 128, NativeDouble{});
            }
            put(to + (family + 1) * 256, mode.re);
            put(to + (family + 1) * 256 + 128, mode.im);
        }
}

void lane_replicon(const RepliconTask& task) {
    const int modes = replicon_modes(task.dimension), R = task.replicas;
    const double N = sites_of(task.L, task.dimension);
    for (int lane = 0; lane < 128; lane += word_lanes64)
        for (int k = 0; k < 3; ++k) {
            const RepliconModes range = replicon_modes_of(k, task.dimension);
            NativeDouble sum{};
            for (int mode = range.first; mode < range.end; ++mode) {
                const auto part = [&](int a, int b, int imaginary) {
                    const int at = (pair_number(R, a, b) * modes + mode) * 2 + imaginary;
                    return *reinterpret_cast<const NativeDouble*>(task.modes + at * 128 + lane);
                };
                sum = sum + replicon<NativeDouble>(
                                R, [&](int a, int b) { return part(a, b, 0); },
                                [&](int a, int b) { return part(a, b, 1); });
            }
            put(task.replicon + k * 128 + lane, sum / (range.end - range.first) / (N * N));
        }
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::OverlapKernels psflip::OverlapKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::count_overlap, PSFLIP_SIMD_LEVEL::lane_moments, PSFLIP_SIMD_LEVEL::lane_modes,
    PSFLIP_SIMD_LEVEL::lane_replicon};
