#include "bench/vector_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bench/median_time.hpp"
#include "bench/slab_benchmark.hpp"
#include "sweep/vector/vector_ensemble.hpp"

namespace psflip {
namespace {

/// Returns a model with arbitrary constants of usual size.
ModelSection perovskite() {
    ModelSection model = heisenberg();
    model.boundary = Boundary::open;
    model.exchange = {-0.3, -0.6, -1.0};
    model.dm_pattern = DmPattern::alternating;
    model.dm = {0.01, -0.02, 0.02};
    model.anisotropy = {0.005, 0.005};
    model.field = 0.01;
    model.moments = {0.6, 1.0};
    model.concentration = 0.5;
    return model;
}

VectorSetup setup_of(const VectorBenchmarkCase& which) {
    VectorSetup setup;
    setup.L = which.L, setup.realizations = which.lattices, setup.betas = {which.beta}, setup.seed = 1;
    setup.precision = which.precision;
    setup.tile = which.tile, setup.hits = which.hits, setup.tile_order = which.tile_order;
    std::string name = which.model;
    int dimension = 3;
    if (name.ends_with("2d")) name.resize(name.size() - 2), dimension = 2;
    if (name == "ising-glass") {
        setup.model = gaussian_glass(dimension);
        draw_disorder(setup);
        return setup;
    }
    ModelSection model = name == "perovskite" || name == "canted" ? perovskite() : heisenberg();
    if (name == "canted") model.anisotropy = {0.0, 0.0};
    model.dimension = dimension;
    setup.model = model;
    if (name == "glass") {
        VectorSetup drawn = setup;
        drawn.model = gaussian_glass(dimension);
        draw_disorder(drawn);
        setup.couplings = drawn.couplings;
    } else {
        draw_disorder(setup);
    }
    return setup;
}

std::unique_ptr<VectorEnsemble> ensemble_of(const BackendChoice& choice, const VectorSetup& setup,
                                            [[maybe_unused]] int sites_of_thread,
                                            Ranks& ranks = single_rank()) {
#if PSFLIP_HAVE_CUDA
    check_setup(setup);
    if (choose_backend(choice) == Backend::cuda)
        return make_vector_ensemble_cuda(setup, choice.device, sites_of_thread, ranks, choice.halo);
#endif
    return make_vector_ensemble(choice, setup, ranks);
}

BenchRow case_row(const std::string& series, const VectorBenchmarkCase& setup) {
    BenchRow row(series);
    row.add("model", setup.model)
        .add("update", name(setup.update))
        .add("precision", name(setup.precision))
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("lattices", setup.lattices)
        .add("tile", setup.tile)
        .add("hits", setup.hits)
        .add("tile_order", name(setup.tile_order));
    return row;
}

}  // namespace

const std::vector<std::string>& vector_benchmark_models() {
    static const std::vector<std::string> models{"ferromagnet", "perovskite",    "canted",       "glass",
                                                 "ising-glass", "ferromagnet2d", "perovskite2d", "canted2d",
                                                 "glass2d",     "ising-glass2d"};
    return models;
}

bool vector_benchmark_can(const VectorBenchmarkCase& which) {
    const bool linear =
        which.update == VectorUpdate::heat_bath || which.update == VectorUpdate::over_relaxation;
    const bool moves = which.update == VectorUpdate::cone || which.update == VectorUpdate::over_relaxation;
    const bool open = which.model.starts_with("perovskite") || which.model.starts_with("canted");
    return !(linear && which.model.starts_with("perovskite")) && !(open && which.tile > 0) &&
           !((moves || which.precision == Precision::fast) && which.model.starts_with("ising"));
}

namespace {

void check_benchmark_model(const std::string& model) {
    const auto& models = vector_benchmark_models();
    if (std::find(models.begin(), models.end(), model) == models.end())
        throw InputError(fmt::format("model '{}' is unknown; use {}", model, fmt::join(models, ", ")));
}

}  // namespace

std::vector<VectorLengths> vector_lengths(const BackendChoice& choice, const VectorBenchmarkCase& which,
                                          std::int64_t most) {
    check_benchmark_model(which.model);
    const VectorSetup setup = setup_of(which);
    const auto ensemble = ensemble_of(choice, setup, which.sites_of_thread);
    ensemble->set_spins(random_spins(setup));
    std::vector<VectorLengths> rows;
    std::int64_t done = 0;
    for (std::int64_t sweeps = which.hits; sweeps <= most; sweeps *= 2) {
        ensemble->sweep(which.update, done, static_cast<int>(sweeps - done));
        done = sweeps;
        const std::vector<double> spins = ensemble->spins();
        const auto sites = static_cast<std::size_t>(setup.sites());
        VectorLengths row{which, ensemble->description(), sweeps};
        for (std::size_t first = 0; first < spins.size(); first += 3 * sites)
            for (std::size_t i = first; i < first + sites; ++i) {
                const double off = std::abs(std::hypot(spins[i], spins[i + sites], spins[i + 2 * sites]) - 1);
                row.mean += off * 3 / static_cast<double>(spins.size());
                row.largest = std::max(row.largest, off);
            }
        rows.push_back(row);
    }
    return rows;
}

BenchRow vector_row(const VectorLengths& r) {
    BenchRow row = case_row("lengths", r.setup);
    row.add("sweeps", r.sweeps).add("mean", r.mean).add("largest", r.largest).add("device", r.device);
    return row;
}

VectorBenchmarkResult time_vectors(const BackendChoice& choice, const VectorBenchmarkCase& which,
                                   const BenchmarkTiming& timing, Ranks& ranks) {
    check_benchmark_model(which.model);
    const VectorSetup setup = slab_of_rank(setup_of(which), ranks);
    const auto ensemble = ensemble_of(choice_of_rank(choice, ranks), setup, which.sites_of_thread, ranks);
    ensemble->set_spins(random_spins(setup));
    std::int64_t sweep = 0;
    const auto steps = [&](int count) {
        ensemble->sweep(which.update, sweep, count * which.hits);
        ensemble->synchronize();
        sweep += std::int64_t{count} * which.hits;
    };
    const double spins = static_cast<double>(setup.states() * setup.sites());
    steps(10);
    ensemble->take_renewed();
    const std::int64_t before = sweep;
    const MedianTime found = median_time(steps, timing, ranks);
    double renewed = 0;
    for (std::uint64_t count : ensemble->take_renewed()) renewed += static_cast<double>(count);
    const MedianTime sums = median_time(
        [&](int count) {
            for (int i = 0; i < count; ++i) ensemble->sums();
        },
        timing, ranks);
    return {which,
            ensemble->description(),
            1e9 * found.seconds / (spins * which.hits),
            found.spread,
            renewed / (spins * static_cast<double>(sweep - before)),
            1e9 * sums.seconds / spins,
            ranks.size(),
            choice.halo};
}

BenchRow vector_row(const VectorBenchmarkResult& r) {
    BenchRow row = case_row("vectors", r.setup);
    row.add("slabs", r.slabs)
        .add("halo", r.halo)
        .add("ns_per_spin", r.ns_per_spin)
        .add("spread", r.spread)
        .add("renewed", r.renewed)
        .add("ns_of_sums", r.ns_of_sums)
        .add("device", r.device);
    return row;
}

}  // namespace psflip
