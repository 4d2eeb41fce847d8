#pragma once

// The loop of all rules over sites: some rows of a plane and colour at a time, the random numbers of the next
// rows -> buffer; per site: what the rule reads of it -> new spin. Its functions are static: each is called
// once, and so becomes a part of its caller.

#include "sweep/cpu/independent_source_simd.hpp"
#include "sweep/cpu/shared_source_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

template <class Source>
static void update_row(const SweepTask& task, const Lattice& lattice, Source& source, const Chunk& chunk,
                       int y, int buffer) {
    using Rule = typename Source::Rule;
    const Row row = lattice.row(chunk.colour, y, chunk.z);
    constexpr bool whole_rows = Rule::degree == 6;  // in three dimensions a chunk has no parts of rows
    const int begin = whole_rows ? 0 : chunk.h_begin, end = whole_rows ? lattice.half : chunk.h_end;
    const int first = (y - chunk.y_begin) * lattice.half - begin;
    for (int h = begin; h < end; ++h)
#pragma GCC unroll 4
        for (int reg = 0; reg < registers; ++reg) {
            std::uint64_t* spins = task.spins + reg * word_slots * 2;
            const LatticeView view{spins, task.couplings, task.absent, 2 * lattice.colour_sites};
            const Word own = view.spin(row.own + h);
            const typename Rule::Site site = Rule::read(view, own, row, h, lattice.half);
            store(spins + (row.own + h) * 2 * slots_per_word,
                  source.update(own, site, chunk, y, row, h, first + h, reg, buffer));
        }
    source.end_row();
}

/// The numbers of the next chunk are made before a chunk is updated: the processor overlaps the two.
template <class Source>
static void sweep_with(const SweepTask& task) {
    const Lattice lattice(task.L, Source::Rule::degree == 6 ? task.L : 1);
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

/// Sweeps by a rule, with the numbers of the task's share.
template <class Rule>
static void sweep_by(const SweepTask& task) {
    switch (task.share) {
        case 128:
            return sweep_with<SharedSource<Rule, 128>>(task);
        case 64:
            return sweep_with<SharedSource<Rule, 64>>(task);
        case 32:
            return sweep_with<SharedSource<Rule, 32>>(task);
        default:
            return sweep_with<IndependentSource<Rule>>(task);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
