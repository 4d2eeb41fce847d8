#include "bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "bench/median_time.hpp"
#include "disorder/couplings.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "lattice/shape.hpp"
#include "measure/measurement.hpp"
#include "run/simulation.hpp"

namespace psflip {
namespace {

constexpr int sweeps_per_swap = 10, swaps_per_measurement = 10;
constexpr std::uint64_t seed = benchmark_seed;
constexpr double square_T_c = 2.269185314, cubic_T_c = 4.511523;  // of the ferromagnet

}  // namespace

namespace {

const BenchmarkModel& benchmark_model(const BenchmarkCase& setup) {
    for (const BenchmarkModel& known : benchmark_models())
        if (known.name == setup.model) return known;
    throw InputError(
        fmt::format("model '{}' is unknown; bench-flip --help lists the models", printable(setup.model)));
}

}  // namespace

const Model& model_of(const BenchmarkCase& setup) {
    return benchmark_model(setup).model;
}

std::int64_t realizations_of(const BenchmarkCase& setup) {
    return setup.realizations > 0 ? setup.realizations : std::int64_t{column_bits} * setup.columns;
}

Shape shape_of(const BenchmarkCase& setup) {
    return {.L = setup.L,
            .replicas = setup.replicas,
            .temperatures = setup.temperatures,
            .realizations = realizations_of(setup),
            .share = setup.share,
            .dimension = model_of(setup).dimension,
            .order = setup.site_order,
            .coding = setup.lanes};
}

std::vector<double> inverse_temperatures(const BenchmarkCase& setup) {
    const int count = setup.temperatures;
    if (const double all = benchmark_model(setup).temperature; all > 0.0)
        return std::vector<double>(static_cast<std::size_t>(count), 1.0 / all);
    if (count == 1) return {1.0 / 1.1};
    std::vector<double> betas;
    for (int t = 0; t < count; ++t) betas.push_back(1.0 / (0.7 + 1.3 * t / (count - 1)));
    return betas;
}

namespace {

/// Times one batch. A round is ten times ten sweeps, in production with exchanges and a measurement. Spins of
/// models that use the plain seed start at -1. With random couplings, this start is as good as a random
/// start.
class Bench {
  public:
    Bench(const BackendChoice& choice, const BenchmarkCase& setup, const std::vector<std::int8_t>& couplings)
        : production_(setup.production), shape_(shape_of(setup)) {
        const auto betas = inverse_temperatures(setup);
        if (production_) {
            sampler_ = make_ising_sampler(
                {choice, shape_, betas, seed, couplings, sweeps_per_swap, model_of(setup)});
            measurement_ = make_measurement(*sampler_, 2, 50);
        } else {
            alone_ = make_ising_ensemble({choice, shape_, betas, seed, couplings, 0, model_of(setup)});
        }
        if (!ensemble().model().uses_plain_seed())
            ensemble().set_spins(random_spins(shape_, ensemble().key()));
    }

    /// Returns the seconds of a number of rounds.
    double time(int rounds) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < rounds; ++i) round();
        ensemble().synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double flips_per_round() const {
        return static_cast<double>(shape_.sites()) * static_cast<double>(shape_.realizations) *
               shape_.replicas * shape_.temperatures * sweeps_per_swap * swaps_per_measurement;
    }
    IsingEnsemble& ensemble() { return production_ ? sampler_->ensemble() : *alone_; }

  private:
    void round() {
        if (production_) {
            sampler_->advance(completed_, completed_ + sweeps_per_swap * swaps_per_measurement);
            measurement_->measure(0);
        } else {
            for (int i = 0; i < swaps_per_measurement; ++i)
                alone_->sweep(completed_ + i * sweeps_per_swap, sweeps_per_swap);
        }
        completed_ += sweeps_per_swap * swaps_per_measurement;
    }

    bool production_;
    Shape shape_;
    std::unique_ptr<IsingEnsemble> alone_;   ///< without exchanges and measurements
    std::unique_ptr<IsingSampler> sampler_;  ///< with exchanges and measurements
    std::unique_ptr<Measurement> measurement_;
    std::int64_t completed_ = 0;
};

}  // namespace

