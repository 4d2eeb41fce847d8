#pragma once

#include <string>

#include "config/config.hpp"
#include "disorder/couplings.hpp"
#include "run/batch.hpp"

namespace psflip {

/// A run that takes milliseconds, with everything in it: an incomplete last pack, exchanges, measurements off
/// the exchanges.
inline Parameters small_parameters(int replicas = 2, int share = 32) {
    Parameters p{};
    p.seed = 11;
    p.L = 4;
    p.temperatures = {0.8, 1.1, 1.5, 2.1};
    p.replicas = replicas;
    p.share = share;
    p.p_ferro = 0.5;
    p.sweeps_per_swap = 5;
    p.thermalize_sweeps = 33;
    p.run_sweeps = 120;
    p.measure_every = 10;
    p.blocks = 4;
    p.snapshots = 2;
    p.histogram_bins = 10;
    p.checkpoint_every_seconds = 300.0;
    return p;
}

/// Its batch of 70 realizations, without a file.
inline Batch small_batch(const Parameters& p) {
    Batch batch;
    batch.shape = batch_shape(p, 64, 70);
    if (p.share == 128) batch.shape.first_realization = 128;
    batch.couplings =
        generate_couplings({p.seed, {.p_ferro = p.p_ferro}, p.L}, batch.shape.first_realization, 70, 1);
    batch.identity = {batch.shape.first_realization, 70, p.L, p.physics_yaml(),
                      couplings_hash(batch.couplings)};
    return batch;
}

inline BackendChoice one_thread() {
    return {"cpu", 1, 0};
}

}  // namespace psflip
