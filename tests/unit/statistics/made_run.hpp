#pragma once

#include "statistics/binned_sums.hpp"

namespace psflip {

/// Returns a run of L = 2 at T = 2 whose sums are all 0. It has `measurements` measurements, `interval`
/// sweeps apart, in `blocks` equal blocks.
inline RunSums zero_run(const Model& model, int replicas, std::int64_t realizations, int blocks,
                        int measurements, int interval = 1) {
    RunSums run;
    run.L = 2;
    run.model = model;
    run.measured = measured_of(model, false);
    run.replicas = replicas;
    run.temperatures = 1;
    run.temperature = {2.0};
    run.realizations = realizations;
    run.run_last = std::int64_t{interval} * measurements;
    run.blocks.count.assign(blocks, measurements / blocks);
    for (int b = 0; b <= blocks; ++b) run.blocks.edges.push_back(run.run_last / blocks * b);
    for (const SumInfo& row : sum_table)
        run.blocks[row.sum].assign(blocks * run.components(row.sum) * realizations, 0.0);
    return run;
}

}  // namespace psflip
