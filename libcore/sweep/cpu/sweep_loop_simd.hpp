#pragma once

// Updates sites by any rule, chunk by chunk (lattice/neighbours_simd.hpp). Two buffers hold the random
// numbers of this chunk and of the next chunk. The functions are static and called once, so that the compiler
// inlines them.

#include "sweep/cpu/independent_source_simd.hpp"
#include "sweep/cpu/shared_source_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

template <class Source>
static void update_row(const SweepTask& task, const Lattice& lattice, Source& source, const Chunk& chunk,
                       int v, int buffer) {
    using Rule = typename Source::Rule;
    const Row row = lattice.row(chunk.colour, v, chunk.w);
    const int first = (v - chunk.v_begin) * lattice.length - chunk.h_begin;
    for (int h = chunk.h_begin; h < chunk.h_end; ++h)
#pragma GCC unroll 4
        for (int reg = 0; reg < registers; ++reg) {
            std::uint64_t* spins = task.spins + reg * word_slots * 2;
            const LatticeView view{spins, task.couplings, task.absent, 2 * lattice.colour_sites};
            const Word own = view.spin(row.own + h);
            const typename Rule::Site site = Rule::read(view, own, row, h, lattice.length);
            store(spins + (row.own + h) * 2 * slots_per_word,
                  source.update(own, site, row, h, first + h, reg, buffer));
        }
    source.make_room();
}

/// Makes the random numbers of the next chunk before it updates a chunk, because the processor overlaps both.
template <class Source>
static void sweep_with(const SweepTask& task) {
    const Lattice lattice(task.lattice, task.begin, task.end);
    const std::int64_t end = task.first_half_sweep + task.half_sweeps;
    Chunk next(lattice, task.first_half_sweep);
    if (task.half_sweeps <= 0 || next.w >= lattice.end) return;
    Source source(task, lattice);
    int buffer = 0;
    source.prepare(next, buffer);
    while (next.half_sweep < end) {
        const Chunk chunk = next;
        next.next(lattice);
        if (next.half_sweep < end) source.prepare(next, 1 - buffer);
        source.begin(chunk);
        for (int v = chunk.v_begin; v < chunk.v_end; ++v) update_row(task, lattice, source, chunk, v, buffer);
        if (chunk.ends_colour(lattice)) source.finish();
        buffer = 1 - buffer;
    }
}

/// Sweeps by a rule, with the source of random numbers for the share of the task.
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
