// Measures the snapshots of a run anew (sums_of_snapshots in run_input.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "evolution/move_sampler.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "measure/measurement.hpp"
#include "measure/run_grid.hpp"
#include "measure/stored_sums.hpp"
#include "statistics/thermal/run_input.hpp"

namespace psflip {

namespace {

/// Returns the shape for measurements. These spins have no lane coding, but sizes above 1024 need
/// Lanes::sites. Slabs may have made snapshots of lattices that share 1 cannot hold on one rank. Measurements
/// draw no random numbers, so these lattices take share 32.
Shape shape_of(const RunSums& run, const Parameters& parameters) {
    Shape shape;
    shape.L = run.L;
    shape.replicas = run.replicas;
    shape.temperatures = run.temperatures;
    shape.realizations = run.realizations;
    shape.first_realization = run.first_realization;
    shape.share = parameters.multispin.share;
    shape.dimension = run.model.dimension;
    if (parameters.multispin.lanes == Lanes::sites) shape.coding = Lanes::sites;
    if (shape.coding == Lanes::realizations && shape.share == 1 && shape.sites() > limits::max_held_sites)
        shape.share = 32;
    return shape;
}

void take_sums(BinnedSums& sums, const Accumulators& from) {
    sums.count = from.count;
    for (const SumInfo& row : sum_table)
        if (row.per != Per::walker && row.of(from.measured)) {  // snapshots do not contain walkers
            const std::vector<std::int64_t>& integers = from.integers[static_cast<int>(row.sum)];
            if (row.values.integer)
                sums[row.sum].assign(integers.begin(), integers.end());
            else if (is_stored(row.sum))
                sums[row.sum] = stored_reals(from, row.sum);
        }
}

}  // namespace

void sums_of_snapshots(RunSums& run, const InputFile& file, const Parameters& parameters,
                       const Disorder& disorder, const BackendChoice& choice) {
    if (!file.has(schema::snapshots_spins))
        throw InputError(file.path() + " has no snapshots; make the run with run.snapshots > 0");
    const auto sweeps =
        read_ascending<std::int64_t>(file, schema::snapshots_sweep, {run.run_first + 1, run.run_last});
    const Shape shape = shape_of(run, parameters);
    check_shape(shape);
    Extents extents = canonical_extents(shape);
    extents.insert(extents.begin(), static_cast<std::int64_t>(sweeps.size()));
    file.require_shape(schema::snapshots_spins, extents);
    std::vector<double> betas;
    for (double temperature : run.temperature) betas.push_back(1.0 / temperature);
    Model model = run.model;
    if (model.has_clusters()) model.update = Update::metropolis;
    run.measured.clusters = false;  // snapshots do not contain the clusters of a sweep
    const auto sampler = make_ising_sampler({choice, shape, betas, parameters.seed, disorder.couplings,
                                             parameters.dynamics.sweeps_per_swap, model});
    const RunBins bins{run.blocks.edges};
    const auto measurement =
        make_measurement(*sampler, bins.count(), run.grid.histogram_bins, run.measured.magnetisation);
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        sampler->ensemble().set_held_spins({read_held_spins(shape, [&](const Box& box) {
            return file
                .read_box<std::uint64_t>(schema::snapshots_spins, in_row(static_cast<std::int64_t>(i), box))
                .data;
        })});
        measurement->measure(bins.bin(sweeps[i]));
    }
    const Accumulators sums = measurement->accumulators();
    take_sums(run.blocks, sums);
    if (run.pairs() > 0) run.histogram = sums.histogram;
    run.link_histogram = sums.link_histogram;
    run.lowest_energy = sums.lowest_energy;
    run.lowest_count = sums.lowest_count;
}

}  // namespace psflip
