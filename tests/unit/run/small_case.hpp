#pragma once

#include <string>

#include "config/config.hpp"
#include "disorder/couplings.hpp"
#include "run/batch.hpp"

namespace psflip {

/// Returns the parameters of a run that takes milliseconds but needs all code: an incomplete last pack,
/// exchanges, and measurements at other sweeps than exchanges.
inline Parameters small_parameters(int replicas = 2, int share = 32) {
    Parameters p = parameters_for(default_config(), 4);
    p.seed = 11;
    p.temperatures = {0.8, 1.1, 1.5, 2.1};
    p.replicas = replicas;
    p.multispin.share = share;
    p.dynamics.sweeps_per_swap = 5;
    p.thermalize_sweeps = 33;
    p.run_sweeps = 120;
    p.run.measure_every = 10;
    p.run.blocks = 4;
    p.run.snapshots = 2;
    p.run.histogram_bins = 10;
    return p;
}

/// Returns a batch of 70 realizations with these parameters, without a file.
inline Batch small_batch(const Parameters& p) {
    Batch batch;
    batch.shape = batch_shape(p, 64, 70);
    if (p.multispin.share == 128) batch.shape.first_realization = 128;
    batch.couplings =
        generate_couplings({p.seed, {.p_ferro = p.model.p_ferro}, p.L}, batch.shape.first_realization, 70, 1);
    batch.identity = {batch.shape.first_realization, 70, p.L, p.physics_yaml(),
                      couplings_hash(batch.couplings)};
    return batch;
}

inline BackendChoice one_thread() {
    return {"cpu", 1, 0};
}

}  // namespace psflip
