#include "bench/vector_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/version.hpp"
#include "bench/median_time.hpp"
#include "io/provenance.hpp"
#include "sweep/vector/vector_ensemble.hpp"

namespace psflip {
namespace {

/// Constants of no substance, of the size that such crystals have.
Heisenberg perovskite() {
    Heisenberg model;
    model.boundary = Boundary::open;
    model.exchange = {-0.3, -0.6, -1.0};
    model.dm_pattern = DmPattern::alternating;
    model.dm = {0.01, -0.02, 0.02};
    model.anisotropy = {0.005, 0.005};
    model.field = 0.01;
    model.moment = {0.6, 1.0};
    model.concentration = 0.5;
    return model;
}

VectorSetup setup_of(const VectorBenchmarkCase& which) {
    VectorSetup setup;
    setup.L = which.L, setup.realizations = which.lattices, setup.betas = {1.0}, setup.seed = 1;
    setup.precision = which.precision;
    std::string name = which.model;
    int dimension = 3;
    if (name.ends_with("2d")) name.resize(name.size() - 2), dimension = 2;
    if (name == "ising-glass") {
        setup.model = GaussianGlass{.dimension = dimension};
        draw_disorder(setup);
        return setup;
    }
    Heisenberg model = name == "perovskite" || name == "canted" ? perovskite() : Heisenberg{};
    if (name == "canted") model.anisotropy = {};
    model.dimension = dimension;
    setup.model = model;
    if (name == "glass") {
        VectorSetup drawn = setup;
        drawn.model = GaussianGlass{.dimension = dimension};
        draw_disorder(drawn);
        setup.couplings = drawn.couplings;
    } else {
        draw_disorder(setup);
    }
    return setup;
}

std::unique_ptr<VectorEnsemble> ensemble_of(const BackendChoice& choice, const VectorSetup& setup,
                                            [[maybe_unused]] int sites_of_thread) {
#if PSFLIP_HAVE_CUDA
    check_setup(setup);
    if (choose_backend(choice) == Backend::cuda)
        return make_vector_ensemble_cuda(setup, choice.device, sites_of_thread);
#endif
    return make_vector_ensemble(choice, setup);
}

std::string vector_line(const VectorBenchmarkResult& r) {
    const VectorBenchmarkCase& s = r.setup;
    return fmt::format(
        R"({{"series": "vectors", "model": "{}", "update": "{}", "precision": "{}", "L": {}, "lattices": {}, "sites_of_thread": {}, )"
        R"("ns_per_spin": {:.5g}, "spread": {:.3g}, "renewed": {:.4g}, "ns_of_sums": {:.4g}, "commit": "{}", )"
        R"("date": "{}", "device": "{}"}})",
        s.model, name(s.update), name(s.precision), s.L, s.lattices, s.sites_of_thread, r.ns_per_spin,
        r.spread, r.renewed, r.ns_of_sums, git_commit(), utc_now(), r.device);
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
    return !(linear && which.model.starts_with("perovskite")) &&
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
    for (std::int64_t sweeps = 1; sweeps <= most; sweeps *= 2) {
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

std::string vector_lengths_json(const std::vector<VectorLengths>& rows) {
    std::string text = "[";
    for (const VectorLengths& r : rows)
        text += fmt::format(
            R"({}{{"series": "lengths", "model": "{}", "update": "{}", "precision": "{}", "L": {}, "lattices": {}, )"
            R"("sweeps": {}, "mean": {:.5g}, "largest": {:.5g}, "commit": "{}", "date": "{}", "device": "{}"}})",
            text.size() > 1 ? ",\n  " : "\n  ", r.setup.model, name(r.setup.update), name(r.setup.precision),
            r.setup.L, r.setup.lattices, r.sweeps, r.mean, r.largest, git_commit(), utc_now(), r.device);
    return text + "\n]\n";
}

VectorBenchmarkResult time_vectors(const BackendChoice& choice, const VectorBenchmarkCase& which,
                                   const BenchmarkTiming& timing) {
    check_benchmark_model(which.model);
    const VectorSetup setup = setup_of(which);
    const auto ensemble = ensemble_of(choice, setup, which.sites_of_thread);
    ensemble->set_spins(random_spins(setup));
    std::int64_t sweep = 0;
    const auto sweeps = [&](int count) {
        ensemble->sweep(which.update, sweep, count);
        ensemble->synchronize();
        sweep += count;
    };
    const double spins = static_cast<double>(setup.states() * setup.sites());
    sweeps(10);
    ensemble->take_renewed();
    const std::int64_t before = sweep;
    const MedianTime found = median_time(sweeps, timing);
    double renewed = 0;
    for (std::uint64_t count : ensemble->take_renewed()) renewed += static_cast<double>(count);
    const MedianTime sums = median_time(
        [&](int count) {
            for (int i = 0; i < count; ++i) ensemble->sums();
        },
        timing);
    return {which,
            ensemble->description(),
            1e9 * found.seconds / spins,
            found.spread,
            renewed / (spins * static_cast<double>(sweep - before)),
            1e9 * sums.seconds / spins};
}

std::string vector_benchmark_json(const std::vector<VectorBenchmarkResult>& results) {
    std::string text = "[";
    for (const auto& r : results) text += (text.size() > 1 ? ",\n  " : "\n  ") + vector_line(r);
    return text + "\n]\n";
}

}  // namespace psflip
