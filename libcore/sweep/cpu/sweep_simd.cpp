// The word kernels of the CPU: compiled once per instruction set (see word/word_simd.hpp), called through
// simd_kernels().
//
// Sweep of one lattice group (4 temperatures x 128 realizations), some rows of a plane and colour at a time:
//   random numbers of the next rows -> buffer; per site: 6 neighbours and 6 couplings -> bond words -> new
//   spin.
// Per 512 spins and without the random numbers: 15 logic operations, 13 loads and 1 store. Shared numbers:
// shared_source_simd.hpp; a number for every spin: independent_source_simd.hpp.

#include "sweep/cpu/independent_source_simd.hpp"
#include "sweep/cpu/shared_source_simd.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Spins of one register of a lattice group, and its column's couplings.
struct View {
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    std::int64_t sites;

    Word spin(std::int64_t site) const { return load(spins + site * 2 * slots_per_word); }
    /// Bond words of the h-th site of a row, whose spin is `own`.
    void bonds(const Row& row, Word own, int h, int half, Word (&e)[6]) const {
        bond_words(
            row, h, half,
            [&](std::int64_t neighbour, int direction, std::int64_t from) {
                return xor3(broadcast128(couplings + (direction * sites + from) * 2), own, spin(neighbour));
            },
            e);
    }
};

template <class Source>
void update_row(const SweepTask& task, const Lattice& lattice, Source& source, const Chunk& chunk, int y,
                int buffer) {
    const Row row = lattice.row(chunk.colour, y, chunk.z);
    const int first = (y - chunk.y_begin) * lattice.half;
    for (int h = 0; h < lattice.half; ++h)
#pragma GCC unroll 4
        for (int reg = 0; reg < registers; ++reg) {
            std::uint64_t* spins = task.spins + reg * word_slots * 2;
            const View view{spins, task.couplings, 2 * lattice.colour_sites};
            const Word own = view.spin(row.own + h);
            Word e[6];
            view.bonds(row, own, h, lattice.half, e);
            store(spins + (row.own + h) * 2 * slots_per_word,
                  source.update(own, e, chunk, y, row, h, first + h, reg, buffer));
        }
    source.end_row();
}

/// The numbers of the next chunk are made before a chunk is updated: the processor overlaps the two.
template <class Source>
void sweep_with(const SweepTask& task) {
    const Lattice lattice(task.L);
    Source source(task, lattice);
    const std::int64_t end = task.first_sweep + task.count;
    if (task.count <= 0) return;
    int buffer = 0;
    Chunk next(lattice, task.first_sweep);
    source.prepare(next, buffer);
    while (next.sweep < end) {
        const Chunk chunk = next;
        next.next(lattice);
        if (next.sweep < end) source.prepare(next, 1 - buffer);
        source.begin(chunk);
        for (int y = chunk.y_begin; y < chunk.y_end; ++y) update_row(task, lattice, source, chunk, y, buffer);
        if (chunk.ends_colour(lattice)) source.end_colour();
        buffer = 1 - buffer;
    }
}

void sweep(const SweepTask& task) {
    switch (task.share) {
        case 128:
            return sweep_with<SharedSource<128>>(task);
        case 64:
            return sweep_with<SharedSource<64>>(task);
        case 32:
            return sweep_with<SharedSource<32>>(task);
        default:
            return sweep_with<IndependentSource>(task);
    }
}

/// Every bond joins a red and a black site: the bonds of the red sites are all bonds once.
template <int Planes>
void energy_with(const EnergyTask& task) {
    const Lattice lattice(task.L);
    for (int reg = 0; reg < registers; ++reg) {
        const View view{task.spins + reg * word_slots * 2, task.couplings, 2 * lattice.colour_sites};
        BufferedCounter<Planes> unsatisfied;
        for (int z = 0; z < lattice.L; ++z)
            for (int y = 0; y < lattice.L; ++y) {
                const Row row = lattice.row(0, y, z);
                for (int h = 0; h < lattice.half; ++h) {
                    Word e[6];
                    view.bonds(row, view.spin(row.own + h), h, lattice.half, e);
                    unsatisfied.add(e);
                }
            }
        unsatisfied.flush();
        unpack_counter(unsatisfied.total, task.unsatisfied + reg * word_slots * 128);
    }
}

void energy(const EnergyTask& task) {
    if (task.L <= 8)
        energy_with<planes_for(3 * 8 * 8 * 8)>(task);
    else if (task.L <= 16)
        energy_with<planes_for(3 * 16 * 16 * 16)>(task);
    else
        energy_with<planes_for(3LL * 256 * 256 * 256)>(task);
}

void exchange_random(const ExchangeRandomTask& task) {
    const PhiloxKeys keys(task.seed);
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

const SimdKernels kernels = {sweep, energy, exchange_random};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