const std::vector<BenchmarkModel>& benchmark_models() {
    static const std::vector<BenchmarkModel> models{
        {"ea3d", {}},
        {"ea2d", {.dimension = 2}},
        {"ferromagnet2d", {.kind = ModelKind::ferromagnet, .dimension = 2}},
        {"ferromagnet3d", {.kind = ModelKind::ferromagnet}},
        {"field2d", {.dimension = 2, .field = 0.5}},
        {"field3d", {.field = 0.5}},
        {"diluted2d", {.dimension = 2, .p_absent = 0.4}},
        {"diluted3d", {.p_absent = 0.4}},
        {"diluted-field3d", {.field = 0.5, .p_absent = 0.4}},
        {"heatbath3d", {.update = Update::heat_bath}},
        {"swendsen-wang2d",
         {.kind = ModelKind::ferromagnet, .dimension = 2, .update = Update::swendsen_wang},
         square_T_c},
        {"swendsen-wang3d", {.kind = ModelKind::ferromagnet, .update = Update::swendsen_wang}, cubic_T_c},
        {"wolff2d",
         {.kind = ModelKind::ferromagnet, .dimension = 2, .update = Update::wolff, .wolff_clusters = 1},
         square_T_c},
        {"wolff3d",
         {.kind = ModelKind::ferromagnet, .update = Update::wolff, .wolff_clusters = 1},
         cubic_T_c},
        {"demon2d", {.dimension = 2, .update = Update::demon, .demon_sites = 16}},
        {"demon3d", {.update = Update::demon, .demon_sites = 16}},
        {"field-demon3d", {.field = 0.5, .update = Update::demon, .demon_sites = 16}},
        {"diluted-demon2d", {.dimension = 2, .p_absent = 0.4, .update = Update::demon, .demon_sites = 16}},
        {"diluted-demon3d", {.p_absent = 0.4, .update = Update::demon, .demon_sites = 16}},
        {"diluted-field-demon3d",
         {.field = 0.5, .p_absent = 0.4, .update = Update::demon, .demon_sites = 16}}};
    return models;
}

std::vector<std::int8_t> benchmark_couplings(const BenchmarkCase& setup, int threads) {
    const CouplingsLaw law{.seed = seed, .model = model_of(setup), .L = setup.L};
    std::vector<std::int8_t> couplings = generate_couplings(law, 0, column_bits, threads);
    const auto each = couplings.size();
    couplings.resize(static_cast<std::size_t>(law.bonds() * realizations_of(setup)));
    for (std::size_t at = each; at < couplings.size(); at += each)
        std::copy_n(couplings.begin(), std::min(each, couplings.size() - at),
                    couplings.begin() + static_cast<std::ptrdiff_t>(at));
    return couplings;
}

const std::vector<std::int8_t>& Benchmark::couplings(const BenchmarkCase& setup, int threads) {
    const std::int64_t realizations = realizations_of(setup);
    if (setup.L == L_ && setup.model == model_ && realizations == realizations_) return couplings_;
    couplings_ = benchmark_couplings(setup, threads);
    L_ = setup.L;
    realizations_ = realizations;
    model_ = setup.model;
    return couplings_;
}

BenchmarkResult Benchmark::time(const BackendChoice& choice, const BenchmarkCase& setup,
                                const BenchmarkTiming& timing) {
    check_shape(shape_of(setup));
    BenchmarkResult result;
    result.setup = setup;
    result.kernel = choice.kernel;
    Bench bench(choice, setup, couplings(setup, choice.threads));
    bench.time(1);  // warm up
    int rounds = 1;
    while (bench.time(rounds) < timing.seconds / 2) rounds *= 2;
    std::vector<double> ps;
    for (int i = 0; i < timing.repeats; ++i)
        ps.push_back(bench.time(rounds) / (rounds * bench.flips_per_round()) * 1e12);
    const MedianTime found = median_of(std::move(ps));
    result.ps_per_flip = found.seconds;
    result.spread = found.spread;
    const Ensemble& ensemble = bench.ensemble();
    result.device = ensemble.description();
    result.threads = ensemble.threads();
    result.backend = "cuda";
    if (ensemble.backend() == Backend::cpu) {
        result.backend = "cpu";
        result.device += ", " + processor_name();
    }
    return result;
}

}  // namespace psflip
