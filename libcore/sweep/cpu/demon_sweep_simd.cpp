// Sweeps by the demon dynamics (sweep/demon_rule.hpp): compiled once per instruction set.
//
// Operations per 512 spins in three dimensions: 21 logic operations, 15 loads and 3 stores. A demon takes one
// random number: some three Philox calls of 120 operations per 512 lanes and demon_sites spins.

#include "random/philox_simd.hpp"
#include "sweep/cpu/lattice_view_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "sweep/demon_rule.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Draws demons of one lattice group.
class DemonSource {
    static constexpr int lanes = 16;                         ///< 32-lane groups of a 512-bit word
    alignas(64) std::uint32_t plane_[32][max_demon][lanes];  ///< of the thresholds: 0 or ~0
    alignas(64) std::uint32_t fields_[lanes], pack_[lanes];
    const PhiloxKeys keys_;
    std::uint32_t sweep_low_ = 0;
    const SweepTask& task_;

  public:
    explicit DemonSource(const SweepTask& task) : keys_(task.key), task_(task) {
        for (int lane = 0; lane < lanes; ++lane) {
            pack_[lane] = make_counter(Purpose::demon, 0, 0, 0, 0, 0, task.first_realization / 32 + lane % 4)
                              .pack_purpose;
            for (int k = 0; k < 32; ++k)
                for (int c = 0; c < max_demon; ++c)
                    plane_[k][c][lane] = 0u - (task.thresholds[4 * c + lane / 4] >> (31 - k) & 1u);
        }
    }

    void begin(std::int64_t sweep) {
        sweep_low_ = static_cast<std::uint32_t>(sweep);
        for (int lane = 0; lane < lanes; ++lane)
            fields_[lane] =
                make_counter(Purpose::demon, 0, sweep, task_.first_slot + lane / 4, task_.replica, 0, 0)
                    .fields;
    }

    /// Returns the demons of a chain by the number of its first site. Compares planes of the random number
    /// with planes of the thresholds, call by call, until no lane of the register is undecided.
    Demons<Word> draw(std::uint32_t site, int reg) const {
        const Native64 sites = broadcast64(site), sweep = broadcast64(sweep_low_);
        const Native64 pack = load32(pack_ + reg * word_lanes32).v,
                       all = load32(fields_ + reg * word_lanes32).v;
        Word below[max_demon]{}, open[max_demon];
        for (Word& lanes_left : open) lanes_left = ~Word{};
        for (int call = 0; call < 8; ++call) {
            const Native64 fields = all | broadcast32(make_counter(Purpose{}, 0, 0, 0, 0, call, 0).fields);
            PhiloxLanes c[2] = {{sites, sweep, fields, pack}, {sites, sweep, fields >> 32, pack >> 32}};
            run_rounds(0, philox_rounds - 1, c, keys_);
            Word plane[4];
            last_round(c[0], c[1], keys_, plane);
            for (int t = 0; t < max_demon; ++t) {
                Word less{}, equal = open[t];
#pragma GCC unroll 4
                for (int k = 3; k >= 0; --k) {
                    const Word bits = load32(plane_[4 * call + k][t] + reg * word_lanes32);
                    less = borrow(less, bits, plane[k]);
                    equal = and_equal(equal, bits, plane[k]);
                }
                below[t] = or_and(below[t], less, open[t]);
                open[t] = equal;
            }
            if (!any(or3(open[0], open[1], open[2]))) break;
        }
        return demons_of(below[0], below[1], below[2]);
    }
};

/// Sweeps the chains of one segment and layer whose h is h_begin to h_end - 1.
template <int Degree>
void sweep_chains(const SweepTask& task, const Lattice& lattice, const DemonChains& chains,
                  const DemonSource& source, int colour, int first_y, int first_z, int h_begin, int h_end) {
    Demons<Word> demons[chunk_sites][registers];
    const Row first = lattice.row(colour, first_y, first_z);
    for (int h = h_begin; h < h_end; ++h)
        for (int reg = 0; reg < registers; ++reg)
            demons[h - h_begin][reg] = source.draw(lattice.site(first, h), reg);
    for (int z = first_z; z < first_z + chains.planes && z < chains.depth; ++z)
        for (int y = first_y; y < first_y + chains.rows && y < chains.L; ++y) {
            const Row row = lattice.row(colour, y, z);
            for (int h = h_begin; h < h_end; ++h)
#pragma GCC unroll 4
                for (int reg = 0; reg < registers; ++reg) {
                    std::uint64_t* spins = task.spins + reg * word_slots * 2;
                    const LatticeView view{spins, task.couplings, nullptr, 2 * lattice.colour_sites};
                    const Word own = view.spin(row.own + h);
                    Word e[Degree];
                    view.unsatisfied(row, own, h, lattice.length, e);
                    store(spins + (row.own + h) * 2 * slots_per_word,
                          demon_updated_spin(own, e, demons[h - h_begin][reg]));
                }
        }
}

template <int Degree>
void demon_sweep_of(const SweepTask& task) {
    const Lattice lattice(task.lattice);
    const DemonChains chains = DemonChains::of(lattice.L, task.lattice.depth, task.rule.demon_sites);
    DemonSource source(task);
    for (std::int64_t half = task.first_half_sweep; half < task.first_half_sweep + task.half_sweeps; ++half) {
        source.begin(half / 2);
        for (int z = 0; z < chains.depth; z += chains.planes)
            for (int y = 0; y < chains.L; y += chains.rows)
                for (int h = 0; h < lattice.length; h += chunk_sites)
                    sweep_chains<Degree>(task, lattice, chains, source, static_cast<int>(half % 2), y, z, h,
                                         h + chunk_sites < lattice.length ? h + chunk_sites : lattice.length);
    }
}

}  // namespace

void demon_sweep(const SweepTask& task) {
    if (task.rule.degree == 6)
        demon_sweep_of<6>(task);
    else
        demon_sweep_of<4>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
