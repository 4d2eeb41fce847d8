#pragma once

// Loops over the rows of a realization whose lanes are replicas, by any rule. "flatten" inlines all calls: a
// function of the inner loop that is not inlined costs up to half as much again.

#include "sweep/replicas/replica_source_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Names a row of one colour, and the number of the row's site at x = 0.
struct RowCursor {
    const ReplicaSweepTask& task;
    int colour, v, w;
    std::uint32_t first_of_row;

    RowCursor(const ReplicaSweepTask& task_, int colour_)
        : task(task_), colour(colour_), v(task.begin % L()), w(task.begin / L()) {
        begin_plane();
        first_of_row += v * L();
    }
    std::uint32_t first_site() const { return first_of_row + ReplicaLayout::other_is_next(colour, v, w); }
    void advance() {
        first_of_row += L();
        if (++v < L()) return;
        v = 0, ++w;
        begin_plane();
    }

  private:
    int L() const { return task.layout.L; }
    void begin_plane() { first_of_row = static_cast<std::uint32_t>(L() * L()) * task.lattice.plane(w); }
};

/// Updates a row. next_row: the first register of the row that is updated next.
template <class Source>
static void update_row(const ReplicaSweepTask& task, const ReplicaRows& rows, Source& source,
                       const RowCursor& cursor, typename Source::Place next_row) {
    using Rule = typename Source::Rule;
    const ReplicaRow<Rule::degree> row(rows, task.spins, task.bonds, task.absent, cursor.colour, cursor.v,
                                       cursor.w);
    const int words = rows.words;
    const std::int64_t begin = row.own - task.spins;
    typename Source::Place place{0, cursor.first_site()};
    for (int in_row = 0; in_row < words; in_row += word_lanes32) {
        const typename Source::Place next = in_row + word_lanes32 < words ? source.after(place) : next_row;
        store32(task.spins + begin + in_row,
                source.update(row, in_row, static_cast<std::uint32_t>(begin + in_row), place, next));
        source.make_room();
        place = next;
    }
}

/// Does the half sweeps of a task. The random numbers of the first register are made before the loop. While a
/// register is updated, the numbers of the next register are made.
template <class Rule>
__attribute__((flatten)) static void sweep_rows(const ReplicaSweepTask& task) {
    ReplicaSource<Rule> source(task);
    const ReplicaRows rows(task.layout);
    const std::int64_t end = task.first_half_sweep + task.half_sweeps;
    for (std::int64_t half = task.first_half_sweep; half < end; ++half) {
        source.begin(half >> 1);
        RowCursor cursor(task, static_cast<int>(half & 1)), next = cursor;
        source.prepare({0, cursor.first_site()});
        for (int number = task.begin; number < task.end; ++number) {
            next.advance();
            update_row(task, rows, source, cursor, {0, next.first_site()});
            cursor.advance();
        }
        source.finish();
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
