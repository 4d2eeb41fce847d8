#pragma once

// The loop of all rules over the rows of a realization whose lanes are replicas. Its functions are static:
// each is called once, and so becomes a part of its caller.

#include "sweep/replicas/replica_source_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

template <class Source>
static void update_row(const ReplicaSweepTask& task, Source& source, int colour, int v, int w) {
    using Rule = typename Source::Rule;
    const ReplicaLayout& layout = task.layout;
    const ReplicaRow<Rule::degree> row(layout, task.spins, task.bonds, task.absent, colour, v, w);
    const int L = layout.L, period = source.period(), words = row.words;
    auto site =
        static_cast<std::uint32_t>(L * (v + std::int64_t{L} * task.lattice.plane(w)) + row.other_is_next);
    const std::int64_t begin = layout.row(colour, v + L * w);
    for (int start = 0; start < words; start += period, site += source.period_sites()) {
        const int end = words - start < period ? words - start : period;
        for (int at = 0; at < end; at += word_lanes32) {
            const int place = start + at;
            const Word own = load32(row.own + place);
            const typename Rule::Site sites = read_sites(Rule{}, row, own, place);
            store32(task.spins + begin + place,
                    source.update(own, sites, static_cast<std::uint32_t>(begin + place), site, at));
            source.stored();
        }
    }
}

template <class Rule>
static void sweep_rows(const ReplicaSweepTask& task) {
    ReplicaSource<Rule> source(task);
    const int L = task.layout.L;
    const std::int64_t end = task.first_half_sweep + task.half_sweeps;
    for (std::int64_t half = task.first_half_sweep; half < end; ++half) {
        source.begin(half >> 1);
        int v = task.begin % L, w = task.begin / L;
        for (int number = task.begin; number < task.end; ++number) {
            update_row(task, source, static_cast<int>(half & 1), v, w);
            if (++v == L) v = 0, ++w;
        }
        source.finish();
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
