// Energies, magnetisations and numbers of exchanges, and the table of kernels: compiled once per instruction
// set (see word/word_simd.hpp).

#include "config/limits.hpp"
#include "random/philox_simd.hpp"
#include "sweep/cpu/lattice_view_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_sweep(const SweepTask& task);
void class_sweep(const SweepTask& task);
void demon_sweep(const SweepTask& task);
void houdayer(const HoudayerTask& task);

namespace {

/// Bonds of the largest lattice.
constexpr long long bonds_up_to(int dimension) {
    constexpr long long L = limits::max_L;
    return dimension * L * L * (dimension == 3 ? L : 1);
}

/// Every bond joins a red and a black site: the bonds of the red sites are all bonds once.
template <int Degree, bool Absent, int Planes>
void energy_with(const EnergyTask& task) {
    const Lattice lattice(task.lattice);
    for (int reg = 0; reg < registers; ++reg) {
        const LatticeView view{task.spins + reg * word_slots * 2, task.couplings, task.absent,
                               2 * lattice.colour_sites};
        BufferedCounter<Planes> unsatisfied;
        for (int w = lattice.first_plane(0); w < lattice.end; w += lattice.step)
            for (int v = 0; v < lattice.L; ++v) {
                const Row row = lattice.row(0, v, w);
                for (int h = 0; h < lattice.length; ++h) {
                    Word e[Degree];
                    if constexpr (Absent)
                        view.present_unsatisfied(row, view.spin(row.own + h), h, lattice.length, e);
                    else
                        view.unsatisfied(row, view.spin(row.own + h), h, lattice.length, e);
                    unsatisfied.add(e);
                }
            }
        unsatisfied.flush();
        unpack_counter(unsatisfied.total, task.unsatisfied + reg * word_slots * 128);
    }
}

void energy(const EnergyTask& task) {
    constexpr int cubic = planes_for(bonds_up_to(3)), square = planes_for(bonds_up_to(2));
    if (task.dimension == 2)
        return task.absent ? energy_with<4, true, square>(task) : energy_with<4, false, square>(task);
    if (task.absent) return energy_with<6, true, cubic>(task);
    if (task.lattice.L <= 8)
        energy_with<6, false, planes_for(3 * 8 * 8 * 8)>(task);
    else if (task.lattice.L <= 16)
        energy_with<6, false, planes_for(3 * 16 * 16 * 16)>(task);
    else
        energy_with<6, false, cubic>(task);
}

/// The own sites of a colour lie together; their number is a multiple of two.
void up(const UpTask& task) {
    const HeldLattice& held = task.lattice;
    const std::int64_t plane = std::int64_t{held.L} * held.L / 2, sites = plane * (held.end - held.begin);
    for (int reg = 0; reg < registers; ++reg) {
        const std::uint64_t* spins = task.spins + reg * word_slots * 2;
        BufferedCounter<planes_for(bonds_up_to(3) / 3)> ups;
        for (int colour = 0; colour < 2; ++colour) {
            const std::int64_t begin = colour * held.colour_sites() + plane * held.begin;
            for (std::int64_t site = begin; site < begin + sites; site += 2) {
                Word s[2];
                for (int i = 0; i < 2; ++i) s[i] = load(spins + (site + i) * 2 * slots_per_word);
                ups.add(s);
            }
        }
        ups.flush();
        unpack_counter(ups.total, task.up + reg * word_slots * 128);
    }
}

void exchange_random(const ExchangeRandomTask& task) {
    const PhiloxKeys keys(task.key);
    for (int j = 0; j < task.pairs; j += 4)
        for (int first = 0; first < 128; first += word_lanes64) {
            const Counter base = make_counter(Purpose::exchange, 0, task.sweep, j / 4, task.replica, 0, 0);
            alignas(64) std::uint64_t pack[word_lanes64];
            for (int lane = 0; lane < word_lanes64; ++lane)
                pack[lane] = base.pack_purpose | ((task.first_realization + first + lane) & 0xFFFFFFu);
            PhiloxLanes c[1] = {{broadcast64(0), broadcast64(base.sweep_low), broadcast64(base.fields),
                                 *reinterpret_cast<Native64*>(pack)}};
            run_rounds(0, philox_rounds, c, keys);
            const Native64 word[4] = {c[0].c0, c[0].c1, c[0].c2, c[0].c3};
            for (int w = 0; w < 4; ++w)
                for (int lane = 0; lane < word_lanes64; ++lane)
                    task.numbers[(j + w) * 128 + first + lane] = static_cast<std::uint32_t>(word[w][lane]);
        }
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::SimdKernels psflip::SimdKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::plain_sweep, PSFLIP_SIMD_LEVEL::class_sweep, PSFLIP_SIMD_LEVEL::demon_sweep,
    PSFLIP_SIMD_LEVEL::energy,      PSFLIP_SIMD_LEVEL::up,          PSFLIP_SIMD_LEVEL::exchange_random,
    PSFLIP_SIMD_LEVEL::houdayer};
