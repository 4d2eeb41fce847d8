#include "run/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/version.hpp"
#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"
#include "sweep/ensemble_cpu.hpp"
#include "tempering/exchange.hpp"

namespace psflip {
namespace {

constexpr int sweeps_per_swap = 10, swaps_per_measurement = 10;
constexpr std::uint64_t seed = 20261121;

/// One batch and its clock of bursts.
class Bench {
  public:
    Bench(const BackendChoice& choice, const BenchmarkCase& setup)
        : production_(setup.production), shape_{setup.L,
                                                setup.replicas,
                                                setup.temperatures,
                                                std::int64_t{column_bits} * setup.packs,
                                                0,
                                                setup.share} {
        check_shape(shape_);
        std::vector<double> betas;
        for (int t = 0; t < setup.temperatures; ++t)
            betas.push_back(1.0 / (0.8 + 1.2 * t / std::max(1, setup.temperatures - 1)));
        ensemble_ = make_ensemble(
            choice, shape_, betas, seed,
            generate_couplings({.seed = seed, .p_ferro = 0.5, .L = setup.L}, 0, shape_.realizations));
        ensemble_->set_spins(random_spins(shape_, seed));
        exchange_ = make_exchange(*ensemble_, sweeps_per_swap);
        measurement_ = make_measurement(*ensemble_, *exchange_, 2, 50);
    }

    /// Seconds for a number of bursts of ten sweeps.
    double time(int bursts) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < bursts; ++i) burst();
        ensemble_->synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double flips_per_burst() const {
        return static_cast<double>(shape_.sites()) * shape_.realizations * shape_.replicas *
               shape_.temperatures * sweeps_per_swap;
    }
    const Ensemble& ensemble() const { return *ensemble_; }

  private:
    void burst() {
        ensemble_->sweep(completed_, sweeps_per_swap);
        completed_ += sweeps_per_swap;
        if (!production_) return;
        exchange_->compute_energies();
        exchange_->exchange(completed_);
        if (completed_ / sweeps_per_swap % swaps_per_measurement == 0) measurement_->measure(0, 1);
    }

    bool production_;
    Shape shape_;
    std::unique_ptr<Ensemble> ensemble_;
    std::unique_ptr<Exchange> exchange_;
    std::unique_ptr<Measurement> measurement_;
    std::int64_t completed_ = 0;
};

}  // namespace

BenchmarkResult benchmark_flips(const BackendChoice& choice, const BenchmarkCase& setup) {
    Bench bench(choice, setup);
    bench.time(swaps_per_measurement);  // warm up
    int bursts = swaps_per_measurement;
    while (bench.time(bursts) < setup.seconds / 2) bursts *= 2;
    std::vector<double> ps;
    for (int i = 0; i < setup.repeats; ++i)
        ps.push_back(bench.time(bursts) / (bursts * bench.flips_per_burst()) * 1e12);
    std::sort(ps.begin(), ps.end());
    const auto* cpu = dynamic_cast<const CpuEnsemble*>(&bench.ensemble());
    const double median = ps[ps.size() / 2];
    return {setup,
            cpu ? "cpu" : "cuda",
            bench.ensemble().description(),
            cpu ? cpu->threads() : 0,
            median,
            (ps.back() - ps.front()) / median};
}

std::string benchmark_json(const std::vector<BenchmarkResult>& results) {
    std::string out = "[\n";
    for (const auto& r : results)
        out += fmt::format(
            "  {{\"backend\": \"{}\", \"L\": {}, \"share\": {}, \"replicas\": {}, \"temperatures\": {}, "
            "\"packs\": {}, \"threads\": {}, "
            "\"production\": {}, \"ps_per_flip\": {:.5g}, \"spread\": {:.3g}, \"commit\": \"{}\", "
            "\"device\": \"{}\"}}{}\n",
            r.backend, r.setup.L, r.setup.share, r.setup.replicas, r.setup.temperatures, r.setup.packs,
            r.threads, r.setup.production, r.ps_per_flip, r.spread, git_commit(), r.device,
            &r == &results.back() ? "" : ",");
    return out + "]\n";
}

}  // namespace psflip
