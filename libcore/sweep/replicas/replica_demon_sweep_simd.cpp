// Sweeps by the demon dynamics where lanes are replicas: compiled once per instruction set (see
// word/word_simd.hpp).
//
// Operations per 512 spins in three dimensions: 27 logic operations, 13 loads and 1 store. A demon takes one
// random number: some three Philox calls of 120 operations per 512 lanes and demon_sites spins.

#include <algorithm>

#include "sweep/cpu/demon_draw_simd.hpp"
#include "sweep/cpu/plane_source_simd.hpp"
#include "sweep/demon_rule.hpp"
#include "sweep/replicas/replica_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Draws demons of one realization.
class ReplicaDemonSource {
    const ReplicaSweepTask& task_;
    const ReplicaTables& tables_;
    const PhiloxKeys keys_;
    const unsigned period_;  ///< words
    const std::uint32_t period_sites_;
    const Native64 pack_;
    std::uint32_t sweep_low_ = 0;
    alignas(64) std::uint32_t fields_[240];  ///< (word of the period)

    Counter counter(std::int64_t sweep, std::uint32_t word) const {
        return make_counter(Purpose::replica_demon, 0, sweep, word, 0, 0, task_.realization);
    }

  public:
    explicit ReplicaDemonSource(const ReplicaSweepTask& task)
        : task_(task),
          tables_(*task.tables),
          keys_(task.key),
          period_(task.layout.period()),
          period_sites_(2 * period_ / task.layout.words()),
          pack_(broadcast32(counter(0, 0).pack_purpose)) {}

    void begin(std::int64_t sweep) {
        sweep_low_ = static_cast<std::uint32_t>(sweep);
        for (unsigned i = 0; i < period_; ++i) fields_[i] = counter(sweep, tables_.word[i]).fields;
    }

    /// Returns the demons of the chains that begin in the words from number `at` of a row on. first_site: of
    /// the row.
    Demons<Word> draw(std::uint32_t first_site, unsigned at) const {
        constexpr unsigned unit = ReplicaLayout::unit, words = ReplicaLayout::max_words;
        const unsigned in_period = at % period_;
        const Native32 sites =
            load_numbers(tables_.site.data() + in_period) + (first_site + at / period_ * period_sites_);
        const std::uint32_t* const early = tables_.early.data() +
                                           in_period / unit * unit * ReplicaTables::early_planes * max_demon +
                                           in_period % unit;
        Word below[max_demon];
        const Native64 site = (Native64)sites, sweep = broadcast64(sweep_low_),
                       fields = load32(fields_ + in_period).v;
        draw_below(
            keys_,
            [&](int call, PhiloxLanes& even, PhiloxLanes& odd) {
                const Native64 all =
                    fields | broadcast32(make_counter(Purpose{}, 0, 0, 0, 0, call, 0).fields);
                even = {site, sweep, all, pack_};
                odd = {site >> 32, sweep, all >> 32, pack_ >> 32};
            },
            [&](int k, int c) {
                const int plane = k * max_demon + c;
                if (k < ReplicaTables::early_planes) return load32(early + plane * unit);
                return Word{(Native64)lookup(tables_.late.data() + plane * words,
                                             load_numbers(tables_.word.data() + in_period))};
            },
            below);
        return demons_of(below[0], below[1], below[2]);
    }
};

/// Updates a register of words, number `at` of a row.
template <int Degree>
inline Word updated_word(const ReplicaRow<Degree>& row, int at, Demons<Word>& demons) {
    const Word own = load32(row.own + at);
    Word e[Degree];
#pragma GCC unroll 6
    for (int k = 0; k < Degree; ++k) e[k] = row.template unsatisfied<false>(own, k, at);
    return demon_updated_spin(own, e, demons);
}

/// Sweeps the chains of a bundle.
template <int Degree>
__attribute__((flatten)) void sweep_chains(const ReplicaSweepTask& task, const ReplicaRows& rows,
                                           const DemonChains& chains, const ReplicaDemonSource& source,
                                           int colour, int bundle) {
    constexpr int max_registers = 16;  // registers of a row at a time
    const int first_y = chains.first_y(bundle), first_z = chains.first_z(bundle), L = chains.L;
    const auto first_site = static_cast<std::uint32_t>(
        L * (first_y + L * first_z) + (ReplicaLayout::other_is_next(colour, first_y, first_z) ? 1 : 0));
    for (int first = 0; first < rows.words; first += max_registers * word_lanes32) {
        const int end = std::min(rows.words, first + max_registers * word_lanes32);
        Demons<Word> demons[max_registers];
        for (int at = first; at < end; at += word_lanes32)
            demons[(at - first) / word_lanes32] = source.draw(first_site, static_cast<unsigned>(at));
        for (int z = first_z; z < std::min(first_z + chains.planes, chains.depth); ++z)
            for (int y = first_y; y < std::min(first_y + chains.rows, L); ++y) {
                const ReplicaRow<Degree> row(rows, task.spins, task.bonds, nullptr, colour, y, z);
                std::uint32_t* const own = task.spins + (row.own - task.spins);
                for (int at = first; at < end; at += word_lanes32)
                    store32(own + at, updated_word(row, at, demons[(at - first) / word_lanes32]));
            }
    }
}

template <int Degree>
void demon_sweep_of(const ReplicaSweepTask& task) {
    const ReplicaRows rows(task.layout);
    const DemonChains chains = DemonChains::of(task.layout.L, task.layout.depth, task.rule.demon_sites);
    ReplicaDemonSource source(task);
    const std::int64_t end = task.first_half_sweep + task.half_sweeps;
    for (std::int64_t half = task.first_half_sweep; half < end; ++half) {
        source.begin(half / 2);
        for (int bundle = task.begin; bundle < task.end; ++bundle)
            sweep_chains<Degree>(task, rows, chains, source, static_cast<int>(half % 2), bundle);
    }
}

}  // namespace

void demon_replica_sweep(const ReplicaSweepTask& task) {
    if (task.rule.degree == 6)
        demon_sweep_of<6>(task);
    else
        demon_sweep_of<4>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
