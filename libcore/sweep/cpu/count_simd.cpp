// Energies, magnetisations and numbers of exchanges, and the table of kernels: compiled once per instruction
// set (see word/word_simd.hpp).

#include "random/philox_simd.hpp"
#include "sweep/cpu/kernels_simd.hpp"
#include "sweep/cpu/lattice_view_simd.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Every bond joins a red and a black site: the bonds of the red sites are all bonds once.
template <int Degree, bool Absent, int Planes>
void energy_with(const EnergyTask& task) {
    const Lattice lattice(task.L, Degree == 6 ? task.L : 1);
    for (int reg = 0; reg < registers; ++reg) {
        const LatticeView view{task.spins + reg * word_slots * 2, task.couplings, task.absent,
                               2 * lattice.colour_sites};
        BufferedCounter<Planes> unsatisfied;
        for (int z = 0; z < lattice.depth; ++z)
            for (int y = 0; y < lattice.L; ++y) {
                const Row row = lattice.row(0, y, z);
                for (int h = 0; h < lattice.half; ++h) {
                    Word e[Degree];
                    if constexpr (Absent)
                        view.present_unsatisfied(row, view.spin(row.own + h), h, lattice.half, e);
                    else
                        view.unsatisfied(row, view.spin(row.own + h), h, lattice.half, e);
                    unsatisfied.add(e);
                }
            }
        unsatisfied.flush();
        unpack_counter(unsatisfied.total, task.unsatisfied + reg * word_slots * 128);
    }
}

void energy(const EnergyTask& task) {
    constexpr int cubic = planes_for(3LL * 256 * 256 * 256), square = planes_for(2LL * 1024 * 1024);
    if (task.dimension == 2)
        return task.absent ? energy_with<4, true, square>(task) : energy_with<4, false, square>(task);
    if (task.absent) return energy_with<6, true, cubic>(task);
    if (task.L <= 8)
        energy_with<6, false, planes_for(3 * 8 * 8 * 8)>(task);
    else if (task.L <= 16)
        energy_with<6, false, planes_for(3 * 16 * 16 * 16)>(task);
    else
        energy_with<6, false, cubic>(task);
}

/// The number of sites is a multiple of four.
void up(const UpTask& task) {
    for (int reg = 0; reg < registers; ++reg) {
        const std::uint64_t* spins = task.spins + reg * word_slots * 2;
        BufferedCounter<planes_for(256LL * 256 * 256)> ups;
        for (std::int64_t site = 0; site < task.sites; site += 4) {
            Word s[4];
            for (int i = 0; i < 4; ++i) s[i] = load(spins + (site + i) * 2 * slots_per_word);
            ups.add(s);
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

const SimdKernels kernels = {plain_sweep, class_sweep, energy, up, exchange_random};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
