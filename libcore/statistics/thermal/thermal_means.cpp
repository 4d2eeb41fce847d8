#include "statistics/thermal/thermal_means.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/jackknife.hpp"
#include "statistics/student.hpp"
#include "statistics/thermal/slopes.hpp"

namespace psflip {

namespace {

/// dof: degrees of freedom of the error, for Student's factor.
void set(ThermalMeans& means, Observable observable, std::int64_t i, double mean, double error, int dof) {
    means.mean[static_cast<int>(observable)][i] = mean;
    means.error[static_cast<int>(observable)][i] = error * student_factor(dof);
}

/// The degrees of freedom of a jackknife over blocks.
int dof_of(std::span<const double> count) {
    return static_cast<int>(std::ranges::count_if(count, [](double n) { return n > 0.0; })) - 1;
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

/// Mean of x_ab y_cd over pairs without a replica in common, in the order 01, 02, ..., 12, ...; four replicas
/// or more.
double disjoint_product(std::span<const double> x, std::span<const double> y, int replicas) {
    const std::vector<std::pair<int, int>> pairs = replica_pairs(replicas);
    double sum = 0.0, n = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t j = 0; j < pairs.size(); ++j) {
            const auto [a, b] = pairs[i];
            const auto [c, d] = pairs[j];
            if (a == c || a == d || b == c || b == d) continue;
            sum += x[i] * y[j];
            n += 1.0;
        }
    return sum / n;
}

/// One temperature and realization: `i` its place, `level` how many blocks are taken together.
struct Place {
    std::int64_t i;
    int level;
    double beta, interval;  ///< interval: sweeps between measurements
};

/// <x>^2 and factor (<x^2> - <x>^2) from the blocks of x, by replicas, and of their mean x2, by the
/// jackknife. With one replica the bias of <x>^2, the variance of the mean, is taken off as a constant.
std::vector<Estimate> fluctuation(const BlockReader& reader, const Place& place,
                                  const std::vector<std::vector<double>>& x, const std::vector<double>& x2,
                                  double variance_of_mean, double factor) {
    const int replicas = reader.run().replicas;
    const int columns = replicas + 1;
    const std::vector<double>& count = reader.count(place.level);
    std::vector<double> samples, weights;
    for (std::size_t b = 0; b < x2.size(); ++b) {
        if (count[b] == 0.0) continue;
        for (int a = 0; a < replicas; ++a) samples.push_back(x[a][b]);
        samples.push_back(x2[b]);
        weights.push_back(count[b]);
    }
    const auto products = [&](std::span<const double> m, std::span<double> result) {
        result[0] = replicas > 1 ? distinct_product(m.first(replicas)) : m[0] * m[0] - variance_of_mean;
        result[1] = factor * (m[replicas] - result[0]);
    };
    return jackknife(samples, static_cast<std::int64_t>(weights.size()), columns, 2, products, weights);
}

/// Covariance of the means of two series, averaged over pairs; 0 with a single block, which tells nothing.
double covariance_of_means(const BlockReader& reader, const Place& place, Sum x, Sum y) {
    const std::vector<double> a = merge_blocks(reader.average(x, place.i), place.level);
    const std::vector<double> b = merge_blocks(reader.average(y, place.i), place.level);
    std::vector<double> sum(a), difference(a);
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum[k] += b[k];
        difference[k] -= b[k];
    }
    const std::vector<double>& count = reader.count(place.level);
    const double covariance =
        (block_mean(count, sum).variance - block_mean(count, difference).variance) / 4.0;
    return a.size() > 1 ? covariance : 0.0;
}

/// <x><y> of two series of replica pairs by the jackknife over blocks; with fewer than four replicas the
/// covariance of the means is taken off as a constant.
void set_product(ThermalMeans& means, const BlockReader& reader, const Place& place, Observable product,
                 Sum x, Sum y) {
    const int pairs = reader.run().pairs(), replicas = reader.run().replicas;
    const std::vector<double>& count = reader.count(place.level);
    std::vector<std::vector<double>> columns;
    for (Sum sum : {x, y})
        for (int pair = 0; pair < pairs; ++pair)
            columns.push_back(merge_blocks(reader.sums(sum, pair, place.i), place.level));
    std::vector<double> samples, weights;
    for (std::size_t b = 0; b < count.size(); ++b) {
        if (count[b] == 0.0) continue;
        for (const std::vector<double>& column : columns) samples.push_back(column[b]);
        weights.push_back(count[b]);
    }
    const double bias = replicas > 3 ? 0.0 : covariance_of_means(reader, place, x, y);
    const auto mean = [](std::span<const double> m) {
        return std::accumulate(m.begin(), m.end(), 0.0) / static_cast<double>(m.size());
    };
    const auto function = [&](std::span<const double> m, std::span<double> result) {
        const auto first = m.first(pairs), second = m.last(pairs);
        result[0] =
            replicas > 3 ? disjoint_product(first, second, replicas) : mean(first) * mean(second) - bias;
    };
    const Estimate estimate =
        jackknife(samples, static_cast<std::int64_t>(weights.size()), 2 * pairs, 1, function, weights)
            .front();
    set(means, product, place.i, estimate.value, estimate.error, dof_of(count));
}

/// The autocorrelation time of x, whose squares are x2, from sums over replicas, or pairs.
double tau_of(const BlockReader& reader, const Place& place, Sum x, Sum x2) {
    const std::vector<double>& count = reader.count(place.level);
    double variance = 0.0, single = 0.0;
    for (int c = 0; c < reader.run().components(x); ++c) {
        const BlockMean mean = block_mean(count, merge_blocks(reader.sums(x, c, place.i), place.level));
        const BlockMean square = block_mean(count, merge_blocks(reader.sums(x2, c, place.i), place.level));
        variance += mean.variance;
        single += single_variance(mean.mean, square.mean, mean.variance);
    }
    return place.interval * integrated_time(variance, single, reader.total());
}

/// <E>^2 without bias, and the specific heat.
void set_energy_products(ThermalMeans& means, const BlockReader& reader, const Place& place) {
    const int replicas = reader.run().replicas;
    const std::vector<double>& count = reader.count(place.level);
    double variance = 0.0;
    std::vector<std::vector<double>> e = reader.independent("energy", place.i);
    std::vector<double> e2(count.size(), 0.0);
    for (int a = 0; a < replicas; ++a) {
        e[a] = merge_blocks(e[a], place.level);
        const std::vector<double> square = merge_blocks(reader.sums(Sum::energy2, a, place.i), place.level);
        variance += block_mean(count, e[a]).variance;
        for (std::size_t b = 0; b < e2.size(); ++b) e2[b] += square[b] / replicas;
    }
    const std::vector<Estimate> found =
        fluctuation(reader, place, e, e2, std::isnan(variance) ? 0.0 : variance,
                    place.beta * place.beta * reader.run().sites());
    const int dof = dof_of(count);
    set(means, "energy_product", place.i, found[0].value, found[0].error, dof);
    set(means, "specific_heat", place.i, found[1].value, found[1].error, dof);
}

/// The blocks for the mean of a quantity that has a sign; whether they are long enough.
struct SignedBlocks {
    Place place;
    bool long_enough;
};

SignedBlocks signed_blocks(const BlockReader& reader, const Place& place, Observable observable) {
    SignedBlocks blocks{place, true};
    const auto lengthen = [&](Sum x, Sum x2, int part) {
        const BlockLength length = reader.signed_length(x, x2, part, place.i);
        blocks.place.level = std::max(blocks.place.level, length.level);
        blocks.long_enough = blocks.long_enough && length.long_enough;
    };
    const Formula& formula = observable->formula;
    if (observable == "m" && reader.run().measured.vectors()) {  // z of both sublattices
        for (const int direction : {even_direction, odd_direction})
            lengthen(Sum::directions, Sum::directions2, direction + 2);
    } else {
        lengthen(formula.memory, formula.square, formula.memory_part);
    }
    return blocks;
}

/// The mean over series that are independent: replicas, or the average over pairs.
void set_mean(ThermalMeans& means, const BlockReader& reader, const Place& place, Observable observable) {
    double mean = 0.0, variance = 0.0;
    int dof = 0;
    const std::vector<std::vector<double>> series = reader.independent(observable, place.i);
    if (series.empty()) return;
    const auto number = static_cast<double>(series.size());
    for (const std::vector<double>& sums : series) {
        const BlockMean one = block_mean(reader.count(place.level), merge_blocks(sums, place.level));
        mean += one.mean / number;
        variance += one.variance;
        dof += one.dof;
    }
    set(means, observable, place.i, mean, std::sqrt(variance) / number, dof);
}

/// The mean of a quantity that has a sign.
void set_signed(ThermalMeans& means, const BlockReader& reader, const Place& all, Observable observable) {
    const auto [place, long_enough] = signed_blocks(reader, all, observable);
    set_mean(means, reader, place, observable);
    if (!long_enough) means.error[static_cast<int>(observable)][place.i] = nan_value;
}

void set_slopes(ThermalMeans& means, const BlockReader& reader, const Place& place) {
    SlopeEnergies energies{Per::walker, {}, true};
    for (const ObservableInfo& row : observable_table) {
        const Formula& formula = row.formula;
        if (formula.how != How::slope || !row.of(reader.run().measured) ||
            reader.run().components(formula.sum) == 0)
            continue;
        const Per per = info(formula.sum).per;
        if (energies.per != per) energies = slope_energies(reader, per, place.i, place.level);
        const Estimate estimate = slope_of(reader, formula, energies, place.i, place.level);
        set(means, Observable(row), place.i, estimate.value, estimate.error,
            dof_of(reader.count(place.level)));
    }
}

/// The susceptibility of one of `directions`, the number of its observable.
void set_susceptibility(ThermalMeans& means, const BlockReader& reader, const Place& all, Observable chi) {
    const auto [place, long_enough] = signed_blocks(reader, all, chi);
    const int replicas = reader.run().replicas;
    const std::vector<double>& count = reader.count(place.level);
    std::vector<std::vector<double>> x;
    std::vector<double> x2(count.size(), 0.0);
    double variance = 0.0;
    for (int a = 0; a < replicas; ++a) {
        const int component = a * directions + chi->formula.part;
        x.push_back(merge_blocks(reader.sums(Sum::directions, component, place.i), place.level));
        const auto square = merge_blocks(reader.sums(Sum::directions2, component, place.i), place.level);
        for (std::size_t b = 0; b < x2.size(); ++b) x2[b] += square[b] / replicas;
        variance += block_mean(count, x.back()).variance;
    }
    const Estimate found = fluctuation(reader, place, x, x2, std::isnan(variance) ? 0.0 : variance,
                                       place.beta * reader.run().sites())[1];
    if (!long_enough && replicas == 1) means.withheld[place.i] = 1;
    set(means, chi, place.i, long_enough || replicas > 1 ? found.value : nan_value,
        long_enough ? found.error : nan_value, dof_of(count));
}

/// <|m|>^2 without bias.
void set_abs_product(ThermalMeans& means, const BlockReader& reader, const Place& place) {
    std::vector<std::vector<double>> x = reader.independent("m_abs", place.i);
    double variance = 0.0;
    for (std::vector<double>& series : x) {
        series = merge_blocks(series, place.level);
        variance += block_mean(reader.count(place.level), series).variance;
    }
    const std::vector<double> unused(x.front().size(), 0.0);
    const Estimate found =
        fluctuation(reader, place, x, unused, std::isnan(variance) ? 0.0 : variance, 0.0).front();
    set(means, "m_abs_product", place.i, found.value, found.error, dof_of(reader.count(place.level)));
}

/// The covariances of the means of shared_pairs.
void set_covariances(ThermalMeans& means, const BlockReader& reader, const Place& place) {
    for (int p = 0; p < n_shared_pairs; ++p) {
        if (means.covariance[p].empty()) continue;
        const auto first = reader.independent(shared_pairs[p].first, place.i),
                   second = reader.independent(shared_pairs[p].second, place.i);
        double sum = 0.0;
        const double factor =
            student_factor(static_cast<double>(first.size()) * dof_of(reader.count(place.level)));
        for (std::size_t k = 0; k < first.size(); ++k)
            sum += block_covariance(reader.count(place.level), merge_blocks(first[k], place.level),
                                    merge_blocks(second[k], place.level));
        const auto number = static_cast<double>(first.size());
        means.covariance[p][place.i] = factor * factor * sum / (number * number);
    }
}

/// What the row of an observable says. Slopes and special observables have code of their own.
void set_observable(ThermalMeans& means, const BlockReader& reader, const Place& place,
                    const ObservableInfo& row) {
    switch (row.formula.how) {
        case How::mean:
            return set_mean(means, reader, place, Observable(row));
        case How::signed_mean:
            return set_signed(means, reader, place, Observable(row));
        case How::pair_product:
            return set_product(means, reader, place, Observable(row), row.formula.sum, row.formula.other);
        case How::susceptibility:
            return set_susceptibility(means, reader, place, Observable(row));
        case How::slope:
        case How::special:
            return;
    }
}

/// All of one place in (temperature, realization).
void set_place(ThermalMeans& means, const BlockReader& reader, std::int64_t i, double interval) {
    const RunSums& run = reader.run();
    const int t = static_cast<int>(i / run.realizations);
    const std::int64_t r = i % run.realizations;
    const BlockLength length = reader.block_length(t, r, r + 1);
    const Place place{i, length.level, 1.0 / run.temperature[t], interval};
    for (const ObservableInfo& row : observable_table)
        if (row.of(run.measured) && (row.formula.how == How::special || run.components(row.formula.sum) > 0))
            set_observable(means, reader, place, row);
    set_energy_products(means, reader, place);
    if (run.measured.magnetisation) set_abs_product(means, reader, place);
    if (run.measured.absent_bonds) set_mean(means, reader, place, "energy_bond");
    set_slopes(means, reader, place);
    set_covariances(means, reader, place);
    means.tau_energy[i] = tau_of(reader, place, Sum::energy, Sum::energy2);
    const OrderParameter order = order_parameter(run.measured);
    if (run.components(order.square) > 0 && info(order.square).of(run.measured))
        means.tau_order[i] = tau_of(reader, place, order.square, order.fourth);
    means.blocks[i] = static_cast<std::int32_t>(reader.count(length.level).size());
    means.too_short[i] = length.long_enough ? 0 : 1;
}

}  // namespace

ThermalMeans thermal_means(const BlockReader& reader, ThreadPool& pool) {
    const RunSums& run = reader.run();
    ThermalMeans means;
    for (int o = 0; o < n_observables; ++o) {
        means.mean[o].assign(run.row(), nan_value);
        means.error[o].assign(run.row(), nan_value);
    }
    for (int p = 0; p < n_shared_pairs && run.realizations == 1; ++p)
        if (shared_pairs[p].first->of(run.measured) && shared_pairs[p].second->of(run.measured) &&
            !reader.independent(shared_pairs[p].first, 0).empty())
            means.covariance[p].assign(run.row(), nan_value);
    means.tau_energy.assign(run.row(), nan_value);
    means.tau_order.assign(run.row(), nan_value);
    means.blocks.assign(run.row(), 0);
    means.too_short.assign(run.row(), 0);
    means.withheld.assign(run.row(), 0);
    const double interval = reader.sweeps() / reader.total();
    share_out(pool, run.row(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) set_place(means, reader, i, interval);
    });
    return means;
}

}  // namespace psflip
