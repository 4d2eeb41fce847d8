#pragma once

// Updates sites by any rule, chunk by chunk (lattice/neighbours_simd.hpp). Two buffers hold the random
// numbers of this chunk and of the next chunk. The functions are static and called once, so that the compiler
// inlines them.

#include <type_traits>

#include "sweep/cpu/chunk_view_simd.hpp"
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
            const auto site = Rule::read(SiteOfRow{view, row, h, lattice.length}, own);
            store(spins + (row.own + h) * 2 * slots_per_word,
                  source.update(own, site, row, h, first + h, reg, buffer));
        }
    source.make_room();
}

/// Updates the sites of all rows of a chunk in one loop.
template <class Source>
static void update_chunk(const SweepTask& task, const Lattice& lattice, const ChunkPlaces& places,
                         Source& source, const Chunk& chunk, int buffer) {
    using Rule = typename Source::Rule;
    using View = ChunkView<Rule::degree>;
    const View view({task.spins, task.couplings, task.absent, 2 * lattice.colour_sites},
                    lattice.row(chunk.colour, chunk.v_begin, chunk.w), places.of(chunk));
    const int sites = chunk.sites();
    for (int i = 0; i < sites; ++i)
#pragma GCC unroll 4
        for (int reg = 0; reg < registers; ++reg) {
            const typename View::Site at{view, place_unit * i, reg};
            const Word own = load(at.own());
            const typename Rule::Site site = Rule::read(at, own);
            store(at.own(), source.update(own, site, Row{}, 0, i, reg, buffer));
        }
}

/// Makes the random numbers of the next chunk before it updates a chunk, because the processor overlaps both.
template <class Source>
static void sweep_with(const SweepTask& task) {
    const Lattice lattice(task.lattice, task.begin, task.end);
    const std::int64_t end = task.first_half_sweep + task.half_sweeps;
    Chunk next(lattice, task.first_half_sweep);
    if (task.half_sweeps <= 0 || next.w >= lattice.end) return;
    const std::conditional_t<Source::by_chunk, ChunkPlaces, Lattice> places(lattice);
    Source source(task, lattice);
    int buffer = 0;
    source.prepare(next, buffer);
    while (next.half_sweep < end) {
        const Chunk chunk = next;
        next.next(lattice);
        if (next.half_sweep < end) source.prepare(next, 1 - buffer);
        source.begin(chunk);
        if constexpr (Source::by_chunk)
            update_chunk(task, lattice, places, source, chunk, buffer);
        else
            for (int v = chunk.v_begin; v < chunk.v_end; ++v)
                update_row(task, lattice, source, chunk, v, buffer);
        if (chunk.ends_colour(lattice)) source.finish();
        buffer = 1 - buffer;
    }
}

/// Sweeps chunk by chunk if the rows are short, else row by row. With share 32, the class rule takes so long
/// that the loop over chunks gains nothing.
template <class Rule, int Share>
static void sweep_shared(const SweepTask& task) {
    if constexpr (Share > 32 || !Rule::has_always)
        if (ChunkPlaces::fits(Lattice(task.lattice, task.begin, task.end)))
            return sweep_with<SharedSource<Rule, Share, true>>(task);
    sweep_with<SharedSource<Rule, Share, false>>(task);
}

/// Sweeps by a rule, with the source of random numbers for the share of the task.
template <class Rule>
static void sweep_by(const SweepTask& task) {
    switch (task.share) {
        case 128:
            return sweep_shared<Rule, 128>(task);
        case 64:
            return sweep_shared<Rule, 64>(task);
        case 32:
            return sweep_shared<Rule, 32>(task);
        default:
            return sweep_with<IndependentSource<Rule>>(task);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
