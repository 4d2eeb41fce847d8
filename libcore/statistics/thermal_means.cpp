#include "statistics/thermal_means.hpp"

#include <cmath>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/block_reader.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {

namespace {

void set(ThermalMeans& means, Observable observable, std::int64_t i, double mean, double error) {
    means.mean[static_cast<int>(observable)][i] = mean;
    means.error[static_cast<int>(observable)][i] = error;
}

/// Product of means of distinct replicas; e and e2 are per-site means, one per replica.
double distinct_product(std::span<const double> e) {
    double sum = 0.0, squares = 0.0;
    for (double x : e) {
        sum += x;
        squares += x * x;
    }
    const double n = static_cast<double>(e.size());
    return (sum * sum - squares) / (n * (n - 1.0));
}

/// energy_product and specific_heat by the jackknife over blocks. With one replica the bias of <e>^2, the
/// variance of the mean, is taken off as a constant.
void set_products(ThermalMeans& means, const BlockReader& blocks, const RunSums& run,
                  const std::vector<std::vector<double>>& e, const std::vector<double>& e2,
                  double variance_of_mean, double beta, std::int64_t i) {
    const int replicas = run.replicas;
    const int columns = replicas + 1;
    std::vector<double> samples, weights;
    for (std::size_t b = 0; b < e2.size(); ++b) {
        if (blocks.count()[b] == 0.0) continue;
        for (int a = 0; a < replicas; ++a) samples.push_back(e[a][b]);
        samples.push_back(e2[b]);
        weights.push_back(blocks.count()[b]);
    }
    const double sites = std::pow(run.L, 3);
    const auto products = [&](std::span<const double> m, std::span<double> result) {
        result[0] = replicas > 1 ? distinct_product(m.first(replicas)) : m[0] * m[0] - variance_of_mean;
        result[1] = beta * beta * sites * (m[replicas] - result[0]);
    };
    const std::vector<Estimate> estimates =
        jackknife(samples, static_cast<std::int64_t>(weights.size()), columns, 2, products, weights);
    set(means, Observable::energy_product, i, estimates[0].value, estimates[0].error);
    set(means, Observable::specific_heat, i, estimates[1].value, estimates[1].error);
}

void set_energies(ThermalMeans& means, const BlockReader& blocks, const RunSums& run, double beta,
                  double interval, std::int64_t i) {
    double mean = 0.0, mean2 = 0.0, variance = 0.0, variance2 = 0.0, single = 0.0;
    const std::vector<std::vector<double>> e = blocks.independent(Observable::energy, i);
    std::vector<double> e2(blocks.count().size(), 0.0);
    for (int a = 0; a < run.replicas; ++a) {
        const std::vector<double> square = blocks.sums(Series::energy2, a, i);
        const BlockMean energy = block_mean(blocks.count(), e[a]);
        const BlockMean energy2 = block_mean(blocks.count(), square);
        mean += energy.mean / run.replicas;
        mean2 += energy2.mean / run.replicas;
        variance += energy.variance;
        variance2 += energy2.variance;
        single += single_variance(energy.mean, energy2.mean, energy.variance);
        for (std::size_t b = 0; b < e2.size(); ++b) e2[b] += square[b] / run.replicas;
    }
    set(means, Observable::energy, i, mean, std::sqrt(variance) / run.replicas);
    set(means, Observable::energy2, i, mean2, std::sqrt(variance2) / run.replicas);
    set_products(means, blocks, run, e, e2, std::isnan(variance) ? 0.0 : variance, beta, i);
    means.tau_energy[i] = interval * integrated_time(variance, single, blocks.total());
}

void set_overlaps(ThermalMeans& means, const BlockReader& blocks, const RunSums& run, double interval,
                  std::int64_t i) {
    const auto set_average = [&](Observable observable, const std::vector<double>& sums) {
        const BlockMean average = block_mean(blocks.count(), sums);
        set(means, observable, i, average.mean, std::sqrt(average.variance));
    };
    for (Observable o : {Observable::q, Observable::q_abs, Observable::q2, Observable::q4, Observable::q_link,
                         Observable::kmin})
        set_average(o, blocks.independent(o, i).front());
    double variance = 0.0, single = 0.0;
    for (int pair = 0; pair < run.pairs(); ++pair) {
        const BlockMean q2 = block_mean(blocks.count(), blocks.sums(Series::overlap2, pair, i));
        const BlockMean q4 = block_mean(blocks.count(), blocks.sums(Series::overlap4, pair, i));
        variance += q2.variance;
        single += single_variance(q2.mean, q4.mean, q2.variance);
    }
    means.tau_q2[i] = interval * integrated_time(variance, single, blocks.total());
}

}  // namespace

ThermalMeans thermal_means(const RunSums& run, int blocks) {
    ThermalMeans means;
    for (int o = 0; o < n_observables; ++o) {
        means.mean[o].assign(run.row(), nan_value);
        means.error[o].assign(run.row(), nan_value);
    }
    means.tau_energy.assign(run.row(), nan_value);
    means.tau_q2.assign(run.row(), nan_value);
    const BlockReader reader(run, blocks);
    const double interval = static_cast<double>(run.run_last - run.run_first) / reader.total();
    for (int t = 0; t < run.temperatures; ++t) {
        for (std::int64_t r = 0; r < run.realizations; ++r) {
            const std::int64_t i = t * run.realizations + r;
            set_energies(means, reader, run, 1.0 / run.temperature[t], interval, i);
            if (run.pairs() > 0) set_overlaps(means, reader, run, interval, i);
        }
    }
    return means;
}

}  // namespace psflip
